// SPDX-License-Identifier: Apache-2.0
// Found by running random programs through plugins of PyPI (make interop). docs/devices.md has the list for users.
#include "hilo/backend/pjrt/known_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/backend/packed_elements.h"
#include "hilo/base/text.h"
#include "hilo/hlo/ir/source_lines.h"
#include "hilo/hlo/ops/control_flow.h"

namespace hilo::plugins {
namespace {

using hlo::Instruction;
using hlo::Opcode;

bool moves_packed_elements(const Instruction& i) {
  return i.opcode == Opcode::kTranspose && is_packed_by_xla(i.shape.element_type()) && i.shape.element_count() > 1;
}

struct Fault {
  int fixed_in;  ///< the first tested version of PJRT without the fault
  bool (*is_there)(const Instruction&);
  std::string_view what;
};
/// Faults of XLA's compiler for processors.
constexpr Fault kFaults[] = {
    {106, moves_packed_elements, "copies of elements narrower than a byte read invalid sizes"},
};

/// Returns the first instruction of the program for which `predicate` is true; null if none exists.
template <typename Predicate>
const Instruction* find(const std::vector<hlo::ComputationPtr>& computations, const Predicate& predicate) {
  for (const hlo::ComputationPtr& computation : computations) {
    for (const Instruction& i : computation->instructions()) {
      if (predicate(i)) return &i;
    }
  }
  return nullptr;
}

}  // namespace

bool needs_stablehlo(const hlo::Module& program) {
  constexpr Opcode kByChlo[] = {Opcode::kAcos, Opcode::kAcosh, Opcode::kAsin, Opcode::kAsinh,
                                Opcode::kAtan, Opcode::kAtanh, Opcode::kCosh, Opcode::kSinh};
  return find(hlo::computations_of(program), [&](const Instruction& i) {
           return std::ranges::find(kByChlo, i.opcode) != std::end(kByChlo);
         }) != nullptr;
}

Status check_known_faults(const Plugin& plugin, bool on_processors, const hlo::Module& program) {
  if (!on_processors || !plugin.is_xla()) return ok_status();
  const int version = plugin.api().pjrt_api_version.minor_version;
  const std::vector<hlo::ComputationPtr> computations = hlo::computations_of(program);
  for (const Fault& fault : kFaults) {
    if (version >= fault.fixed_in) continue;
    const Instruction* const found = find(computations, fault.is_there);
    if (found == nullptr) continue;
    return unimplemented(fmt::format(
        "Compile '{}': {}: the compiler of plugin {} (PJRT {}) would end the process: {}. Hint: PJRT 0.{} or later",
        program.name, describe(*found, hlo::SourceLines(program)), quote(plugin.path()), plugin.version_text(),
        fault.what, fault.fixed_in));
  }
  return ok_status();
}

}  // namespace hilo::plugins
