// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region_emitter.h -- the state of a region's code while it is being written.
#pragma once

#include <llvm/IR/Module.h>

#include <limits>

#include "hilo/backend/cpu/emit/partial_sums.h"
#include "hilo/backend/cpu/emit/region_analysis.h"
#include "hilo/backend/cpu/emit/simd.h"
#include "hilo/engine/region_poll.h"
#include "hilo/hlo/ir/computation.h"

namespace hilo::cpu {

class RegionEmitter {
 public:
  RegionEmitter(llvm::IRBuilder<>& ir, Isa isa, const Region& region);

  /// Per input: the register value of a buffer's only element, if it is known; null otherwise. Before emit().
  void know_inputs(Values known) { known_ = std::move(known); }

  /// Writes the loops at the builder's place. `buffers` are pointers to the region's inputs, then outputs.
  Status emit(const Values& buffers, llvm::Value* begin, llvm::Value* end);

  /// After emit(): the scalar that output `k` got if the region writes just that one, at the builder's place; else null.
  llvm::Value* stored(size_t k) const { return stored_[k]; }

 private:
  /// A node's value: one of them or both, the wide one made from the scalar on demand.
  struct Slot {
    llvm::Value* scalar = nullptr;
    llvm::Value* wide = nullptr;
  };
  struct Position {
    Values partial;                     ///< per index expression: its sum over the loops entered so far
    std::vector<llvm::Value*> indices;  ///< per dimension
  };

  // region_emitter.cc: loops
  void emit_outer(size_t k);
  bool is_transposing() const;
  void emit_tiles(llvm::Value* from, llvm::Value* to);
  void emit_stages();
  Values emit_row(size_t k, int loop, const Values& carried);
  Values emit_row_point(int loop, const Values& carried);
  /// `inside` with dimension k entered at from, from + step, ... below to; the last step ends at `to`.
  void loop_over(size_t k, llvm::Value* from, llvm::Value* to, int64_t step, const std::function<void()>& inside);
  using LoopBody = std::function<Values(llvm::Value*, const Values&)>;
  /// SimdBuilder::counted_loop over dimension k, which looks at the stop word now and then if it is the one to do so.
  Values counted_loop(size_t k, llvm::Value* from, llvm::Value* to, int64_t step, const Values& carried,
                      const LoopBody& body);
  /// `end`, or `begin` if the work is to stop: a loop between them is left out then.
  llvm::Value* end_unless_stopped(llvm::Value* begin, llvm::Value* end);
  void enter(size_t k, llvm::Value* index);
  llvm::Value* bounded(size_t k, llvm::Value* i, llvm::Value* end, int64_t step);
  void emit_level(int level);
  void store_outputs(bool in_row, int loop);
  void fail(const Status& status) {
    if (status_.ok()) status_ = status;
  }

  // region_cuts.cc: loops between the places where guards change
  /// Of a node's guards those that hold all along the current stretches, or don't, need no code.
  enum class GuardState { kInside, kOutside, kMixed };
  struct Stretch {
    int64_t first, end;
  };
  GuardState guard_state(const Guard& guard) const;
  GuardState guard_state(const RegionNode& node) const;
  void loop_over_cuts(size_t k, llvm::Value* from, llvm::Value* to, const std::function<void()>& inside);
  void loop_within(size_t k, Stretch stretch, llvm::Value* from, llvm::Value* to, const std::function<void()>& inside);
  void cut_fixed_vectors(size_t k, const std::function<void()>& inside);
  void cut_vectors(size_t k, llvm::Value* from, llvm::Value* to, const std::function<void()>& inside);
  void at_index(size_t k, llvm::Value* index, const std::function<void()>& inside);
  std::vector<Stretch> stretches_of_cuts(size_t k) const;

  // region_sums.cc: long sums, in stretches
  Values in_stretches(const Values& neutral, const std::vector<const RegionNode*>& reductions,
                      const std::function<Values()>& loops);
  Values row_loop(size_t k, int64_t step, const Values& carried,
                  const std::function<Values(llvm::Value* i, const Values& now)>& turn);
  Values end_stretch(const Values& neutral, const Values& sums);
  bool is_cut(size_t k) const { return partial_ != nullptr && facts_.stretches->dimension == k; }

  // region_short_rows.cc: rows of few elements, turned into columns
  int64_t short_row_of(const IndexExpr& index, ElementType type) const;
  void make_short_rows();
  void load_short_rows();
  void store_short_rows();
  llvm::Value* column_in_tile(const IndexExpr& index);

  // region_block.cc: matrix products, several rows at once
  void emit_blocks(llvm::Value* from, llvm::Value* to);
  void emit_block();
  Values emit_block_row(size_t k, const RegionNode& dot, const Values& carried);
  void emit_in_block(uint32_t n);
  void for_each_row(const std::function<void(size_t row)>& emit);
  bool differs_by_row(uint32_t n) const { return (facts_.nodes[n].dimensions >> block_dimension() & 1) != 0; }
  std::vector<bool> needed_by_row() const;
  size_t block_dimension() const { return region_.row_begin - 2; }

  // region_nodes.cc: nodes
  void emit_node(uint32_t n);
  llvm::Value* emit_load(uint32_t n, bool wide);
  llvm::Value* emit_op(uint32_t n, bool wide);
  llvm::Value* emit_bitcast(const RegionNode& n, bool wide);
  llvm::Value* emit_index(const RegionNode& n, uint32_t expression, bool wide);
  llvm::Value* emit_clamped(const RegionNode& n, bool wide);
  llvm::Value* value_of(uint32_t n, bool wide);
  llvm::Value* constant_of(const RegionNode& n, bool wide);
  void set_value(uint32_t n, llvm::Value* value, bool wide);
  llvm::Value* scalar_index(uint32_t expression);
  llvm::Value* lane_indices(uint32_t expression, llvm::Type* number);
  llvm::Value* index_in(uint32_t expression, bool wide);
  bool has_varying_terms(uint32_t expression) const;
  /// From one lane to the next, if that is the same for all; else kIrregular, in folded dimensions.
  int64_t lane_step(uint32_t expression) const;
  static constexpr int64_t kIrregular = std::numeric_limits<int64_t>::min();
  llvm::Value* guard_mask(uint32_t n, bool& wide);

  // region_gather.cc: loads whose places are known at run time alone
  llvm::Value* emit_scattered_load(uint32_t n, llvm::Value* mask);
  std::vector<int64_t> rows_of_lanes(const IndexExpr& index) const;
  llvm::IntegerType* type_of_places(const IndexExpr& index);
  /// Per lane: how much more it most likely is than in lane 0; none if that isn't known.
  using LaneOffsets = std::optional<std::vector<int64_t>>;
  std::vector<LaneOffsets> likely_offsets(uint32_t end) const;  ///< of all nodes before that one
  LaneOffsets likely_offsets_of(uint32_t expression, const std::vector<LaneOffsets>& known) const;
  LaneOffsets likely_offsets_of_node(uint32_t n, const std::vector<LaneOffsets>& known) const;
  LaneOffsets likely_offsets_of_op(const RegionNode& n, const std::vector<LaneOffsets>& known) const;

  // region_fold.cc: vectors along two dimensions at once
  void emit_folded(llvm::Value* from, llvm::Value* to);
  bool is_folded() const { return facts_.shape.folded > 1; }
  std::vector<int64_t> fold_offsets(uint32_t expression) const;
  std::vector<int64_t> lane_offsets(uint32_t expression) const;
  llvm::Constant* lane_constants(uint32_t expression, llvm::Type* number);
  llvm::Value* emit_irregular_load(uint32_t n, llvm::Value* mask, bool wide_mask);
  void store_output(const RegionOutput& output, uint32_t expression);

  // region_reduce.cc: reducers
  Values neutral_values(const RegionNode& reduce);
  Values combine(const RegionNode& reduce, const Values& a, const Values& b, bool wide);
  Values join_lanes(const RegionNode& reduce, const Values& a, const Values& b);
  llvm::Value* multiply_add(const RegionNode& dot, llvm::Value* accumulator);
  Values emit_body(const hlo::Computation& body, const Values& arguments, bool wide);
  Values finish_reduce(const RegionNode& reduce, Values accumulators);
  void store_tile(uint32_t n, llvm::Value* value);
  llvm::Value* load_tile(uint32_t n);
  llvm::Value* tile_index(uint32_t n);

  SimdBuilder& builder(bool wide) { return wide ? wide_ : scalar_; }
  bool is_column() const { return region_.has_row() && facts_.shape.vector_dimension < region_.row_begin; }
  bool is_vector(size_t k) const { return facts_.shape.lanes > 1 && k == facts_.shape.vector_dimension; }

  const Region& region_;
  RegionFacts facts_;
  std::optional<PolledLoop> polled_;
  llvm::IRBuilder<>& ir_;
  SimdBuilder scalar_, wide_;
  Values buffers_;
  Values known_;   ///< empty, or per input
  Values stored_;  ///< per output
  llvm::Value* begin_ = nullptr;
  llvm::Value* end_ = nullptr;
  std::vector<Slot> slots_;
  std::vector<Values> reduced_;      ///< per kReduce node: its results
  std::vector<llvm::Value*> tiles_;  ///< per node: stack memory of a kept row value
  Values loaded_rows_;               ///< per node: stack memory of columns that short rows became, or null
  Values stored_rows_;               ///< per output: of columns that will become short rows
  std::vector<const IndexExpr*> expressions_;
  std::vector<uint32_t> node_expression_;                 ///< per node: of its index
  std::vector<std::vector<uint32_t>> guard_expressions_;  ///< per node, per guard
  std::vector<uint32_t> output_expression_;
  Position position_;
  std::vector<std::optional<Stretch>> here_;  ///< per dimension: the stretch between cuts that the code is for
  std::vector<std::vector<Slot>> row_slots_;  ///< in a block, per row: what slots_ is elsewhere
  int64_t first_lane_ = 0;                    ///< in folded dimensions: elements of this turn before the vector
  size_t row_ = 0;                            ///< in a block: the row that is being emitted
  llvm::Value* valid_lanes_ = nullptr;        ///< in a row's last, overlapping vector: the lanes not seen before
  PartialSums* partial_ = nullptr;            ///< in a row with stretches, those of its sums
  std::vector<const RegionNode*> summed_;     ///< of each accumulator there: the reduction if it is a sum, else null
  Status status_;
};

}  // namespace hilo::cpu
