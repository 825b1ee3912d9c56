// SPDX-License-Identifier: Apache-2.0
// stablehlo/reader.h -- reads a file of MLIR, text or bytecode, into a module tree.
#pragma once

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Returns whether `data` is MLIR: it begins with the magic number of bytecode, or with a module, a function or an
/// alias in text form.
bool is_mlir(std::string_view data);

/// Reads text (one part; see split_text) or bytecode.
/// Errors    those of read_text and read_bytecode
StatusOr<ModuleTree> read_tree(std::string_view data, std::string_view source);

}  // namespace hilo::stablehlo
