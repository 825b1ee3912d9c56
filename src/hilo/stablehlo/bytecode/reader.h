// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/reader.h -- MLIR bytecode, as a portable artefact of StableHLO has it, to a module tree.
#pragma once

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Whether `data` begins with the magic number of MLIR bytecode.
bool is_bytecode(std::string_view data);

/// Reads bytecode of versions 0 to 6 with operations of VHLO 0.9 to 1.20, sdy and builtin. VHLO's operations and types come
/// out under StableHLO's names, so that the tree is the one that read_text makes of the same module.
/// `source` names the bytes in messages.
/// Errors    INVALID_ARGUMENT "m.mlirbc: byte 210: ..." for damaged bytes; UNIMPLEMENTED with the version for versions that
///           are newer, and for other dialects, by name; RESOURCE_EXHAUSTED without memory
/// Cost      linear in the bytes; memory is bounded by them
StatusOr<ModuleTree> read_bytecode(std::string_view data, std::string_view source);

}  // namespace hilo::stablehlo
