// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/text_writer.h -- a module tree as text of MLIR.
#pragma once

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Text that MLIR and text_reader.h read: operations in the pretty forms that MLIR prints where these are short, in the
/// generic form else. Locations are left out.
std::string print_tree(const ModuleTree& tree);

}  // namespace hilo::stablehlo
