// SPDX-License-Identifier: Apache-2.0
// The extensions for shardings and for kinds of memory.
#include <array>

#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/program.h"

struct PJRT_MemoryDescription {
  int kind = 0;  ///< index in kMemoryKinds
};

namespace hilo::pjrt {
namespace {

constexpr std::array<PJRT_MemoryDescription, std::size(kMemoryKinds)> kDescriptions = {{{0}, {1}, {2}}};
constexpr std::array<const PJRT_MemoryDescription*, std::size(kMemoryKinds)> kDescriptionList = {
    &kDescriptions[0], &kDescriptions[1], &kDescriptions[2]};

}  // namespace

HILO_PJRT_GETTER(PJRT_DeviceDescription_MemoryDescriptions, device_description,
                 args.memory_descriptions = kDescriptionList.data(),
                 args.num_memory_descriptions = kDescriptionList.size(), args.default_memory_index = 0)

Status answer(PJRT_MemoryDescription_Kind_Args& args) {
  HILO_PJRT_WANTED(args, memory_description);
  const std::string_view kind = kMemoryKinds[args.memory_description->kind];
  args.kind = kind.data();
  args.kind_size = kind.size();
  args.kind_id = args.memory_description->kind;
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_Shardings_PJRT_Executable_ParameterShardings, executable,
                 args.num_parameters = args.executable->program->argument_lists.shardings.size(),
                 args.shardings = args.executable->program->argument_lists.shardings.data(),
                 args.sharding_sizes = args.executable->program->argument_lists.sharding_sizes.data())
HILO_PJRT_GETTER(PJRT_Shardings_PJRT_Executable_OutputShardings, executable,
                 args.num_outputs = args.executable->program->result_lists.shardings.size(),
                 args.shardings = args.executable->program->result_lists.shardings.data(),
                 args.sharding_sizes = args.executable->program->result_lists.sharding_sizes.data())

}  // namespace hilo::pjrt
