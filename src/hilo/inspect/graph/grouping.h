// SPDX-License-Identifier: Apache-2.0
// inspect/graph/grouping.h -- splits a computation into boxes: fused regions, and the instructions outside of them.
#pragma once

#include <span>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo::graph {

/// Instructions that run together, in the order of execution.
using Run = std::vector<InstructionId>;

/// A box: one instruction, or the region of one run.
struct Item {
  std::vector<InstructionId> members;  ///< ascending
  size_t run;                          ///< its region's run; ~0 for an instruction outside
  bool is_region() const { return run != ~size_t{0}; }
};

struct Grouping {
  std::vector<Item> items;  ///< operands before users
  /// Per instruction: the item from which others read it.
  std::vector<uint32_t> item_of;
};

/// Splits a computation. Runs of fewer than two instructions, not counting constants, aren't regions. Neither are runs
/// in a dependency cycle; their instructions are outside.
/// Cost       O(n log n), repeated each time that runs are removed
Grouping group_instructions(const Computation& computation, std::span<const Run> runs);

}  // namespace hilo::hlo::graph
