// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/index.h -- emits index expressions and guards at the current position.
#pragma once

#include <limits>

#include "hilo/backend/cpu/emit/region/state.h"

namespace hilo::cpu {

/// Sets the index of dimension k at the current position, at the beginning of a loop over k.
void enter(RegionState& s, size_t k, llvm::Value* index);

bool has_varying_terms(const RegionState& s, uint32_t expression);

/// Emits the expression at lane 0, without terms that differ by lane.
llvm::Value* scalar_index(RegionState& s, uint32_t expression);

/// Emits the expression in every lane, as `number`: i64, or i32 if its values fit, even if intermediate sums don't.
llvm::Value* lane_indices(RegionState& s, uint32_t expression, llvm::Type* number);

/// Emits the expression for all lanes, or for a single lane, including all terms.
llvm::Value* index_in(RegionState& s, uint32_t expression, bool wide);

/// Returns the difference from one lane to the next, without terms; kIrregular if it differs, in folded dimensions.
int64_t lane_step(const RegionState& s, uint32_t expression);
inline constexpr int64_t kIrregular = std::numeric_limits<int64_t>::min();

/// Returns per lane the difference from lane 0, without terms.
std::vector<int64_t> lane_offsets(const RegionState& s, uint32_t expression);
llvm::Constant* lane_constants(const std::vector<int64_t>& offsets, llvm::Type* number);

/// Emits the element of row_columns.cc's memory at which the column of an index within the row begins.
llvm::Value* column_of(RegionState& s, const IndexExpr& index);

// guard.cc
/// A guard that holds in all of the current ranges between cuts, or in none, needs no code.
enum class GuardState { kInside, kOutside, kMixed };
GuardState guard_state(const RegionState& s, const RegionNode& node);

/// Emits the test that all guards of the node hold: a mask if it differs by lane (`wide`), otherwise a scalar i1.
/// Returns null if all always hold.
llvm::Value* guard_mask(RegionState& s, uint32_t n, bool& wide);

}  // namespace hilo::cpu
