// SPDX-License-Identifier: Apache-2.0
// inspect/graph/grouping.h -- a computation cut into boxes: fused regions, and the instructions outside of them.
#pragma once

#include <span>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo::graph {

/// What runs in one go, by instruction ids, in the order of running.
using Run = std::vector<InstructionId>;

/// A box: one instruction, or the region of one run.
struct Item {
  std::vector<InstructionId> members;  ///< ascending
  size_t run;                          ///< its region's run; ~0 for an instruction outside
  bool is_region() const { return run != ~size_t{0}; }
};

struct Grouping {
  std::vector<Item> items;  ///< operands before users
  /// Per instruction: the item that others read it from.
  std::vector<uint32_t> item_of;
};

/// Runs of less than two instructions, constants not counted, are no regions. A run that others must wait for and that
/// waits for them is none either: its instructions stand outside.
/// Cost    O(n log n), once more for each time that runs have been taken out
Grouping group_instructions(const Computation& computation, std::span<const Run> runs);

}  // namespace hilo::hlo::graph
