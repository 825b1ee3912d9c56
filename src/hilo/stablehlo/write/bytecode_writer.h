// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/bytecode_writer.h -- writes a module tree as a portable artefact.
#pragma once

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Returns MLIR bytecode of version 6 with VHLO 1.9 (the reason is in vhlo.h), with locations. Operations of CHLO and
/// Shardy can't be written, because VHLO lacks them.
/// Errors    UNIMPLEMENTED naming operations, attributes and types that VHLO lacks
StatusOr<std::string> print_bytecode(const ModuleTree& tree);

}  // namespace hilo::stablehlo
