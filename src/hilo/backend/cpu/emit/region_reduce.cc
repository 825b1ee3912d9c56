// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "hilo/backend/cpu/emit/complex.h"
#include "hilo/backend/cpu/emit/convert.h"
#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/region_emitter.h"
#include "hilo/engine/region_ops.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::cpu {

using hlo::ReducerKind;
using llvm::Value;

namespace {

/// f16, bf16 and narrower floats accumulate in f32 and round once, at the end.
ElementType accumulator_type(ElementType type) { return computes_in_f32(type) ? ElementType::kF32 : type; }

/// Products of f32 and narrower floats are kept in f64: relative errors of factors add up, in whatever order.
ElementType accumulator_of(const RegionNode& reduce) {
  return is_wide_product(reduce) ? ElementType::kF64 : accumulator_type(reduce.type);
}

/// A float of 32 bits where doubles are accumulated.
Value* extended(SimdBuilder& b, ElementType accumulator, Value* value) {
  if (accumulator != ElementType::kF64 || !value->getType()->getScalarType()->isFloatTy()) return value;
  return b.ir().CreateFPExt(value, b.register_type(ElementType::kF64));
}

}  // namespace

/// What the accumulators of all lanes start from: the neutral element where lanes are joined later (sums, products), the
/// initial value where taking it twice does no harm or there is one lane.
Values RegionEmitter::neutral_values(const RegionNode& reduce) {
  const ReducerKind kind = reducer_of(reduce);
  const size_t count = reduce.count;
  Values values;
  for (size_t k = 0; k < count; ++k) {
    const ElementType element = region_.nodes[reduce.initial(k)].type;
    if (is_complex(element) && (kind == ReducerKind::kAdd || kind == ReducerKind::kMultiply)) {
      llvm::Type* part = wide_.register_type(real_type_of(element));
      const bool sum = kind == ReducerKind::kAdd;
      values.push_back(
          join(wide_, {llvm::ConstantFP::get(part, sum ? -0.0 : 1.0), llvm::ConstantFP::get(part, sum ? -0.0 : 0.0)}));
      continue;
    }
    llvm::Type* type = wide_.register_type(is_wide_product(reduce) ? ElementType::kF64 : element);
    if (kind == ReducerKind::kAdd && type->isFPOrFPVectorTy()) values.push_back(llvm::ConstantFP::get(type, -0.0));
    else if (kind == ReducerKind::kMultiply && type->isFPOrFPVectorTy())
      values.push_back(llvm::ConstantFP::get(type, 1.0));
    else if (kind == ReducerKind::kMultiply) values.push_back(llvm::ConstantInt::get(type, 1));
    else if (kind == ReducerKind::kAdd || kind == ReducerKind::kXor)
      values.push_back(llvm::Constant::getNullValue(type));
    else values.push_back(value_of(reduce.initial(k), true));
  }
  return values;
}

Values RegionEmitter::combine(const RegionNode& reduce, const Values& a, const Values& b, bool wide) {
  if (const std::optional<hlo::Opcode> opcode = opcode_of(reducer_of(reduce))) {
    const ElementType type = accumulator_of(reduce);
    const Values operands = {extended(builder(wide), type, a[0]), extended(builder(wide), type, b[0])};
    StatusOr<Value*> value = emit_elementwise(builder(wide), *opcode, type, type, nullptr, operands);
    if (value.ok()) return {*value};
    fail(value.status());
    return a;
  }
  Values arguments = a;
  arguments.insert(arguments.end(), b.begin(), b.end());
  return emit_body(*reduce.body, arguments, wide);
}

/// Lanes don't follow one another as elements of the row do. Of two NaNs the body of an arg-reduction keeps the left one,
/// which must be the one that comes first in the row: the lower index of what both orders give, equal otherwise.
Values RegionEmitter::join_lanes(const RegionNode& reduce, const Values& a, const Values& b) {
  Values joined = combine(reduce, a, b, true);
  const ReducerKind kind = reducer_of(reduce);
  if (kind != ReducerKind::kArgMax && kind != ReducerKind::kArgMin) return joined;
  if (!is_floating(region_.nodes[reduce.initial(0)].type)) return joined;
  const ElementType index = region_.nodes[reduce.initial(1)].type;
  const Values indices = {joined[1], combine(reduce, b, a, true)[1]};
  StatusOr<Value*> lower = emit_elementwise(wide_, hlo::Opcode::kMinimum, index, index, nullptr, indices);
  if (lower.ok()) joined[1] = *lower;
  else fail(lower.status());
  return joined;
}

/// accumulator + lhs * rhs, in the type of the sum.
Value* RegionEmitter::multiply_add(const RegionNode& dot, Value* accumulator) {
  const ElementType type = accumulator_type(dot.type);
  Value* factors[2];
  for (size_t k = 0; k < 2; ++k) {
    factors[k] = emit_convert(wide_, accumulator_type(region_.nodes[dot.operands[k]].type), type,
                              value_of(dot.operands[k], true));
  }
  if (is_complex(type)) return emit_complex_multiply_add(wide_, factors[0], factors[1], accumulator);
  if (is_floating(type)) return wide_.mul_add(factors[0], factors[1], accumulator);
  if (type == ElementType::kPred) return ir_.CreateOr(ir_.CreateAnd(factors[0], factors[1]), accumulator);
  return ir_.CreateAdd(ir_.CreateMul(factors[0], factors[1]), accumulator);
}

Values RegionEmitter::emit_body(const hlo::Computation& body, const Values& arguments, bool wide) {
  Values values;
  const auto result = [&](hlo::InstructionId id) { return values[id]; };
  for (const hlo::Instruction& i : body.instructions()) {
    const ElementType type = i.shape.element_type();
    if (i.opcode == hlo::Opcode::kParameter) {
      values.push_back(arguments[static_cast<size_t>(hlo::attributes_of<hlo::ParameterAttributes>(i).number)]);
      continue;
    }
    if (i.opcode == hlo::Opcode::kTuple) {
      values.push_back(nullptr);
      continue;
    }
    if (i.opcode == hlo::Opcode::kConstant) {
      RegionNode constant;
      constant.type = type;
      constant.bits = *splat_bits(hlo::attributes_of<hlo::ConstantAttributes>(i).value);
      values.push_back(constant_of(constant, wide));
      continue;
    }
    Values operands;
    for (hlo::InstructionId o : i.operands) operands.push_back(result(o));
    const ElementType operand_type =
        body.instruction(i.operands[i.opcode == hlo::Opcode::kSelect ? 1 : 0]).shape.element_type();
    if (i.opcode == hlo::Opcode::kBitcastConvert) {
      values.push_back(cast_bits(builder(wide), operand_type, type, operands[0]));
      continue;
    }
    StatusOr<Value*> value =
        emit_elementwise(builder(wide), i.opcode, operand_type, type, i.attributes.get(), operands);
    if (!value.ok()) {
      fail(value.status().with_context(describe(i)));
      return Values(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(arguments.size() / 2));
    }
    values.push_back(*value);
  }
  const hlo::Instruction& root = body.root();
  if (root.opcode != hlo::Opcode::kTuple) return {result(body.root_id())};
  Values results;
  for (hlo::InstructionId o : root.operands) results.push_back(result(o));
  return results;
}

/// All lanes become one (over rows), and the initial value comes in where it hasn't yet.
Values RegionEmitter::finish_reduce(const RegionNode& reduce, Values values) {
  const ReducerKind kind = reducer_of(reduce);
  const bool wide = is_column() && facts_.shape.lanes > 1;
  if (!wide && facts_.shape.lanes > 1) {
    // Halves meet halves at full width; only the low lanes count from then on.
    for (int width = facts_.shape.lanes / 2; width >= 1; width /= 2) {
      std::vector<int> order(static_cast<size_t>(facts_.shape.lanes));
      for (int i = 0; i < facts_.shape.lanes; ++i) order[static_cast<size_t>(i)] = i < width ? i + width : i;
      Values other;
      for (Value* v : values) other.push_back(ir_.CreateShuffleVector(v, order));
      values = join_lanes(reduce, values, other);
    }
    for (Value*& v : values) v = ir_.CreateExtractElement(v, uint64_t{0});
  }
  if (kind == ReducerKind::kAdd || kind == ReducerKind::kMultiply || kind == ReducerKind::kXor) {
    values = combine(reduce, {value_of(reduce.initial(0), wide)}, values, wide);
    if (is_wide_product(reduce)) values[0] = emit_convert(builder(wide), ElementType::kF64, reduce.type, values[0]);
    values[0] = builder(wide).round_to(reduce.type, values[0]);
  }
  // As a conversion does: a NaN that was only converted may be a signalling one.
  if (!reduce.is_dot && is_extreme(reduce) && facts_.nodes[reduce.operands[0]].rounds_late)
    values[0] = emit_convert(builder(wide), ElementType::kF32, reduce.type, values[0]);
  return values;
}

/// Elements since the row's start; in columns every lane has its own row.
Value* RegionEmitter::tile_index(uint32_t n) {
  Value* index = scalar_.index(0);
  for (size_t k = region_.row_begin; k < region_.extents.size(); ++k) {
    index = ir_.CreateMul(index, scalar_.index(region_.extents[k]));
    // The loops within the node's have not begun: its value is the same for all their turns.
    if (static_cast<int>(k) <= facts_.nodes[n].level) index = ir_.CreateAdd(index, position_.indices[k]);
  }
  return is_column() ? ir_.CreateMul(index, scalar_.index(facts_.shape.lanes)) : index;
}

void RegionEmitter::store_tile(uint32_t n, Value* value) {
  const ElementType type = accumulator_type(region_.nodes[n].type);
  if (facts_.nodes[n].varies) wide_.store(type, value, tiles_[n], tile_index(n));
  else scalar_.store_scalar(type, value, tiles_[n], tile_index(n));
}

Value* RegionEmitter::load_tile(uint32_t n) {
  const ElementType type = accumulator_type(region_.nodes[n].type);
  return facts_.nodes[n].varies ? wide_.load(type, tiles_[n], tile_index(n))
                                : scalar_.load_scalar(type, tiles_[n], tile_index(n));
}

}  // namespace hilo::cpu
