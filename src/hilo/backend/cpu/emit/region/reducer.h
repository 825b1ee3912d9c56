// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/reducer.h -- accumulators of reductions: initial values, combination, results.
#pragma once

#include "hilo/backend/cpu/emit/region/state.h"

namespace hilo::cpu {

/// Returns the initial accumulators of all lanes: the neutral element if lanes are joined later (sums, products); the
/// initial value if it may be used twice or there is one lane.
Values neutral_values(RegionState& s, const RegionNode& reduce);

Values combine(RegionState& s, const RegionNode& reduce, const Values& a, const Values& b, bool wide);

/// Emits the accumulators after elements of all lanes.
Values accumulate(RegionState& s, const RegionNode& reduce, const Values& accumulators, const Values& elements);

/// Emits accumulator + lhs * rhs of a dot, in the type of the sum.
llvm::Value* multiply_add(RegionState& s, const RegionNode& dot, llvm::Value* accumulator);

/// Emits the join of all lanes (over rows), and combines the result with the initial value if that isn't included yet.
Values finish_reduce(RegionState& s, const RegionNode& reduce, Values accumulators);

}  // namespace hilo::cpu
