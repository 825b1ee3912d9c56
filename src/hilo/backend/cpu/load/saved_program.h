// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/saved_program.h -- a program as the bytes of a file, with a stamp of the build that can read it, and
// a checksum.
#pragma once

#include <optional>

#include "hilo/device/program_signature.h"
#include "hilo/engine/plan.h"

namespace hilo::cpu {

struct SavedProgram {
  ProgramSignature signature;
  engine::Plan plan;
  std::string module;  ///< HloModuleProto of the optimized program, for observers; may be empty
};

/// Serializes a program. Equal programs of one build have equal bytes.
std::string save_program(const ProgramSignature& signature, const engine::Plan& plan, std::string_view module);

/// Whether the bytes begin with the header of save_program.
bool is_saved_program(std::string_view bytes);

/// Parses the result of save_program.
/// Errors    INVALID_ARGUMENT for bytes that aren't a saved program or that are damaged; FAILED_PRECONDITION "it was
/// saved by
///           hilo 0.1.0 ..." for another build's
StatusOr<SavedProgram> read_program(std::string_view bytes);

/// Returns the bytes of a file of save_program, or nullopt for another file, also for a pipe, which can be read only
/// once.
/// Errors    those of read_file
StatusOr<std::optional<std::string>> read_saved(const std::string& path);

}  // namespace hilo::cpu
