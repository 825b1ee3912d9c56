// SPDX-License-Identifier: Apache-2.0
// import/program.h -- reads a program in any supported file format as a module.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hilo/hlo/ir/module.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo {

/// Parses HLO text, HloModuleProto (or the HloProto of XLA's dumps), StableHLO text or bytecode, or the module of a
/// file of jax.export. The format is detected from the bytes.
/// function   entry of an MLIR module; empty: its main, or the only public function
/// source     name of the bytes in messages
/// arguments  shapes of an MLIR entry's arguments, if not empty; they determine sizes that its types leave unknown
/// Errors     those of the readers; INVALID_ARGUMENT for a function of a format other than MLIR
StatusOr<hlo::Module> parse_program(std::string_view bytes, const std::string& source, std::string_view function = {},
                                    std::vector<Shape> arguments = {});

/// Returns whether the bytes are MLIR. A proto message may begin like a text.
bool is_mlir_program(std::string_view bytes);

/// Translates a parsed module; `arguments` as for parse_program().
StatusOr<hlo::Module> translated_program(const stablehlo::ModuleTree& tree, const std::string& source,
                                         std::string_view function = {}, std::vector<Shape> arguments = {});

/// Reads the bytes of a file that may contain a program.
/// Errors    those of read_file; INVALID_ARGUMENT for bytes that begin like no program
StatusOr<std::string> read_program_bytes(const std::string& path);

/// Returns the shapes of the arguments of a program whose types leave sizes unknown.
using ArgumentShapes = std::function<StatusOr<std::vector<Shape>>(const stablehlo::EntryTypes&)>;

/// Reads the program of a file. `shapes` is called if the types of its arguments leave sizes unknown; without it, such
/// a program is rejected.
StatusOr<hlo::Module> read_program(const std::string& path, std::string_view function = {},
                                   const ArgumentShapes& shapes = {});

}  // namespace hilo
