// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/saved_program.h -- a program as the bytes of a file: stamped with who can read it, and with a checksum.
#pragma once

#include "hilo/device/program_signature.h"
#include "hilo/engine/plan.h"

namespace hilo::cpu {

struct SavedProgram {
  ProgramSignature signature;
  engine::Plan plan;
  std::string module;  ///< HloModuleProto of the optimised program, for observers; may be empty
};

/// Equal programs of one build give equal bytes.
std::string save_program(const ProgramSignature& signature, const engine::Plan& plan, std::string_view module);

/// Whether the bytes begin as those of save_program do.
bool is_saved_program(std::string_view bytes);

/// What save_program wrote.
/// Errors    INVALID_ARGUMENT for bytes that are no saved program or that were damaged; FAILED_PRECONDITION "it was saved by
///           hilo 0.1.0 ..." for another build's
StatusOr<SavedProgram> read_program(std::string_view bytes);

}  // namespace hilo::cpu
