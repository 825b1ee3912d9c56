// SPDX-License-Identifier: Apache-2.0
// Matrix products with the vectors across columns: several rows at once, whose sums stay in registers while a row of the
// shared operand, loaded once, serves all of them. Each element's sum has the same order as without blocks.
#include <algorithm>

#include "hilo/backend/cpu/emit/region_emitter.h"

namespace hilo::cpu {

using llvm::Value;

/// The loops over rows and columns. Columns are outside, so that their part of the shared operand stays in the cache.
void RegionEmitter::emit_blocks(Value* from, Value* to) {
  const size_t rows = block_dimension(), columns = facts_.shape.vector_dimension;
  const auto emit_columns = [&] {
    for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
      const NodeFacts& f = facts_.nodes[n];
      if (f.level == static_cast<int>(columns) && f.stage == 0 && !f.in_row && !differs_by_row(n)) emit_node(n);
    }
    loop_over(rows, from, to, facts_.shape.block_rows, [&] { emit_block(); });
  };
  loop_over(columns, scalar_.index(0), scalar_.index(region_.extents[columns]), facts_.shape.lanes, emit_columns);
}

/// Which nodes outside the row does the row's loop read?
std::vector<bool> RegionEmitter::needed_by_row() const {
  std::vector<bool> needed(region_.nodes.size(), false);
  for (uint32_t n = static_cast<uint32_t>(region_.nodes.size()); n-- > 0;) {
    const RegionNode& node = region_.nodes[n];
    if (node.kind == NodeKind::kReduceResult || (!facts_.nodes[n].in_row && !needed[n])) continue;
    for (uint32_t o : node.operands) needed[o] = true;
    for (const IndexTerm& t : node.index.terms) needed[t.node] = true;
    for (const Guard& g : node.guards) {
      for (const IndexTerm& t : g.index.terms) needed[t.node] = true;
    }
  }
  return needed;
}

void RegionEmitter::emit_block() {
  row_slots_.assign(static_cast<size_t>(facts_.shape.block_rows), slots_);
  const auto dot_at = std::ranges::find(region_.nodes, NodeKind::kReduce, &RegionNode::kind);
  const RegionNode& dot = *dot_at;
  const std::vector<bool> needed = needed_by_row();
  const auto is_before = [&](uint32_t n) {
    return facts_.nodes[n].stage == 0 && !facts_.nodes[n].in_row && differs_by_row(n);
  };
  for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
    if (is_before(n) && needed[n]) emit_in_block(n);
  }
  Values sums;
  for_each_row([&](size_t) { sums.push_back(neutral_values(dot)[0]); });
  const std::vector<const RegionNode*> reductions(sums.size(), &dot);
  sums = in_stretches(sums, reductions, [&] { return emit_block_row(region_.row_begin, dot, sums); });
  // What only the rest reads is loaded here: registers are for the sums until now.
  for_each_row([&](size_t row) {
    reduced_[static_cast<size_t>(dot_at - region_.nodes.begin())] = finish_reduce(dot, {sums[row]});
    for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
      if ((is_before(n) && !needed[n]) || (!facts_.nodes[n].in_row && facts_.nodes[n].stage == 1)) emit_node(n);
    }
    store_outputs(false, 0);
  });
  row_slots_.clear();
}

/// Loop over row dimension k; `carried` are the sums of all rows of the block.
Values RegionEmitter::emit_block_row(size_t k, const RegionNode& dot, const Values& carried) {
  if (k == region_.extents.size()) {
    Values next;
    for_each_row([&](size_t row) { next.push_back(multiply_add(dot, carried[row])); });
    return next;
  }
  const Position before = position_;
  const auto turn = [&](Value* i, const Values& now) {
    enter(k, i);
    for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
      const NodeFacts& f = facts_.nodes[n];
      if (f.in_row && f.level == static_cast<int>(k) && facts_.evaluated[0][n] &&
          region_.nodes[n].kind != NodeKind::kReduce)
        emit_in_block(n);
    }
    Values next = emit_block_row(k + 1, dot, now);
    position_ = before;
    return next;
  };
  if (region_.extents[k] == 1) return turn(scalar_.index(0), carried);
  return row_loop(k, 1, carried, turn);
}

/// Once for all rows, or once for each.
void RegionEmitter::emit_in_block(uint32_t n) {
  if (differs_by_row(n)) return for_each_row([&](size_t) { emit_node(n); });
  emit_node(n);
  for (std::vector<Slot>& slots : row_slots_) slots[n] = slots_[n];
}

void RegionEmitter::for_each_row(const std::function<void(size_t row)>& emit) {
  for (row_ = 0; row_ < row_slots_.size(); ++row_) {
    slots_.swap(row_slots_[row_]);
    emit(row_);
    slots_.swap(row_slots_[row_]);
  }
  row_ = 0;
}

}  // namespace hilo::cpu
