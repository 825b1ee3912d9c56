// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/facts.h -- decisions about a region before its code is written, one file each.
#pragma once

#include <optional>
#include <span>

#include "hilo/backend/cpu/emit/region/node_traits.h"
#include "hilo/engine/region_columns.h"

namespace hilo::cpu {

// shape.cc, fold.cc: the vectors
/// Maximum number of elements of short rows; vectors may go across such rows although elements of a row are consecutive
/// in memory.
inline constexpr int64_t kMaxShortRow = 16;

/// Of a matrix product: the dimension of rows, which are computed in blocks.
inline size_t block_dimension(const Region& region) { return region.row_begin - 2; }

/// Returns the shape of a region's code; of a region of narrow rows, that of its columns if they are written out.
RegionShape shape_of_region(const Region& region, Isa isa);
/// Returns the shape of a region whose columns aren't written out, and that of a region of columns.
RegionShape shape_of_rows(const Region& region, Isa isa);
RegionShape shape_of_columns(const Region& region, Isa isa);

/// Returns the instructions that compute a node on one vector, without loads.
int64_t instructions_of(const RegionNode& node);

/// Estimates the number of vector instructions of a region's code, to which its compile time is proportional.
int64_t code_length(const Region& region, Isa isa);

/// Returns the shape with vectors of `lanes`, or half as many, along the last two dimensions as one; nullopt if that is
/// no faster.
std::optional<RegionShape> folded_shape(const Region& region, int lanes);

/// Whether vectors across the rows are better than along them. The number of loads that aren't of neighbours decides.
/// Example   sum over k of p[t,k] * e[i[t,k],f]: vectors along f
bool prefers_column(const Region& region);

/// Whether it is a matrix product (and nodes that depend on it) in columns, with an operand that all rows share.
bool is_matrix_product(const Region& region);

// columns.cc: narrow rows
/// Returns the region with its columns written out; nullopt if its rows aren't narrow, or if its code wouldn't be
/// shorter.
std::optional<engine::RegionColumns> columns_of(const Region& region, Isa isa);

/// Returns, for the first of loads of several columns of the same rows, all of them, if shuffles are faster than
/// loading each element; empty for other nodes. A load at a small stride is such a column, too.
std::vector<std::vector<uint32_t>> column_loads(const Region& region, const RegionShape& shape, Isa isa);

// cuts.cc
/// Returns, per dimension, the ascending indices where its guards begin or cease to hold. Dimensions are added while
/// the code doesn't become too long: first that of the vectors, where a guard costs most, then from the inside out.
/// Empty in a region with a row.
std::vector<std::vector<int64_t>> cuts_of(const Region& region, size_t vector_dimension);

// row_chunks.cc: long rows, whose sums are joined in pairs
/// A row has `count` chunks, each of `turns` turns of the loop over `dimension` and all dimensions inside of it.
struct RowChunks {
  size_t dimension;
  int64_t turns, count;
};

/// Maximum number of products of a dot that is summed in order, as in XLA, in rows and alone: joining lanes would cost
/// as much.
inline constexpr int64_t kMaxShortDotOfRow = 8, kMaxShortDot = 32;

/// Splits a long row; returns nullopt for a short row, whose sums are computed in order. The split is at the row's
/// innermost dimension at which there are too many turns. Chunks are as equal as possible. They depend on the shapes
/// alone, so a sum has the same bits for any number of threads.
std::optional<RowChunks> row_chunks_of(const Region& region, const RegionShape& shape);

// node_facts.cc: the loops with which each node changes
struct NodeFacts {
  uint64_t dimensions = 0;  ///< bit k: the value changes with domain dimension k
  int stage = 0;            ///< the number of reductions before it
  bool varies = false;      ///< whether it changes along the vector dimension
  bool in_row = false;      ///< whether it changes along the row
  int level = -1;           ///< the innermost dimension it changes with; -1 for none
  /// Whether it is an f16 or bf16 value that only maxima and minima use. Rounding keeps the order, so it stays in f32,
  /// in which it is computed, and only the remaining element is rounded.
  bool rounds_late = false;
  /// Whether more than a few nodes of the region compute this function: its code then exists once, and all call it.
  bool is_called = false;
};

/// Whether vectors go across rows: each lane has a row.
inline bool is_column(const Region& region, const RegionShape& shape) {
  return region.has_row() && shape.vector_dimension < region.row_begin;
}

/// Returns the facts of each node.
std::vector<NodeFacts> node_facts(const Region& region, const RegionShape& shape);

/// Calls `visit` with each node that is a term of an index or guard of this one.
template <typename Visitor>
void for_each_term(const RegionNode& node, const Visitor& visit) {
  for (const IndexTerm& t : node.index.terms) visit(t.node);
  for (const Guard& g : node.guards) {
    for (const IndexTerm& t : g.index.terms) visit(t.node);
  }
}

// row_loops.cc: the loops over a row
struct RowLoops {
  int count = 0;                             ///< one loop per stage with work
  std::vector<std::vector<bool>> evaluated;  ///< per loop, per node: whether the loop computes or reads it
  /// Per node: the loop that writes it to the row's tile, where later loops read it; -1 if it isn't stored. Expensive
  /// values are stored while the tiles fit in the L1 cache.
  std::vector<int> stored_in;
};

RowLoops row_loops_of(const Region& region, const RegionShape& shape, const std::vector<NodeFacts>& nodes);

struct RegionFacts {
  RegionShape shape;
  std::optional<RowChunks> chunks;
  std::vector<NodeFacts> nodes;
  std::vector<std::vector<uint32_t>> column_loads;
  std::vector<std::vector<int64_t>> cuts;  ///< cuts_of a map that isn't folded along these dimensions
  RowLoops row;
};

/// Returns the facts of a region whose columns aren't written out.
RegionFacts analyse_region(const Region& region, Isa isa);
/// The same for a region of columns_of.
RegionFacts analyse_columns(const Region& region, Isa isa);

}  // namespace hilo::cpu
