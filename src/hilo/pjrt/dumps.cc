// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/dumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::pjrt {
namespace {

/// Returns the module with its entry's layouts stated, as XLA prints it.
hlo::Module with_layouts(hlo::Module module) {
  if (!module.entry_parameter_layouts) module.entry_parameter_layouts = module.entry->parameter_shapes();
  if (!module.entry_result_layout) module.entry_result_layout = module.entry->result_shape();
  return module;
}

Status write_module(const DumpRequest& request, const hlo::Module& module, const std::string& path) {
  if (request.as_text)
    HILO_RETURN_IF_ERROR(
        write_file_atomic(path + ".txt", hlo::print_module(with_layouts(module)), Durability::kCached));
  if (!request.as_proto) return ok_status();
  HILO_ASSIGN_OR_RETURN(const std::string proto, hlo::to_proto(module));
  return write_file_atomic(path + ".hlo.pb", proto, Durability::kCached);
}

Status write_both(const DumpRequest& request, const hlo::Module& before, const hlo::Module* after) {
  static std::atomic<int> modules{0};
  std::error_code error;
  std::filesystem::create_directories(request.folder, error);
  std::string name = before.name;
  std::ranges::replace(name, '/', '_');
  const std::string path = fmt::format("{}/module_{:04}.{}", request.folder, ++modules, name);
  HILO_RETURN_IF_ERROR(write_module(request, before, path + ".before_optimizations"));
  return after == nullptr ? ok_status() : write_module(request, *after, path + ".after_optimizations");
}

}  // namespace

void dump_program(const DumpRequest& request, const hlo::Module& before, const hlo::Module* after) {
  if (request.folder.empty()) return;
  if (const Status status = write_both(request, before, after); !status.ok())
    log_warning("xla_dump_to: {}", status.to_string());
}

}  // namespace hilo::pjrt
