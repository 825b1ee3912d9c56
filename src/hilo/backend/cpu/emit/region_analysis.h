// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region_analysis.h -- what the emitter wants to know about each node before it writes code.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hilo/backend/cpu/emit/region.h"

namespace hilo::cpu {

struct NodeFacts {
  uint64_t dimensions = 0;  ///< bit k: the value changes with domain dimension k
  int stage = 0;            ///< the number of reductions before it
  bool varies = false;      ///< along the vector dimension
  bool in_row = false;      ///< changes along the row
  int level = -1;           ///< innermost dimension it changes with; -1 for none
  /// An f16 or bf16 value that nothing but greatest and least elements are taken of. Rounding keeps the order, so it is left
  /// as the f32 that it is computed in, and the one element that is left is rounded.
  bool rounds_late = false;
};

/// How a long row is cut, so that the sums of its stretches are joined in pairs: `turns` turns of the loop over row
/// dimension `dimension`, with all dimensions inside of it, are a stretch; a row has `count` of them.
struct RowStretches {
  size_t dimension;
  int64_t turns, count;
};

/// Where a guard holds along the only dimension that it looks at: [first, end).
struct GuardRange {
  size_t dimension;
  int64_t first, end;
};
/// None for a guard that looks at several, or at numbers known at run time.
std::optional<GuardRange> range_of(const Guard& guard, std::span<const int64_t> extents);

struct RegionFacts {
  RegionShape shape;
  std::optional<RowStretches> stretches;  ///< none in a short row, whose sums are taken in order
  std::vector<NodeFacts> nodes;
  /// Per dimension of a map: where guards begin or cease to hold, ascending. Its loop is written once for each stretch between.
  std::vector<std::vector<int64_t>> cuts;
  int loops = 0;  ///< loops over the row, one per stage with work
  /// Per loop: which row nodes are evaluated in it.
  std::vector<std::vector<bool>> evaluated;
  /// Per node: the loop that writes it to the row's tile, -1 if it isn't kept; later loops read it there.
  std::vector<int> kept_in;
};

/// Elements of rows that vectors may go across though these lie one after the other.
inline constexpr int64_t kLongestShortRow = 16;

RegionFacts analyse_region(const Region& region, Isa isa);

/// The nodes of a region, of which some count several times: those on floats of 8 bits and fewer, each of which is widened and
/// rounded, and those on c128, whose loops carry numbers of 128 bits, which fill no vector.
int64_t weighted_nodes(const Region& region);

/// About how many instructions on registers a region's code has: what it costs to compile grows with that.
int64_t code_length(const Region& region, Isa isa);

/// A product of f32 or narrower floats, which is kept in f64.
bool is_wide_product(const RegionNode& reduce);

/// The greatest or least element, of one array.
bool is_extreme(const RegionNode& reduce);

/// Reducers for which f(init, f(init, x)) == f(init, x).
bool is_idempotent(hlo::ReducerKind kind);

}  // namespace hilo::cpu
