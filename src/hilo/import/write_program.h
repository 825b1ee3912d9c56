// SPDX-License-Identifier: Apache-2.0
// import/write_program.h -- writes a module in the formats that parse_program() reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hilo/hlo/ir/module.h"

namespace hilo {

enum class ProgramFormat : uint8_t {
  kHlo,        ///< "hlo": HLO text
  kProto,      ///< "proto": HloModuleProto
  kStablehlo,  ///< "stablehlo": StableHLO as MLIR text
  kBytecode,   ///< "bytecode": a portable artifact of StableHLO
};

/// Returns the format of that name.
std::optional<ProgramFormat> program_format(std::string_view name);

/// Returns the bytes of a program.
/// Errors    UNIMPLEMENTED for an op that StableHLO doesn't have
StatusOr<std::string> write_program(hlo::Module module, ProgramFormat format);

}  // namespace hilo
