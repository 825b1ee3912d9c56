// SPDX-License-Identifier: Apache-2.0
// stablehlo/reader.h -- a file of MLIR, text or bytecode, to a module tree.
#pragma once

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Whether `data` begins as MLIR does: with bytecode's magic number, or with a module, a function or an alias as text.
bool is_mlir(std::string_view data);

/// Reads text (one part; see split_text) or bytecode.
/// Errors    those of read_text and read_bytecode
StatusOr<ModuleTree> read_tree(std::string_view data, std::string_view source);

}  // namespace hilo::stablehlo
