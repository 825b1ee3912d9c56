// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/index.h -- index expressions and guards at the current position.
#pragma once

#include <limits>

#include "hilo/backend/cpu/emit/region/state.h"

namespace hilo::cpu {

/// Adds the index of a loop over dimension k, which begins, to the position.
void enter(RegionState& s, size_t k, llvm::Value* index);

bool has_varying_terms(const RegionState& s, uint32_t expression);

/// The expression at lane 0, without terms that differ by lane.
llvm::Value* scalar_index(RegionState& s, uint32_t expression);

/// The expression in every lane, as `number`: i64, or i32 where its values fit, whatever the intermediate sums.
llvm::Value* lane_indices(RegionState& s, uint32_t expression, llvm::Type* number);

/// The expression in every lane, or in the only one; of one lane all terms count.
llvm::Value* index_in(RegionState& s, uint32_t expression, bool wide);

/// The difference from one lane to the next, without terms; kIrregular if it differs, in folded dimensions.
int64_t lane_step(const RegionState& s, uint32_t expression);
inline constexpr int64_t kIrregular = std::numeric_limits<int64_t>::min();

/// Per lane: the difference to lane 0, without terms.
std::vector<int64_t> lane_offsets(const RegionState& s, uint32_t expression);
llvm::Constant* lane_constants(const std::vector<int64_t>& offsets, llvm::Type* number);

/// The element of row_columns.cc's memory at which the column of an index within the row begins.
llvm::Value* column_of(RegionState& s, const IndexExpr& index);

// guard.cc
/// Guards that hold in all of the current stretches between cuts, or in none, need no code.
enum class GuardState { kInside, kOutside, kMixed };
GuardState guard_state(const RegionState& s, const RegionNode& node);

/// Whether all guards of the node hold: a mask if that differs by lane (`wide`), else a scalar i1; null if all hold.
llvm::Value* guard_mask(RegionState& s, uint32_t n, bool& wide);

}  // namespace hilo::cpu
