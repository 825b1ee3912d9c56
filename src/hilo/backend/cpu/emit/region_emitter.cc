// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region_emitter.h"

#include <utility>

#include "hilo/backend/cpu/library/costs.h"

namespace hilo::cpu {

using llvm::Value;

namespace {
constexpr int64_t kMaxUnrolledNodes = 64;  // a short row is written out; more would cost more to compile than it saves
constexpr int64_t kTileRows = 16;          // floats of a cache line
constexpr int64_t kTileVectors = 2;  // in the other direction; lines a power of two apart share few sets of a cache
}  // namespace

RegionEmitter::RegionEmitter(llvm::IRBuilder<>& ir, Isa isa, const Region& region)
    : region_(region),
      facts_(analyse_region(region, isa)),
      polled_(polled_loop(region, kCpuCosts)),
      ir_(ir),
      scalar_(ir, isa, 1),
      wide_(ir, isa, facts_.shape.lanes) {
  slots_.resize(region.nodes.size());
  reduced_.resize(region.nodes.size());
  stored_.resize(region.outputs.size());
  tiles_.resize(region.nodes.size());
  const auto add = [&](const IndexExpr& e) {
    expressions_.push_back(&e);
    return static_cast<uint32_t>(expressions_.size() - 1);
  };
  for (const RegionNode& n : region.nodes) {
    node_expression_.push_back(add(n.index));
    guard_expressions_.emplace_back();
    for (const Guard& g : n.guards) guard_expressions_.back().push_back(add(g.index));
  }
  for (const RegionOutput& o : region.outputs) output_expression_.push_back(add(o.index));
}

Status RegionEmitter::emit(const Values& buffers, Value* begin, Value* end) {
  buffers_ = buffers;
  begin_ = begin;
  end_ = end;
  position_.indices.assign(region_.extents.size(), nullptr);
  here_.assign(region_.extents.size(), std::nullopt);
  for (const IndexExpr* e : expressions_) position_.partial.push_back(scalar_.index(e->constant));
  int64_t row = 1;
  for (size_t k = region_.row_begin; k < region_.extents.size(); ++k) row *= region_.extents[k];
  for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
    if (facts_.kept_in[n] < 0) continue;
    const int64_t lanes = is_column() ? facts_.shape.lanes : 1;
    tiles_[n] = scalar_.stack(row * lanes * std::max(element_size_bytes(region_.nodes[n].type), 4));
  }
  make_short_rows();
  emit_level(-1);
  emit_outer(0);
  return status_;
}

/// Loop over outer dimension k and what is inside it.
void RegionEmitter::emit_outer(size_t k) {
  if (k == region_.row_begin) {
    load_short_rows();
    if (region_.has_row()) emit_stages();
    store_short_rows();
    store_outputs(false, 0);
    return;
  }
  Value* from = k == 0 ? begin_ : scalar_.index(0);
  Value* to = k == 0 ? end_ : scalar_.index(region_.extents[k]);
  if (facts_.shape.block_rows > 1 && k == block_dimension()) return emit_blocks(from, to);
  if (k + 1 == facts_.shape.vector_dimension && is_transposing()) return emit_tiles(from, to);
  if (is_folded() && is_vector(k)) return emit_folded(from, to);
  const auto inside = [&] {
    emit_level(static_cast<int>(k));
    emit_outer(k + 1);
  };
  if (!facts_.cuts[k].empty()) return loop_over_cuts(k, from, to, inside);
  loop_over(k, from, to, is_vector(k) ? facts_.shape.lanes : 1, inside);
}

/// Does a vector take its elements from cache lines which the next index of the dimension before needs too?
bool RegionEmitter::is_transposing() const {
  const size_t v = facts_.shape.vector_dimension;
  if (region_.has_row() || is_folded() || facts_.shape.lanes == 1 ||
      region_.extents[v] <= kTileVectors * facts_.shape.lanes)
    return false;
  for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
    const IndexExpr& index = region_.nodes[n].index;
    if (region_.nodes[n].kind == NodeKind::kLoad && std::abs(index.coefficient(v)) > 1 &&
        std::abs(index.coefficient(v - 1)) == 1)
      return true;
  }
  return false;
}

/// The vectors' dimension and the one before, in tiles. The last vector of a line may begin in the tile before.
void RegionEmitter::emit_tiles(Value* from, Value* to) {
  const size_t v = facts_.shape.vector_dimension;
  const int64_t lanes = facts_.shape.lanes;
  Value* const extent = scalar_.index(region_.extents[v]);
  const bool polls = std::exchange(polled_, std::nullopt).has_value();  // tiles are too short to look within
  const auto each_tile = [&](Value* begin, Value* end, int64_t size,
                             const std::function<void(Value*, Value*)>& inside) {
    scalar_.counted_loop(begin, end, scalar_.index(size), {}, [&](Value* i, const Values&) {
      Value* const next = ir_.CreateAdd(i, scalar_.index(size));
      inside(i, ir_.CreateSelect(ir_.CreateICmpSLT(next, end), next, end));
      return Values{};
    });
  };
  each_tile(from, to, kTileRows, [&](Value* row, Value* last_row) {
    Value* const end = polls ? end_unless_stopped(scalar_.index(0), extent) : extent;
    each_tile(scalar_.index(0), end, kTileVectors * lanes, [&](Value* column, Value* last_column) {
      loop_over(v - 1, row, last_row, 1, [&] {
        emit_level(static_cast<int>(v - 1));
        loop_over(v, column, last_column, lanes, [&] {
          emit_level(static_cast<int>(v));
          emit_outer(v + 1);
        });
      });
    });
  });
}

void RegionEmitter::loop_over(size_t k, Value* from, Value* to, int64_t step, const std::function<void()>& inside) {
  const Position before = position_;
  const auto body = [&](Value* i) {
    enter(k, bounded(k, i, to, step));
    inside();
    position_ = before;
  };
  const auto* begin = llvm::dyn_cast<llvm::ConstantInt>(from);
  const auto* end = llvm::dyn_cast<llvm::ConstantInt>(to);
  if (begin != nullptr && end != nullptr && end->getSExtValue() - begin->getSExtValue() == step) return body(from);
  counted_loop(k, from, to, step, {}, [&](Value* i, const Values&) {
    body(i);
    return Values{};
  });
}

Values RegionEmitter::counted_loop(size_t k, Value* from, Value* to, int64_t step, const Values& carried,
                                   const LoopBody& body) {
  if (!polled_ || polled_->dimension != k) return scalar_.counted_loop(from, to, scalar_.index(step), carried, body);
  Value* const stretch = scalar_.index((polled_->turns + step - 1) / step * step);
  return scalar_.counted_loop(from, to, stretch, carried, [&](Value* begin, const Values& now) {
    Value* const next = ir_.CreateAdd(begin, stretch);
    Value* const end = ir_.CreateSelect(ir_.CreateICmpSLT(next, to), next, to);
    return scalar_.counted_loop(begin, end_unless_stopped(begin, end), scalar_.index(step), now, body);
  });
}

Value* RegionEmitter::end_unless_stopped(Value* begin, Value* end) {
  llvm::Module* const module = ir_.GetInsertBlock()->getModule();
  auto* const signature = llvm::FunctionType::get(ir_.getInt64Ty(), {}, false);
  Value* const stopped = ir_.CreateCall(module->getOrInsertFunction("hilo_stop_requested", signature), {});
  return ir_.CreateSelect(ir_.CreateICmpNE(stopped, ir_.getInt64(0)), begin, end);
}

/// The last step of a line starts early enough to fit.
Value* RegionEmitter::bounded(size_t k, Value* i, Value* end, int64_t step) {
  if (region_.extents[k] % step == 0) return i;
  Value* last = ir_.CreateSub(end, scalar_.index(step));
  return ir_.CreateSelect(ir_.CreateICmpSLT(i, last), i, last);
}

void RegionEmitter::enter(size_t k, Value* index) {
  position_.indices[k] = index;
  for (size_t e = 0; e < expressions_.size(); ++e) {
    const int64_t c = expressions_[e]->coefficient(k);
    if (c == 0) continue;
    Value* step = c == 1 ? index : ir_.CreateMul(index, scalar_.index(c));
    position_.partial[e] = ir_.CreateAdd(position_.partial[e], step);
  }
}

/// Nodes that change with this dimension and none further in, before any reduction.
void RegionEmitter::emit_level(int level) {
  for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
    const NodeFacts& f = facts_.nodes[n];
    if (f.level == level && f.stage == 0 && !f.in_row) emit_node(n);
  }
}

void RegionEmitter::emit_stages() {
  for (int loop = 0; loop < facts_.loops; ++loop) {
    Values initial;
    std::vector<const RegionNode*> reductions;  // of each accumulator
    for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
      if (region_.nodes[n].kind != NodeKind::kReduce || facts_.nodes[n].stage != loop) continue;
      const Values neutral = neutral_values(region_.nodes[n]);
      initial.insert(initial.end(), neutral.begin(), neutral.end());
      reductions.insert(reductions.end(), neutral.size(), &region_.nodes[n]);
    }
    Values last = in_stretches(initial, reductions, [&] { return emit_row(region_.row_begin, loop, initial); });
    size_t next = 0;
    for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
      const RegionNode& node = region_.nodes[n];
      if (node.kind == NodeKind::kReduce && facts_.nodes[n].stage == loop) {
        const size_t count = node.count;
        reduced_[n] = finish_reduce(node, Values(last.begin() + static_cast<std::ptrdiff_t>(next),
                                                 last.begin() + static_cast<std::ptrdiff_t>(next + count)));
        next += count;
      }
    }
    // Row values don't outlive their loop.
    for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
      if (facts_.nodes[n].in_row) slots_[n] = {};
    }
    for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
      if (!facts_.nodes[n].in_row && facts_.nodes[n].stage == loop + 1) emit_node(n);
    }
  }
}

/// Loop over row dimension k; `carried` are the accumulators of all reductions of this stage.
Values RegionEmitter::emit_row(size_t k, int loop, const Values& carried) {
  if (k == region_.extents.size()) return emit_row_point(loop, carried);
  const int64_t step = is_vector(k) ? facts_.shape.lanes : 1;
  const Position before = position_;
  Value* extent = scalar_.index(region_.extents[k]);
  const auto turn = [&](Value* i, const Values& now) {
    Value* at = bounded(k, i, extent, step);
    if (is_vector(k)) valid_lanes_ = nullptr;
    if (is_vector(k) && facts_.shape.overlaps) {
      // Lane j holds element at + j, which earlier vectors have seen if it is below i.
      Value* seen = ir_.CreateTrunc(ir_.CreateSub(i, at), ir_.getInt32Ty());
      valid_lanes_ = ir_.CreateICmpSGE(wide_.lane_numbers(seen->getType()), wide_.splat(seen));
    }
    enter(k, at);
    for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
      const NodeFacts& f = facts_.nodes[n];
      if (!facts_.evaluated[static_cast<size_t>(loop)][n] || !f.in_row || region_.nodes[n].kind == NodeKind::kReduce)
        continue;
      if (f.level != static_cast<int>(k)) continue;
      if (facts_.kept_in[n] >= 0 && facts_.kept_in[n] < loop) {
        set_value(n, load_tile(n), f.varies);
        continue;
      }
      emit_node(n);
      if (facts_.kept_in[n] == loop) store_tile(n, value_of(n, f.varies));
    }
    Values next = emit_row(k + 1, loop, now);
    position_ = before;
    return next;
  };
  const int64_t turns = (region_.extents[k] + step - 1) / step;
  if (!is_cut(k) && turns * weighted_nodes(region_) <= kMaxUnrolledNodes) {
    Values now = carried;
    for (int64_t t = 0; t < turns; ++t) now = turn(scalar_.index(t * step), now);
    return now;
  }
  return row_loop(k, step, carried, turn);
}

/// One vector of the innermost row loop: feed the accumulators, write what is done.
Values RegionEmitter::emit_row_point(int loop, const Values& carried) {
  Values next;
  size_t at = 0;
  for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
    const RegionNode& node = region_.nodes[n];
    if (node.kind != NodeKind::kReduce || facts_.nodes[n].stage != loop) continue;
    const size_t count = node.count;
    const Values accumulators(carried.begin() + static_cast<std::ptrdiff_t>(at),
                              carried.begin() + static_cast<std::ptrdiff_t>(at + count));
    Values combined;
    if (node.is_dot) {
      combined = {multiply_add(node, accumulators[0])};
    } else {
      Values elements;
      for (size_t k = 0; k < count; ++k) elements.push_back(value_of(node.operands[k], true));
      combined = combine(node, accumulators, elements, true);
    }
    if (valid_lanes_ != nullptr && !is_column()) {
      for (size_t k = 0; k < count; ++k) combined[k] = ir_.CreateSelect(valid_lanes_, combined[k], accumulators[k]);
    }
    next.insert(next.end(), combined.begin(), combined.end());
    at += count;
  }
  store_outputs(true, loop);
  return next;
}

void RegionEmitter::store_outputs(bool in_row, int loop) {
  for (size_t k = 0; k < region_.outputs.size(); ++k) {
    const RegionOutput& o = region_.outputs[k];
    const bool along_row = o.index.coefficients.size() > region_.row_begin;
    if (along_row != in_row || (in_row && facts_.nodes[o.node].stage != loop)) continue;
    store_output(o, output_expression_[k]);
  }
}

Status emit_region(llvm::Module& module, Isa isa, const Region& region, const std::string& name) {
  llvm::IRBuilder<> ir(module.getContext());
  llvm::Type* pointer = ir.getPtrTy();
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {pointer, ir.getInt64Ty(), ir.getInt64Ty()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  ir.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  Values buffers;
  for (size_t k = 0; k < region.inputs.size() + region.outputs.size(); ++k) {
    buffers.push_back(ir.CreateLoad(pointer, ir.CreateConstGEP1_64(pointer, function->getArg(0), k)));
  }
  RegionEmitter emitter(ir, isa, region);
  HILO_RETURN_IF_ERROR(emitter.emit(buffers, function->getArg(1), function->getArg(2)));
  ir.CreateRetVoid();
  return ok_status();
}

}  // namespace hilo::cpu
