// SPDX-License-Identifier: Apache-2.0
// engine/regions.h -- a region: one loop nest over one domain, with what it reads, computes and writes. Plain data.
#pragma once

#include <string>

#include "hilo/engine/costs.h"
#include "hilo/engine/graph.h"

namespace hilo::engine {

/// A runtime term of an index: coefficient * (value of region node `node`, an i64).
struct IndexTerm {
  uint32_t node;
  int64_t coefficient;
  bool operator==(const IndexTerm&) const = default;
};

/// constant + sum(coefficients[k] * i_k) + sum(terms), over the domain's loop indices i_k. Missing coefficients are
/// zero and there are no trailing zeros, so that equal expressions compare equal.
struct IndexExpr {
  int64_t constant = 0;
  std::vector<int64_t> coefficients;
  std::vector<IndexTerm> terms;

  static IndexExpr dimension(size_t k);
  int64_t coefficient(size_t k) const { return k < coefficients.size() ? coefficients[k] : 0; }
  bool operator==(const IndexExpr&) const = default;
};
IndexExpr operator+(const IndexExpr& a, const IndexExpr& b);
IndexExpr operator*(const IndexExpr& a, int64_t factor);
IndexExpr plus(IndexExpr a, int64_t constant);

/// low <= index < high.
struct Guard {
  IndexExpr index;
  int64_t low, high;
  bool operator==(const Guard&) const = default;
};

enum class NodeKind : uint8_t {
  kLoad,          ///< element `index` of buffer `input` where all guards hold, else zero
  kIndex,         ///< the number `index`, converted to `type`
  kConstant,      ///< the scalar in `bits`
  kOp,            ///< an elementwise instruction on operands
  kClampedIndex,  ///< operand 0, an integer, clamped to [0, limit], as i64
  kGuarded,       ///< operand 0 where all guards hold, else operand 1
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
  // two other operands, anything else applies `body`.
  uint32_t count = 0;
  bool is_dot = false;
  const hlo::Computation* body = nullptr;

  uint32_t initial(size_t k) const { return operands[operands.size() - count + k]; }
};

/// What a kReduce node computes.
hlo::ReducerKind reducer_of(const RegionNode& reduce);

/// What is written: element `index` of the output buffer gets `node`.
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

/// Domain dimensions are outer ones [0, row_begin), then the row's. A region with a row has kReduce nodes over all row
/// dimensions; stages follow from data flow. Nodes are in topological order.
struct Region {
  std::vector<int64_t> extents;
  size_t row_begin = 0;
  std::vector<RegionNode> nodes;
  std::vector<RegionInput> inputs;
  std::vector<RegionOutput> outputs;
  ValueId root = kNoValue;  ///< the value that decides when the region runs
  /// For a dynamic-update-slice root: the output is written into the memory of this value.
  ValueId updated = kNoValue;

  bool has_row() const { return row_begin < extents.size(); }
};

/// Does the region only copy elements of one value to another, each where it is or elsewhere?
bool copies_elements(const Region& region);

/// Drops dimensions of extent one and merges neighbours that every index crosses in step.
void merge_dimensions(Region& region);

/// Nanoseconds that one thread takes for it, roughly.
double region_cost(const Region& region, const Costs& costs);

/// All that the code of a region depends on, in text; equal texts mean equal code.
std::string canonical_text(const Region& region);

/// Values that are computed by regions, and the nodes that aren't.
struct RegionGraph {
  std::vector<Region> regions;        ///< by ascending root
  std::vector<uint32_t> other_nodes;  ///< heroes, loops, fallbacks, ascending
};

/// Groups the graph's nodes into regions.
StatusOr<RegionGraph> form_regions(const Graph& graph, const Costs& costs);

/// Nodes that regions can compute; all others are run one by one.
bool is_region_op(const Graph& graph, const Node& node, const Costs& costs);

}  // namespace hilo::engine
