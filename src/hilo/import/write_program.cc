// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/write_program.h"

#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/stablehlo/write/write_tree.h"

namespace hilo {

std::optional<ProgramFormat> program_format(std::string_view name) {
  if (name == "hlo") return ProgramFormat::kHlo;
  if (name == "proto") return ProgramFormat::kProto;
  if (name == "stablehlo") return ProgramFormat::kStablehlo;
  if (name == "bytecode") return ProgramFormat::kBytecode;
  return std::nullopt;
}

StatusOr<std::string> write_program(hlo::Module module, ProgramFormat format) {
  if (format == ProgramFormat::kHlo) return hlo::print_module(module);
  if (format == ProgramFormat::kProto) return hlo::to_proto(module);
  // StableHLO supports neither layouts nor comparisons as another type.
  HILO_RETURN_IF_ERROR(hlo::normalize_layouts(module).status());
  HILO_RETURN_IF_ERROR(hlo::normalize_compares(module).status());
  return format == ProgramFormat::kStablehlo ? stablehlo::write_text(module) : stablehlo::write_bytecode(module);
}

}  // namespace hilo
