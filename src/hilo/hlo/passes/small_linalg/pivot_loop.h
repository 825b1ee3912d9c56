// SPDX-License-Identifier: Apache-2.0
// hlo/passes/small_linalg/pivot_loop.h -- recognizes the loop by which JAX converts the pivots of an LU factorization
// to a permutation.
#pragma once

#include <algorithm>
#include <vector>

#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo::small_linalg {

/// The carry of a loop: pivots s32[batch..., k] that count from 0, a permutation s32[batch..., n], and scalar integers.
struct PivotLoop {
  int64_t pivots = 0, permutation = 0;  ///< indices in the carry
};

/// Returns whether step i of the loop, counted from 0, exchanges element i of each permutation with the element at its
/// i-th pivot. The pivots must stay, and each scalar of the carry must grow by 1. The meaning of each instruction of
/// the body follows from that of its operands, so the answer holds for all pivots and batches. Other forms of such a
/// loop aren't recognized.
/// Precondition: the scalars are 0 before the first step; 0 <= pivot < n
bool exchanges_by_pivots(const Computation& body, const PivotLoop& loop);

/// Returns whether a reshape or broadcast of a value of shape `from` only inserts or removes dimensions of size 1.
/// Types: Instruction, RewriteNode
template <typename Node>
bool keeps_order(const Node& n, const Shape& from) {
  if (n.opcode != Opcode::kReshape && n.opcode != Opcode::kBroadcast) return false;
  const auto without_ones = [](const Shape& shape) {
    std::vector<int64_t> dimensions(shape.dimensions().begin(), shape.dimensions().end());
    std::erase(dimensions, 1);
    return dimensions;
  };
  const bool moves =
      n.opcode == Opcode::kBroadcast && !std::ranges::is_sorted(attributes_of<BroadcastAttributes>(n).dimensions);
  return !moves && without_ones(n.shape) == without_ones(from);
}

}  // namespace hilo::hlo::small_linalg
