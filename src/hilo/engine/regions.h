// SPDX-License-Identifier: Apache-2.0
// engine/regions.h -- a region: one loop nest over one domain, with its loads, nodes and outputs. Plain data.
#pragma once

#include <string>

#include "hilo/engine/costs.h"
#include "hilo/engine/graph.h"

namespace hilo::engine {

/// A term of an index that is known at run time: coefficient * (value of region node `node`, an i64).
struct IndexTerm {
  uint32_t node;
  int64_t coefficient;
  bool operator==(const IndexTerm&) const = default;
};

/// The sum constant + sum(coefficients[k] * i_k) + sum(terms), over the domain's loop indices i_k. Missing coefficients
/// are zero and trailing zeros are removed, so equal expressions compare equal.
struct IndexExpr {
  int64_t constant = 0;
  std::vector<int64_t> coefficients;
  std::vector<IndexTerm> terms;

  static IndexExpr dimension(size_t k);
  int64_t coefficient(size_t k) const { return k < coefficients.size() ? coefficients[k] : 0; }
  /// Removes the zeros at the end of `coefficients`, so that equal expressions compare equal.
  void drop_zeros();
  bool operator==(const IndexExpr&) const = default;
};
IndexExpr operator+(const IndexExpr& a, const IndexExpr& b);
IndexExpr operator*(const IndexExpr& a, int64_t factor);
IndexExpr plus(IndexExpr a, int64_t constant);
/// The least and the greatest value over a domain, without the terms, which are known at run time.
struct IndexReach {
  int64_t least, greatest;
};
IndexReach reach_of(const IndexExpr& e, std::span<const int64_t> extents);
/// Returns the expression for these values of i_begin, i_(begin + 1), ..., the last dimensions.
IndexExpr at_indices(IndexExpr e, size_t begin, std::span<const int64_t> indices);

/// The condition low <= index < high.
struct Guard {
  IndexExpr index;
  int64_t low, high;
  bool operator==(const Guard&) const = default;
};

// cuts.cc
/// The range in which a guard holds along the only dimension that it depends on: [first, end).
struct GuardRange {
  size_t dimension;
  int64_t first, end;
};
/// Limits on the places along a dimension at which the loops of a map are cut, because guards change there, and on the
/// nodes of all parts.
inline constexpr size_t kMaxCuts = 6, kMaxCutNodes = 512;
/// Returns nullopt for a guard that depends on several dimensions or on run-time values.
std::optional<GuardRange> range_of(const Guard& guard, std::span<const int64_t> extents);

enum class NodeKind : uint8_t {
  kLoad,          ///< element `index` of buffer `input` if all guards hold, otherwise zero
  kIndex,         ///< the number `index`, converted to `type`
  kConstant,      ///< the scalar in `bits`
  kOp,            ///< an elementwise instruction on operands
  kClampedIndex,  ///< operand 0, an integer, clamped to [0, limit], as i64
  kGuarded,       ///< operand 0 if all guards hold, otherwise operand 1
  kReduce,        ///< operands (n inputs, n initial values) reduced over the row dimensions
  kReduceResult,  ///< one result of a kReduce
};

inline constexpr uint32_t kNoNode = ~uint32_t{0};

struct RegionNode {
  NodeKind kind{};
  ElementType type{};
  std::vector<uint32_t> operands = {};
  const hlo::Instruction* instruction = nullptr;  ///< kOp, kReduce
  IndexExpr index = {};
  std::vector<Guard> guards = {};
  uint32_t input = 0;   ///< kLoad
  uint64_t bits = 0;    ///< kConstant
  int64_t limit = 0;    ///< kClampedIndex
  uint32_t result = 0;  ///< kReduceResult
  // kReduce: `count` results; the last `count` operands are the initial values. A dot is the sum of the products of its
  // two other operands. Other reductions apply `body`.
  uint32_t count = 0;
  bool is_dot = false;
  const hlo::Computation* body = nullptr;

  uint32_t initial(size_t k) const { return operands[operands.size() - count + k]; }
};

/// Returns the kind of reducer of a kReduce node.
hlo::ReducerKind reducer_of(const RegionNode& reduce);

/// Writes `node` to element `index` of the output buffer.
struct RegionOutput {
  ValueId value;
  uint32_t node;
  IndexExpr index;
  ElementType type;
};

struct RegionInput {
  ValueId value;
  ElementType type;
};

/// The limit on the bytes of a row that are kept from one loop over it to the next. Values of longer rows are computed
/// again.
inline constexpr int64_t kMaxKeptBytes = 32 << 10;  // in the L1 cache

/// Domain dimensions are the outer ones [0, row_begin), then the row's. A region with a row has kReduce nodes over all
/// row dimensions; stages follow from data flow. Nodes are in topological order.
struct Region {
  std::vector<int64_t> extents;
  size_t row_begin = 0;
  std::vector<RegionNode> nodes;
  std::vector<RegionInput> inputs;
  std::vector<RegionOutput> outputs;
  ValueId root = kNoValue;  ///< the value that determines the position of the region in the order
  /// For a dynamic-update-slice root: the value whose memory the output is written to.
  ValueId updated = kNoValue;

  bool has_row() const { return row_begin < extents.size(); }
};

/// Whether the region only copies elements of one value to another, to the same or other indices.
bool copies_elements(const Region& region);

/// Whether one pass over the row computes everything: no value along the row depends on a reduction of it.
bool reads_row_once(const Region& region);

/// Drops dimensions of extent one. Merges neighbouring dimensions that every index traverses in row-major order.
void merge_dimensions(Region& region);

/// Estimates the region's time on one thread, in nanoseconds.
double region_cost(const Region& region, const Costs& costs);

/// Prints everything that the code of a region depends on. Equal texts have equal code.
std::string canonical_text(const Region& region);

/// The values that regions compute, and the nodes that remain.
struct RegionGraph {
  std::vector<Region> regions;        ///< by ascending root
  std::vector<uint32_t> other_nodes;  ///< library calls, loops, fallbacks, ascending
};

/// Groups the graph's nodes into regions.
StatusOr<RegionGraph> form_regions(const Graph& graph, const Costs& costs);

/// Whether regions can compute the node. Other nodes run one by one.
bool is_region_op(const Graph& graph, const Node& node, const Costs& costs);

}  // namespace hilo::engine
