// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "hilo/backend/cpu/emit/complex.h"
#include "hilo/backend/cpu/emit/convert.h"
#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/numbers.h"
#include "hilo/backend/cpu/emit/region_emitter.h"

namespace hilo::cpu {

using hlo::Opcode;
using llvm::Value;

void RegionEmitter::set_value(uint32_t n, Value* value, bool wide) {
  if (value == nullptr) return;
  if (!wide) {
    slots_[n] = {value, facts_.shape.lanes == 1 ? value : nullptr};
    // Splat here, at the level of the value, so that loops further in find it ready.
    if (facts_.shape.lanes > 1) {
      for (uint32_t user = n + 1; user < region_.nodes.size() && slots_[n].wide == nullptr; ++user) {
        if (!facts_.nodes[user].varies && region_.nodes[user].kind != NodeKind::kReduce) continue;
        for (uint32_t o : region_.nodes[user].operands) {
          if (o == n) slots_[n].wide = wide_.splat(value);
          if (o == n) break;
        }
      }
    }
  } else {
    slots_[n] = {facts_.shape.lanes == 1 ? value : nullptr, value};
  }
}

Value* RegionEmitter::value_of(uint32_t n, bool wide) {
  const RegionNode& node = region_.nodes[n];
  if (node.kind == NodeKind::kConstant) return constant_of(node, wide);
  if (wide && slots_[n].wide == nullptr && slots_[n].scalar != nullptr) return wide_.splat(slots_[n].scalar);
  Value* value = wide ? slots_[n].wide : slots_[n].scalar;
  if (value == nullptr) {
    fail(internal_error("region: a node is read before it is computed"));
    return llvm::Constant::getNullValue(builder(wide).register_type(node.type));
  }
  return value;
}

Value* RegionEmitter::constant_of(const RegionNode& n, bool wide) {
  SimdBuilder& b = builder(wide);
  llvm::Type* scalar = b.register_scalar(n.type);
  llvm::Constant* c = nullptr;
  if (n.type == ElementType::kF32)
    c = llvm::ConstantFP::get(ir_.getContext(), llvm::APFloat(std::bit_cast<float>(static_cast<uint32_t>(n.bits))));
  else if (n.type == ElementType::kF64)
    c = llvm::ConstantFP::get(ir_.getContext(), llvm::APFloat(std::bit_cast<double>(n.bits)));
  else if (computes_in_f32(n.type))
    c = llvm::ConstantFP::get(ir_.getContext(), llvm::APFloat(widened_bits(n.type, n.bits)));
  else if (n.type == ElementType::kPred) c = ir_.getInt1(n.bits != 0);
  else c = llvm::ConstantInt::get(scalar, llvm::APInt(64, n.bits).zextOrTrunc(scalar->getIntegerBitWidth()));
  return b.lanes() == 1
             ? c
             : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(static_cast<unsigned>(b.lanes())), c);
}

bool RegionEmitter::has_varying_terms(uint32_t expression) const {
  for (const IndexTerm& t : expressions_[expression]->terms) {
    if (facts_.nodes[t.node].varies) return true;
  }
  return false;
}

/// The expression at lane 0, without terms that differ by lane.
Value* RegionEmitter::scalar_index(uint32_t expression) {
  Value* sum = position_.partial[expression];
  if (is_folded()) sum = ir_.CreateAdd(sum, scalar_.index(fold_offsets(expression)[0]));
  if (row_ > 0) {
    const int64_t rows = static_cast<int64_t>(row_) * expressions_[expression]->coefficient(block_dimension());
    if (rows != 0) sum = ir_.CreateAdd(sum, scalar_.index(rows));
  }
  for (const IndexTerm& t : expressions_[expression]->terms) {
    if (facts_.nodes[t.node].varies) continue;
    Value* const number = ir_.CreateZExt(value_of(t.node, false), ir_.getInt64Ty());
    sum = ir_.CreateAdd(sum, ir_.CreateMul(number, scalar_.index(t.coefficient)));
  }
  return sum;
}

/// The expression in every lane, as `number`: i64, or i32 where its values fit, whatever the sums on the way.
Value* RegionEmitter::lane_indices(uint32_t expression, llvm::Type* number) {
  Value* sum = wide_.splat(ir_.CreateTrunc(scalar_index(expression), number));
  if (lane_step(expression) != 0 && facts_.shape.lanes > 1)
    sum = ir_.CreateAdd(sum, lane_constants(expression, number));
  for (const IndexTerm& t : expressions_[expression]->terms) {
    if (!facts_.nodes[t.node].varies) continue;
    Value* const term = ir_.CreateZExtOrTrunc(value_of(t.node, true), sum->getType());
    sum = ir_.CreateAdd(sum, ir_.CreateMul(term, wide_.int_like(sum, static_cast<uint64_t>(t.coefficient))));
  }
  return sum;
}

namespace {

/// Lanes i for which low <= index + i < high, compared as numbers that fill one register, or the narrowest that count up to all lanes.
Value* lanes_between(SimdBuilder& b, Value* index, int64_t low, int64_t high) {
  auto& ir = b.ir();
  const auto lanes = static_cast<unsigned>(b.lanes());
  if (const auto* at = llvm::dyn_cast<llvm::ConstantInt>(index)) {
    std::vector<llvm::Constant*> inside;
    for (int64_t i = at->getSExtValue(); inside.size() < lanes; ++i) inside.push_back(ir.getInt1(low <= i && i < high));
    return llvm::ConstantVector::get(inside);
  }
  const auto register_bits = static_cast<unsigned>(8 * vector_bytes(b.isa()));
  llvm::Type* const number = number_type(ir.getContext(), b.lanes(), std::min(register_bits / lanes, 64u));
  const auto clipped = [&](Value* x) {
    Value* const from_zero = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, ir.getInt64(0));
    Value* const lane = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, from_zero, ir.getInt64(lanes));
    return ir.CreateVectorSplat(lanes, ir.CreateTrunc(lane, number));
  };
  Value* const lane = b.lane_numbers(number);
  Value* const first = clipped(ir.CreateSub(ir.getInt64(static_cast<uint64_t>(low)), index));
  Value* const end = clipped(ir.CreateSub(ir.getInt64(static_cast<uint64_t>(high)), index));
  return ir.CreateAnd(ir.CreateICmpSGE(lane, first), ir.CreateICmpSLT(lane, end));
}

}  // namespace

/// The expression in every lane, or in the only one; of one lane all terms count.
Value* RegionEmitter::index_in(uint32_t expression, bool wide) {
  const bool every = wide || has_varying_terms(expression);
  return every ? lane_indices(expression, ir_.getInt64Ty()) : scalar_index(expression);
}

/// Do all guards of the node hold? A scalar i1 if they are the same in every lane, else a mask; null if nothing need be asked.
Value* RegionEmitter::guard_mask(uint32_t n, bool& wide) {
  wide = false;
  const RegionNode& node = region_.nodes[n];
  Value* all = nullptr;
  for (size_t k = 0; k < node.guards.size(); ++k) {
    const Guard& g = node.guards[k];
    if (guard_state(g) == GuardState::kInside) continue;
    const uint32_t e = guard_expressions_[n][k];
    const bool varies =
        facts_.shape.lanes > 1 && ((lane_step(e) != 0 && region_.extents.size() > 0) || has_varying_terms(e));
    const bool is_stretch = varies && lane_step(e) == 1 && !has_varying_terms(e);
    Value* holds = nullptr;
    if (is_stretch) {
      holds = lanes_between(wide_, scalar_index(e), g.low, g.high);
    } else {
      SimdBuilder& b = builder(varies);
      // low <= index < high as one unsigned comparison.
      Value* offset = ir_.CreateSub(index_in(e, varies), b.i64(g.low));
      holds = ir_.CreateICmpULT(offset, b.i64(g.high - g.low));
    }
    if (all == nullptr) {
      all = holds;
      wide = varies;
      continue;
    }
    if (wide != varies) (wide ? holds : all) = wide_.splat(wide ? holds : all);
    wide |= varies;
    all = ir_.CreateAnd(all, holds);
  }
  return all;
}

Value* RegionEmitter::emit_load(uint32_t n, bool wide) {
  const RegionNode& node = region_.nodes[n];
  if (!known_.empty() && known_[node.input] != nullptr) {
    return wide ? wide_.splat(known_[node.input]) : known_[node.input];
  }
  if (guard_state(node) == GuardState::kOutside)
    return llvm::Constant::getNullValue(builder(wide).register_type(node.type));
  if (loaded_rows_[n] != nullptr) return wide_.load(node.type, loaded_rows_[n], column_in_tile(node.index));
  const uint32_t e = node_expression_[n];
  Value* pointer = buffers_[node.input];
  bool wide_mask = false;
  Value* mask = guard_mask(n, wide_mask);
  const bool scattered = has_varying_terms(e);
  const int64_t step = lane_step(e);
  Value* at = scattered && wide && facts_.shape.lanes > 1 ? nullptr : index_in(e, false);
  if (!wide || facts_.shape.lanes == 1) {
    if (mask != nullptr) at = ir_.CreateSelect(mask, at, scalar_.index(0));  // an element that is there
    return scalar_.load_scalar(node.type, pointer, at);
  }
  if (step == kIrregular && !scattered) return emit_irregular_load(n, mask, wide_mask);
  if (mask != nullptr && !wide_mask) {
    if (!scattered && step >= 0) {
      at = ir_.CreateSelect(mask, at, scalar_.index(0));
      mask = nullptr;
    } else {
      mask = wide_.splat(mask);
    }
  }
  if (scattered) return emit_scattered_load(n, mask);
  if (step == 0) {
    // The address is the same in every lane and the guard isn't: where it fails the value doesn't matter.
    if (mask != nullptr) at = ir_.CreateSelect(wide_.any(mask), at, scalar_.index(0));
    return wide_.splat(scalar_.load_scalar(node.type, pointer, at));
  }
  if (step == 1)
    return mask == nullptr ? wide_.load(node.type, pointer, at) : wide_.load_masked(node.type, pointer, at, mask);
  if (step == -1) {
    Value* first = ir_.CreateSub(at, scalar_.index(facts_.shape.lanes - 1));
    return wide_.reverse(mask == nullptr ? wide_.load(node.type, pointer, first)
                                         : wide_.load_masked(node.type, pointer, first, wide_.reverse(mask)));
  }
  return wide_.load_strided(node.type, pointer, at, scalar_.index(step), mask);
}

void RegionEmitter::emit_node(uint32_t n) {
  const RegionNode& node = region_.nodes[n];
  const bool wide = facts_.nodes[n].varies;
  Value* value = nullptr;
  switch (node.kind) {
    case NodeKind::kLoad: value = emit_load(n, wide); break;
    case NodeKind::kIndex: value = emit_index(node, node_expression_[n], wide); break;
    case NodeKind::kConstant: return;
    case NodeKind::kOp: value = emit_op(n, wide); break;
    case NodeKind::kClampedIndex: value = emit_clamped(node, wide); break;
    case NodeKind::kReduce: return;
    case NodeKind::kReduceResult: value = reduced_[node.operands[0]][node.result]; break;
    case NodeKind::kGuarded: {
      const GuardState state = guard_state(node);
      if (node.operands.size() == 1 || state != GuardState::kMixed) {
        value = value_of(node.operands[state == GuardState::kOutside ? 1 : 0], wide);
        break;
      }
      bool wide_mask = false;
      Value* mask = guard_mask(n, wide_mask);
      if (wide && !wide_mask) mask = wide_.splat(mask);
      Value* const inside = value_of(node.operands[0], wide);
      Value* const outside = value_of(node.operands[1], wide);
      value = is_complex(node.type) ? select_complex(builder(wide), mask, inside, outside)
                                    : ir_.CreateSelect(mask, inside, outside);
      break;
    }
  }
  set_value(n, value, wide);
}

Value* RegionEmitter::emit_op(uint32_t at, bool wide) {
  const RegionNode& n = region_.nodes[at];
  if (n.instruction->opcode == Opcode::kBitcastConvert) return emit_bitcast(n, wide);
  Values operands;
  for (uint32_t o : n.operands) operands.push_back(value_of(o, wide));
  const size_t data = n.instruction->opcode == Opcode::kSelect ? 1 : 0;
  const ElementType type = facts_.nodes[at].rounds_late ? ElementType::kF32 : n.type;
  StatusOr<Value*> value = emit_elementwise(builder(wide), n.instruction->opcode, region_.nodes[n.operands[data]].type,
                                            type, n.instruction->attributes.get(), operands);
  if (value.ok()) return *value;
  fail(value.status().with_context(describe(*n.instruction)));
  return llvm::Constant::getNullValue(builder(wide).register_type(n.type));
}

Value* RegionEmitter::emit_bitcast(const RegionNode& n, bool wide) {
  return cast_bits(builder(wide), region_.nodes[n.operands[0]].type, n.type, value_of(n.operands[0], wide));
}

Value* RegionEmitter::emit_index(const RegionNode& n, uint32_t expression, bool wide) {
  SimdBuilder& b = builder(wide);
  Value* index = wide && facts_.shape.lanes > 1 ? nullptr : index_in(expression, false);
  if (index == nullptr && is_integer(n.type) && !has_varying_terms(expression)) {
    // Narrow arithmetic is exact modulo the type's range.
    llvm::Type* scalar = b.register_scalar(n.type);
    Value* base = ir_.CreateTrunc(scalar_index(expression), scalar);
    return ir_.CreateAdd(wide_.splat(base), lane_constants(expression, scalar));
  }
  if (index == nullptr) index = lane_indices(expression, ir_.getInt64Ty());
  return emit_convert(b, ElementType::kS64, n.type, index);
}

/// As i32 if that holds the index and its limit, else as i64: a vector of them fills half as many registers, and AVX2 has
/// minima and maxima of no larger ones.
Value* RegionEmitter::emit_clamped(const RegionNode& n, bool wide) {
  SimdBuilder& b = builder(wide);
  const ElementType type = region_.nodes[n.operands[0]].type;
  if (element_type_info(type).bits <= 32 && bits_of_numbers(n.limit) <= 32) {
    const bool is_signed = is_signed_integer(type);
    Value* small =
        emit_convert(b, type, is_signed ? ElementType::kS32 : ElementType::kU32, value_of(n.operands[0], wide));
    if (!is_signed) return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, small, b.i32(n.limit));
    small = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, small, b.i32(0));
    return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, small, b.i32(n.limit));
  }
  Value* index = emit_convert(b, type, ElementType::kS64, value_of(n.operands[0], wide));
  Value* limit = b.i64(n.limit);
  if (type == ElementType::kU64) return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index, limit);
  index = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, index, b.i64(0));
  return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, index, limit);
}

void RegionEmitter::store_output(const RegionOutput& o, uint32_t expression) {
  size_t index = region_.inputs.size();
  index += static_cast<size_t>(&o - region_.outputs.data());
  Value* pointer = buffers_[index];
  const int64_t step = region_.extents.empty() ? 0 : lane_step(expression);
  const bool wide = facts_.shape.lanes > 1 && step != 0;
  Value* at = scalar_index(expression);
  if (!wide) {
    Value* scalar = value_of(o.node, false);
    if (region_.row_begin == 0 && o.index.coefficients.empty()) stored_[index - region_.inputs.size()] = scalar;
    return scalar_.store_scalar(o.type, scalar, pointer, at);
  }
  Value* value = value_of(o.node, true);
  if (Value* const tile = stored_rows_[index - region_.inputs.size()])
    return wide_.store(o.type, value, tile, column_in_tile(o.index));
  if (step == 1) return wide_.store(o.type, value, pointer, at);
  wide_.store_strided(o.type, value, pointer, at, scalar_.index(step), nullptr);
}

}  // namespace hilo::cpu
