// SPDX-License-Identifier: Apache-2.0
// pjrt/module_facts.h -- reads the attributes of an MLIR program's arguments and results.
#pragma once

#include "hilo/pjrt/program.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::pjrt {

/// Sets shardings, kinds of memory and donations of values whose whole shapes are set, and the requested layouts in
/// `shape` of the placements.
/// Errors    those of reading the attributes; UNIMPLEMENTED for unknown kinds of memory and layouts
Status read_facts(const stablehlo::ModuleTree& tree, int64_t devices, std::vector<ProgramValue>& arguments,
                  std::vector<ProgramValue>& results);

/// Selects the donors that are donated: each one for a result with the same number of bytes per device. Other donors
/// stay with the caller.
/// Source    XLA's behaviour for input_output_alias and buffer donors
void settle_donors(std::vector<ProgramValue>& arguments, const std::vector<ProgramValue>& results);

}  // namespace hilo::pjrt
