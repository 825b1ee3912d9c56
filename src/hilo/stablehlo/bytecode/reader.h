// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/reader.h -- reads MLIR bytecode, such as StableHLO's portable artefacts, into a module tree.
#pragma once

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Returns whether `data` begins with the magic number of MLIR bytecode.
bool is_bytecode(std::string_view data);

/// Reads bytecode of versions 0 to 6 with operations of VHLO 0.9 to 1.20, sdy and builtin. Operations and types of VHLO
/// get StableHLO's names, so that the tree equals that of read_text for the same module. `source` names the bytes in
/// messages.
/// Errors    INVALID_ARGUMENT "m.mlirbc: byte 210: ..." for damaged bytes; UNIMPLEMENTED naming newer versions or other
///           dialects; RESOURCE_EXHAUSTED without memory
/// Cost      linear in the bytes, which also limit the memory
StatusOr<ModuleTree> read_bytecode(std::string_view data, std::string_view source);

}  // namespace hilo::stablehlo
