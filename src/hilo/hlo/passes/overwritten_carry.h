// SPDX-License-Identifier: Apache-2.0
// hlo/passes/overwritten_carry.h -- carries that a counted loop fills, so that nobody sees what they held before.
#pragma once

#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Per element of the carry tuple: do the turns write all of it, row by row, and read none of it? So a scan makes its
/// stacked results: whatever the element holds when the loop begins, it holds the same when it ends. `computation` holds
/// the while instruction. All false for a loop that isn't counted.
std::vector<bool> overwritten_elements(const Instruction& while_instruction, const Computation& computation);

}  // namespace hilo::hlo
