// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/reducer.h -- accumulators of reductions: initial values, combination, results.
#pragma once

#include "hilo/backend/cpu/emit/region/state.h"

namespace hilo::cpu {

/// What the accumulators of all lanes begin with: the neutral element where lanes are joined later (sums, products),
/// the initial value where taking it twice does no harm or there is one lane.
Values neutral_values(RegionState& s, const RegionNode& reduce);

Values combine(RegionState& s, const RegionNode& reduce, const Values& a, const Values& b, bool wide);

/// accumulator + lhs * rhs of a dot, in the type of the sum.
llvm::Value* multiply_add(RegionState& s, const RegionNode& dot, llvm::Value* accumulator);

/// All lanes become one (over rows), and the initial value comes in where it hasn't yet.
Values finish_reduce(RegionState& s, const RegionNode& reduce, Values accumulators);

}  // namespace hilo::cpu
