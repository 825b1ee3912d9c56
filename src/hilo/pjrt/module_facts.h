// SPDX-License-Identifier: Apache-2.0
// pjrt/module_facts.h -- what a program of MLIR says of its arguments and results beside their types.
#pragma once

#include "hilo/pjrt/program.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::pjrt {

/// Fills in shardings, kinds of memory and donations of values whose whole shapes are there; and layouts that callers
/// ask for, in `shape` of the placements.
/// Errors    those of reading them; UNIMPLEMENTED for kinds of memory and layouts that this version doesn't know
Status read_facts(const stablehlo::ModuleTree& tree, int64_t devices, std::vector<ProgramValue>& arguments,
                  std::vector<ProgramValue>& results);

/// Which donors are donated: each to one result that has as many bytes on a device as it has. Others stay the caller's.
/// Source    what XLA does with input_output_alias and buffer donors
void settle_donors(std::vector<ProgramValue>& arguments, const std::vector<ProgramValue>& results);

}  // namespace hilo::pjrt
