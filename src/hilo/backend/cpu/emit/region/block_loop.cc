// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/loop_forms.h"

#include <algorithm>

#include "hilo/backend/cpu/emit/region/facts.h"
#include "hilo/backend/cpu/emit/region/index.h"
#include "hilo/backend/cpu/emit/region/loop.h"
#include "hilo/backend/cpu/emit/region/nodes.h"
#include "hilo/backend/cpu/emit/region/reducer.h"
#include "hilo/base/sizes.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

bool differs_by_row(const RegionState& s, uint32_t n) {
  return (s.facts.nodes[n].dimensions >> block_dimension(s.region) & 1) != 0;
}

/// Returns per node whether it is outside the row and the row's loop reads it.
std::vector<bool> needed_by_row(const RegionState& s) {
  std::vector<bool> needed(s.region.nodes.size(), false);
  for (uint32_t n = size32(s.region.nodes); n-- > 0;) {
    const RegionNode& node = s.region.nodes[n];
    if (node.kind == NodeKind::kReduceResult || (!s.facts.nodes[n].in_row && !needed[n])) continue;
    for (uint32_t o : node.operands) needed[o] = true;
    for_each_term(node, [&](uint32_t term) { needed[term] = true; });
  }
  return needed;
}

void for_each_row(RegionState& s, const std::function<void(size_t row)>& emit) {
  for (size_t row = 0; row < s.block.values.size(); ++row) {
    s.block.row = row;
    s.values.swap(s.block.values[row]);
    emit(row);
    s.values.swap(s.block.values[row]);
  }
  s.block.row = 0;
}

/// Emits the node once for all rows, or once for each.
void emit_in_block(RegionState& s, uint32_t n) {
  if (differs_by_row(s, n)) return for_each_row(s, [&](size_t) { emit_node(s, n); });
  emit_node(s, n);
  for (std::vector<NodeValue>& values : s.block.values) values[n] = s.values[n];
}

/// Emits the loop over row dimension k; `carried` are the sums of all rows of the block.
Values emit_block_row(RegionState& s, size_t k, const RegionNode& dot, const Values& carried) {
  if (k == s.region.extents.size()) {
    Values next;
    for_each_row(s, [&](size_t row) { next.push_back(multiply_add(s, dot, carried[row])); });
    return next;
  }
  const Position before = s.position;
  const auto turn = [&](Value* i, const Values& now) {
    enter(s, k, i);
    for (uint32_t n : row_nodes(s, 0, k)) emit_in_block(s, n);
    Values next = emit_block_row(s, k + 1, dot, now);
    s.position = before;
    return next;
  };
  if (s.region.extents[k] == 1) return turn(s.scalar.index(0), carried);
  return row_loop(s, k, 1, carried, turn);
}

void emit_block(RegionState& s) {
  s.block.values.assign(s.facts.shape.block_rows, s.values);
  const auto dot_at = std::ranges::find(s.region.nodes, NodeKind::kReduce, &RegionNode::kind);
  const RegionNode& dot = *dot_at;
  const std::vector<bool> needed = needed_by_row(s);
  const auto is_before = [&](uint32_t n) {
    return s.facts.nodes[n].stage == 0 && !s.facts.nodes[n].in_row && differs_by_row(s, n);
  };
  for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
    if (is_before(n) && needed[n]) emit_in_block(s, n);
  }
  Values sums;
  for_each_row(s, [&](size_t) { sums.push_back(neutral_values(s, dot)[0]); });
  const std::vector<const RegionNode*> reductions(sums.size(), &dot);
  sums = in_chunks(s, sums, reductions, [&] { return emit_block_row(s, s.region.row_begin, dot, sums); });
  // Values that only later code needs are loaded here: until then the sums need the registers.
  for_each_row(s, [&](size_t row) {
    s.reduced[dot_at - s.region.nodes.begin()] = finish_reduce(s, dot, {sums[row]});
    for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
      if ((is_before(n) && !needed[n]) || (!s.facts.nodes[n].in_row && s.facts.nodes[n].stage == 1)) emit_node(s, n);
    }
    store_outputs(s, false, 0);
  });
  s.block.values.clear();
}

}  // namespace

void block_loops(RegionState& s, Value* from, Value* to) {
  const size_t rows = block_dimension(s.region), columns = s.facts.shape.vector_dimension;
  const auto emit_columns = [&] {
    for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
      const NodeFacts& f = s.facts.nodes[n];
      if (f.level == static_cast<int>(columns) && f.stage == 0 && !f.in_row && !differs_by_row(s, n)) emit_node(s, n);
    }
    plain_loop(s, rows, from, to, s.facts.shape.block_rows, [&] { emit_block(s); });
  };
  plain_loop(s, columns, s.scalar.index(0), s.extent(columns), s.facts.shape.lanes, emit_columns);
}

}  // namespace hilo::cpu
