// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/loop_forms.h"

#include <algorithm>

#include "hilo/backend/cpu/emit/region/index.h"
#include "hilo/backend/cpu/emit/region/loop.h"
#include "hilo/backend/cpu/emit/region/node_traits.h"
#include "hilo/backend/cpu/emit/region/nodes.h"
#include "hilo/backend/cpu/emit/region/reducer.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

// a short row is unrolled; for more nodes, compiling would cost more than it saves
constexpr int64_t kMaxUnrolledNodes = 64;
constexpr int64_t kMaxNodesTwice = 64;  // up to this number, the last vector has separate code

/// The extent of a row dimension in tiles. The vectors of a line don't overlap there: a load that needs parts of two
/// stores waits until both are in the cache.
int64_t tile_extent(const RegionState& s, size_t k) {
  const int64_t extent = s.region.extents[k], lanes = s.facts.shape.lanes;
  return s.is_vector(k) ? (extent + lanes - 1) / lanes * lanes : extent;
}

/// Emits the number of elements since the row's start. In columns every lane has its own row.
Value* tile_index(RegionState& s, uint32_t n) {
  Value* index = s.scalar.index(0);
  for (size_t k = s.region.row_begin; k < s.region.extents.size(); ++k) {
    index = s.ir.CreateMul(index, s.scalar.index(tile_extent(s, k)));
    // Loops inside the node's level haven't begun: its value is the same for all their turns.
    if (static_cast<int>(k) > s.facts.nodes[n].level) continue;
    index = s.ir.CreateAdd(index, s.is_vector(k) ? s.vector_begin : s.position.indices[k]);
  }
  return s.across_rows() ? s.ir.CreateMul(index, s.scalar.index(s.facts.shape.lanes)) : index;
}

void store_tile(RegionState& s, uint32_t n, Value* value) {
  const ElementType type = accumulator_type(s.region.nodes[n].type);
  if (s.facts.nodes[n].varies) s.wide.store(type, value, s.tiles[n], tile_index(s, n));
  else s.scalar.store_scalar(type, value, s.tiles[n], tile_index(s, n));
}

Value* load_tile(RegionState& s, uint32_t n) {
  const ElementType type = accumulator_type(s.region.nodes[n].type);
  return s.facts.nodes[n].varies ? s.wide.load(type, s.tiles[n], tile_index(s, n))
                                 : s.scalar.load_scalar(type, s.tiles[n], tile_index(s, n));
}

using Reductions = std::vector<const RegionNode*>;

/// Returns the reductions of row loop `loop`.
Reductions reductions_of(const RegionState& s, int loop) {
  Reductions reductions;
  for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
    const RegionNode& node = s.region.nodes[n];
    if (node.kind == NodeKind::kReduce && s.facts.nodes[n].stage == loop) reductions.push_back(&node);
  }
  return reductions;
}

/// Calls `use` with each reduction and its accumulators, which are a part of `all`.
void for_each_reduction(const RegionState& s, const Reductions& reductions, const Values& all,
                        const std::function<void(const RegionNode& reduce, Values accumulators)>& use) {
  auto at = all.begin();
  for (const RegionNode* reduce : reductions) {
    const auto end = at + static_cast<std::ptrdiff_t>(accumulator_count(*reduce, s.wide.isa()));
    use(*reduce, Values(at, end));
    at = end;
  }
}

/// Emits the accumulators after the elements of one vector.
Values accumulate_point(RegionState& s, const RegionNode& reduce, const Values& accumulators) {
  if (reduce.is_dot) return {multiply_add(s, reduce, accumulators[0])};
  Values elements;
  for (size_t k = 0; k < reduce.count; ++k) elements.push_back(value_of(s, reduce.operands[k], true));
  return accumulate(s, reduce, accumulators, elements);
}

/// Emits one vector of the innermost row loop: updates the accumulators and stores final values.
Values emit_row_point(RegionState& s, int loop, const Reductions& reductions, const Values& carried) {
  Values next;
  for_each_reduction(s, reductions, carried, [&](const RegionNode& reduce, const Values& accumulators) {
    Values combined = accumulate_point(s, reduce, accumulators);
    const bool may_repeat = !reduce.is_dot && is_extreme(reduce);
    if (s.valid_lanes != nullptr && !s.across_rows() && !may_repeat) {
      for (size_t k = 0; k < combined.size(); ++k)
        combined[k] = s.ir.CreateSelect(s.valid_lanes, combined[k], accumulators[k]);
    }
    next.insert(next.end(), combined.begin(), combined.end());
  });
  store_outputs(s, true, loop);
  return next;
}

/// Returns a mask for the vector that begins at `at` when the loop is at `i`. Lane j is element at + j. If that is less
/// than i, an earlier vector has already processed it.
Value* lanes_not_seen(RegionState& s, Value* i, Value* at) {
  Value* seen = s.ir.CreateTrunc(s.ir.CreateSub(i, at), s.ir.getInt32Ty());
  return s.ir.CreateICmpSGE(s.wide.lane_numbers(seen->getType()), s.wide.splat(seen));
}

/// Emits a node of the row, or loads the value that an earlier loop stored.
void emit_row_node(RegionState& s, uint32_t n, int loop) {
  const bool wide = s.facts.nodes[n].varies;
  const int stored_in = s.facts.row.stored_in[n];
  if (stored_in >= 0 && stored_in < loop) return set_value(s, n, load_tile(s, n), wide);
  emit_node(s, n);
  if (stored_in == loop) store_tile(s, n, value_of(s, n, wide));
}

/// Whether the last vector of row dimension k, which overlaps the previous one, is a separate turn. The vectors of the
/// loop need no bound and no mask then. AVX-512's masks are operands of instructions.
bool has_last_turn(const RegionState& s, size_t k) {
  return s.is_vector(k) && s.region.extents[k] % s.facts.shape.lanes != 0 && !is_cut(s, k) &&
         s.wide.isa() != Isa::kAvx512 && weighted_nodes(s.region) <= kMaxNodesTwice;
}

/// Returns the number of registers of a vector of f32.
int64_t registers_of_floats(const RegionState& s) {
  return std::max<int64_t>(s.facts.shape.lanes * element_size_bytes(ElementType::kF32) / vector_bytes(s.wide.isa()), 1);
}

/// Emits the loop over row dimension k; `carried` are the accumulators of all reductions of this stage.
Values emit_row(RegionState& s, size_t k, int loop, const Reductions& reductions, const Values& carried) {
  if (k == s.region.extents.size()) return emit_row_point(s, loop, reductions, carried);
  const int64_t step = s.is_vector(k) ? s.facts.shape.lanes : 1;
  const bool ends_apart = has_last_turn(s, k);
  const Position before = s.position;
  const auto turn = [&](Value* i, const Values& now) {
    const bool is_whole = ends_apart && !llvm::isa<llvm::Constant>(i);
    Value* at = is_whole ? i : bounded(s, k, i, s.extent(k), step);
    if (s.is_vector(k)) s.vector_begin = i;
    if (s.is_vector(k)) s.valid_lanes = s.facts.shape.overlaps && !is_whole ? lanes_not_seen(s, i, at) : nullptr;
    enter(s, k, at);
    for (uint32_t n : row_nodes(s, loop, k)) emit_row_node(s, n, loop);
    Values next = emit_row(s, k + 1, loop, reductions, now);
    s.position = before;
    return next;
  };
  const int64_t turns = (s.region.extents[k] + step - 1) / step;
  const int64_t registers = s.across_rows() ? registers_of_floats(s) : 1;  // LLVM mixes the loads of unrolled rows
  if (is_cut(s, k) || turns * weighted_nodes(s.region) * registers > kMaxUnrolledNodes) {
    if (!ends_apart) return row_loop(s, k, step, carried, turn);
    Value* const end = s.scalar.index(s.region.extents[k] / step * step);
    return turn(end, counted_loop(s, k, s.scalar.index(0), end, step, carried, turn));
  }
  Values now = carried;
  for (int64_t t = 0; t < turns; ++t) now = turn(s.scalar.index(t * step), now);
  return now;
}

/// Emits the loop over the row that computes the reductions of stage `loop`, and their results.
void emit_stage(RegionState& s, int loop) {
  const Reductions reductions = reductions_of(s, loop);
  Values initial;
  Reductions reduction_of;  // one per accumulator
  for (const RegionNode* reduce : reductions) {
    const Values neutral = neutral_values(s, *reduce);
    initial.insert(initial.end(), neutral.begin(), neutral.end());
    reduction_of.insert(reduction_of.end(), neutral.size(), reduce);
  }
  const Values last =
      in_chunks(s, initial, reduction_of, [&] { return emit_row(s, s.region.row_begin, loop, reductions, initial); });
  for_each_reduction(s, reductions, last, [&](const RegionNode& reduce, Values accumulators) {
    s.reduced[&reduce - s.region.nodes.data()] = finish_reduce(s, reduce, std::move(accumulators));
  });
}

}  // namespace

void make_tiles(RegionState& s) {
  int64_t elements = s.across_rows() ? s.facts.shape.lanes : 1;
  for (size_t k = s.region.row_begin; k < s.region.extents.size(); ++k) elements *= tile_extent(s, k);
  for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
    if (s.facts.row.stored_in[n] < 0) continue;
    s.tiles[n] = s.scalar.stack(elements * std::max(element_size_bytes(s.region.nodes[n].type), 4));
  }
}

void row_stages(RegionState& s) {
  for (int loop = 0; loop < s.facts.row.count; ++loop) {
    emit_stage(s, loop);
    // Row values are only valid in their loop.
    for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
      if (s.facts.nodes[n].in_row) s.values[n] = {};
    }
    for (uint32_t n = 0; n < s.region.nodes.size(); ++n) {
      if (!s.facts.nodes[n].in_row && s.facts.nodes[n].stage == loop + 1) emit_node(s, n);
    }
  }
}

}  // namespace hilo::cpu
