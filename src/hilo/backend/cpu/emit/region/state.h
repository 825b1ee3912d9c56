// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/state.h -- the state of a region's code generation. Loop forms are functions over it, one
// file each; docs/contributing/engine.md explains their order.
#pragma once

#include "hilo/backend/cpu/emit/partial_sums.h"
#include "hilo/backend/cpu/emit/region/facts.h"
#include "hilo/backend/cpu/emit/simd.h"
#include "hilo/engine/region_poll.h"

namespace hilo::cpu {

/// A node's value, as a scalar, a vector or both. The vector is created from the scalar on demand.
struct NodeValue {
  llvm::Value* scalar = nullptr;
  llvm::Value* wide = nullptr;
};

struct Position {
  Values partial;  ///< per index expression: its sum over the loops entered so far
  Values indices;  ///< per dimension
};

struct CutRange {
  int64_t first, end;
};

/// A block of rows of a matrix product (block_loop.cc).
struct BlockState {
  std::vector<std::vector<NodeValue>> values;  ///< per row: the values, as in RegionState::values
  int64_t row = 0;                             ///< the row that is being emitted
};

/// Rows of few elements that are stored as columns on the stack (row_columns.cc).
struct RowColumns {
  Values loaded;  ///< per node: memory of the columns, or null
  Values stored;  ///< per output
};

/// A row that is split into chunks (sum_loop.cc).
struct LongSums {
  PartialSums* partial = nullptr;             ///< of the sums
  std::vector<const RegionNode*> reductions;  ///< per accumulator: the reduction if it is a sum, otherwise null
};

struct RegionState {
  RegionState(llvm::IRBuilder<>& builder, Isa isa, const Region& described, RegionFacts decided, Values pointers,
              Values known_inputs);

  const Region& region;
  RegionFacts facts;
  std::vector<const IndexExpr*> expressions;  ///< all of the region; the lists below are indices into it
  std::vector<uint32_t> node_expression, output_expression;
  std::vector<std::vector<uint32_t>> guard_expressions;  ///< per node, per guard

  llvm::IRBuilder<>& ir;
  SimdBuilder scalar, wide;
  Values buffers;  ///< pointers to the inputs, then the outputs
  Values known;    ///< empty, or per input: the register value of its only element, or null

  Position position;
  std::vector<NodeValue> values;
  std::vector<Values> reduced;  ///< per kReduce node: its results
  Values stored;                ///< per output: its value if the region writes just one element, otherwise null
  Values tiles;                 ///< per node: stack memory of a stored row value
  Status status;                ///< the first error

  // State of single loop forms; other forms leave it at the default.
  std::optional<engine::PolledLoop> polled;
  std::vector<std::optional<CutRange>> here;  ///< cut_loop: per dimension, the range between cuts that the code is for
  int64_t first_lane = 0;                     ///< folded_loop: elements of this turn before the vector
  llvm::Value* valid_lanes = nullptr;         ///< row: in its last, overlapping vector, the lanes not processed before
  llvm::Value* vector_begin = nullptr;        ///< row: where the vector would begin if the last one didn't overlap
  BlockState block;
  RowColumns columns;
  LongSums sums;

  SimdBuilder& builder(bool is_wide) { return is_wide ? wide : scalar; }
  bool across_rows() const { return is_column(region, facts.shape); }
  bool is_vector(size_t k) const { return facts.shape.lanes > 1 && k == facts.shape.vector_dimension; }
  bool is_folded() const { return facts.shape.folded > 1; }
  llvm::Constant* extent(size_t k) { return scalar.index(region.extents[k]); }
  void fail(const Status& error) {
    if (status.ok()) status = error;
  }
};

/// Returns the node's value. If it has none yet, fails the region with INTERNAL.
llvm::Value* value_of(RegionState& s, uint32_t n, bool wide);

/// Sets the node's value. Does nothing if `value` is null.
void set_value(RegionState& s, uint32_t n, llvm::Value* value, bool wide);

}  // namespace hilo::cpu
