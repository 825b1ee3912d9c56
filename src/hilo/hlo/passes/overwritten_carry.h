// SPDX-License-Identifier: Apache-2.0
// hlo/passes/overwritten_carry.h -- finds carries that a counted loop overwrites completely.
#pragma once

#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Returns by element of the carry tuple whether the iterations write all of it, row by row, and read none of it. A
/// scan computes its stacked results in this way. `computation` contains the while instruction. All false for a loop
/// that isn't counted.
std::vector<bool> overwritten_elements(const Instruction& while_instruction, const Computation& computation);

}  // namespace hilo::hlo
