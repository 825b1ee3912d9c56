// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/text_writer.h -- writes a module tree as MLIR text.
#pragma once

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Returns text that MLIR and text_reader.h can read. Operations have MLIR's pretty form if it is short, otherwise the
/// generic form. Locations are omitted.
std::string print_tree(const ModuleTree& tree);

}  // namespace hilo::stablehlo
