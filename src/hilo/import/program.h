// SPDX-License-Identifier: Apache-2.0
// import/program.h -- a file that holds a program, in any form that hilo reads, to a module.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hilo/hlo/ir/module.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo {

/// Reads HLO text, HloModuleProto (or the HloProto of XLA's dumps), StableHLO as text or bytecode, and the module of a file
/// of jax.export; which of them it is, the bytes say. `function` chooses the entry of an MLIR module; empty: its main, or the only public function.
/// `source` names the bytes in messages. `arguments`, if there are any, are the shapes of an MLIR entry's arguments: sizes
/// that its types leave unknown follow from them.
/// Errors    those of the readers; INVALID_ARGUMENT for a function of what is no MLIR
StatusOr<hlo::Module> parse_program(std::string_view bytes, const std::string& source, std::string_view function = {},
                                    std::vector<Shape> arguments = {});

/// Whether the bytes are MLIR. A message may begin as a text does.
bool is_mlir_program(std::string_view bytes);

/// The program of a module that has been read; `arguments` as for parse_program().
StatusOr<hlo::Module> translated_program(const stablehlo::ModuleTree& tree, const std::string& source,
                                         std::string_view function = {}, std::vector<Shape> arguments = {});

/// The bytes of a file that may hold a program.
/// Errors    those of read_file; INVALID_ARGUMENT for what begins as no program does
StatusOr<std::string> read_program_bytes(const std::string& path);

/// The shapes of the arguments of a program whose types leave sizes unknown.
using ArgumentShapes = std::function<StatusOr<std::vector<Shape>>(const stablehlo::EntryTypes&)>;

/// The program of a file. `shapes` is called if types of its arguments leave sizes unknown; without it such a program is
/// rejected.
StatusOr<hlo::Module> read_program(const std::string& path, std::string_view function = {},
                                   const ArgumentShapes& shapes = {});

}  // namespace hilo
