// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/bytecode_writer.h -- a module tree as a portable artefact.
#pragma once

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// MLIR bytecode of version 6, of VHLO 1.9 (vhlo.h says why), with locations. Not portable is what VHLO lacks: operations
/// of CHLO and of Shardy.
/// Errors    UNIMPLEMENTED naming operations, attributes and types that VHLO lacks
StatusOr<std::string> print_bytecode(const ModuleTree& tree);

}  // namespace hilo::stablehlo
