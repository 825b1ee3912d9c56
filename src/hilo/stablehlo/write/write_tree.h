// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/write_tree.h -- converts HLO to a module tree of StableHLO, the inverse of translate.h.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Converts a program to operations of StableHLO. The entry becomes the public function `main`, whose results are the
/// elements of its root's tuple. Called computations become functions, all others regions. Tuples of regions become
/// lists of values, so that a loop's carry is the loop's operands.
///
/// Ops that StableHLO lacks become ops of CHLO if possible (if `portable`, custom calls `mhlo.*`, which XLA
/// recognizes). Otherwise hilo's decomposition is used, in a composite for extension ops and in a call for others.
/// Errors    UNIMPLEMENTED naming ops and types without a counterpart; RESOURCE_EXHAUSTED for regions that are nested
///           too deep, or written more often than hlo::max_expanded_instructions() allows
/// Cost      linear in the operations; shared regions count each time
StatusOr<ModuleTree> write_tree(const hlo::Module& module, bool portable = false);

/// Returns the program as StableHLO text.
StatusOr<std::string> write_text(const hlo::Module& module);

/// Returns the program as a portable artefact: MLIR bytecode of VHLO 1.9, for consumers of StableHLO 1.9 or later.
StatusOr<std::string> write_bytecode(const hlo::Module& module);

}  // namespace hilo::stablehlo
