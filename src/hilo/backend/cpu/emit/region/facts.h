// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/facts.h -- what is decided about a region before its code is written, one file each.
#pragma once

#include <optional>
#include <span>

#include "hilo/backend/cpu/emit/region/node_traits.h"

namespace hilo::cpu {

// shape.cc, fold.cc: the vectors
/// Maximum number of elements of rows that vectors may go across although they are consecutive in memory.
inline constexpr int64_t kMaxShortRow = 16;

/// Of a matrix product: the dimension of rows, which are computed in blocks.
inline size_t block_dimension(const Region& region) { return region.row_begin - 2; }

RegionShape shape_of_region(const Region& region, Isa isa);

/// About how many instructions on registers a region's code has: its cost to compile grows with that.
int64_t code_length(const Region& region, Isa isa);

/// The shape with vectors of `lanes` or half of them along the last two dimensions as one; none if that is no better.
std::optional<RegionShape> folded_shape(const Region& region, int lanes);

// cuts.cc
/// Where a guard holds along the only dimension that it looks at: [first, end).
struct GuardRange {
  size_t dimension;
  int64_t first, end;
};
/// None for a guard that looks at several dimensions, or at numbers known at run time.
std::optional<GuardRange> range_of(const Guard& guard, std::span<const int64_t> extents);

/// Per dimension, where its guards begin or cease to hold, ascending: first along the vectors' dimension, where a guard
/// costs most, then from the inside out, as long as the code doesn't become too long. None in a region with a row.
std::vector<std::vector<int64_t>> cuts_of(const Region& region, size_t vector_dimension);

// stretches.cc: long rows, whose sums are joined in pairs
/// A row has `count` stretches, each of `turns` turns of the loop over `dimension` and all dimensions inside of it.
struct RowStretches {
  size_t dimension;
  int64_t turns, count;
};

/// Dots of so few products, of rows and alone, are summed in order, as in XLA: joining lanes costs as much.
inline constexpr int64_t kMaxShortDotOfRow = 8, kMaxShortDot = 32;

/// None in a short row, whose sums are taken in order. The cut is at the row's innermost dimension at which the turns
/// become too many, in stretches as equal as they can be. It depends on the shapes alone, so a sum has the same bits on
/// any number of threads.
std::optional<RowStretches> stretches_of(const Region& region, const RegionShape& shape);

// node_facts.cc: with which loops each node changes
struct NodeFacts {
  uint64_t dimensions = 0;  ///< bit k: the value changes with domain dimension k
  int stage = 0;            ///< the number of reductions before it
  bool varies = false;      ///< along the vector dimension
  bool in_row = false;      ///< changes along the row
  int level = -1;           ///< innermost dimension it changes with; -1 for none
  /// An f16 or bf16 value of which only maxima and minima are computed. Rounding keeps the order, so it stays the f32
  /// that it is computed in, and the one element that remains is rounded.
  bool rounds_late = false;
};

/// Whether vectors go across rows: each lane has a row.
inline bool is_column(const Region& region, const RegionShape& shape) {
  return region.has_row() && shape.vector_dimension < region.row_begin;
}

/// Of each node.
std::vector<NodeFacts> node_facts(const Region& region, const RegionShape& shape);

/// Calls `visit` with each node that an index or guard of this one has a term of.
template <typename Visit>
void for_each_term(const RegionNode& node, const Visit& visit) {
  for (const IndexTerm& t : node.index.terms) visit(t.node);
  for (const Guard& g : node.guards) {
    for (const IndexTerm& t : g.index.terms) visit(t.node);
  }
}

// row_loops.cc: the loops over a row
struct RowLoops {
  int count = 0;                             ///< one loop per stage with work
  std::vector<std::vector<bool>> evaluated;  ///< per loop, per node: whether the loop computes or reads it
  /// Per node: the loop that writes it to the row's tile, where later loops read it; -1 if it isn't kept. Expensive
  /// values are kept while the tiles fit in the L1 cache.
  std::vector<int> kept_in;
};

RowLoops row_loops_of(const Region& region, const RegionShape& shape, const std::vector<NodeFacts>& nodes);

struct RegionFacts {
  RegionShape shape;
  std::optional<RowStretches> stretches;
  std::vector<NodeFacts> nodes;
  std::vector<std::vector<int64_t>> cuts;  ///< cuts_of a map that isn't folded along these dimensions
  RowLoops row;
};

RegionFacts analyse_region(const Region& region, Isa isa);

}  // namespace hilo::cpu
