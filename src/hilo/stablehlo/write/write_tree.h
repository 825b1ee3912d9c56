// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/write_tree.h -- HLO to a module tree of StableHLO: translate.h's other way.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// The program as operations of StableHLO. The entry is the public function `main`; tuples of its root are its results.
/// Computations that are called are functions, all others regions; their tuples are lists of values, so that a loop's carry
/// is the loop's operands. Ops that StableHLO lacks are CHLO's where that has them (`portable`: custom calls `mhlo.*`,
/// which XLA reads as these), else hilo's own decomposition: as composite for extension ops, as call for others.
/// Errors    UNIMPLEMENTED naming ops and types without counterpart; RESOURCE_EXHAUSTED for regions nested too deep, or
///           written down more often than hlo::max_expanded_instructions() allows
/// Cost      linear in the operations, where regions of one computation count each time
StatusOr<ModuleTree> write_tree(const hlo::Module& module, bool portable = false);

/// The program as text of StableHLO, which MLIR reads and a person, too.
StatusOr<std::string> write_text(const hlo::Module& module);

/// The program as a portable artefact: MLIR bytecode of VHLO 1.9, which consumers of StableHLO 1.9 or later read.
StatusOr<std::string> write_bytecode(const hlo::Module& module);

}  // namespace hilo::stablehlo
