// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/reducer.h"

#include "hilo/backend/cpu/emit/complex.h"
#include "hilo/backend/cpu/emit/convert.h"
#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/scalar_emitter.h"
#include "hilo/hlo/ir/reducer_kind.h"

namespace hilo::cpu {
namespace {

using hlo::ReducerKind;
using llvm::Value;

/// Extends a 32-bit float if doubles are accumulated.
Value* extended(SimdBuilder& b, ElementType accumulator, Value* value) {
  if (accumulator != ElementType::kF64 || !value->getType()->getScalarType()->isFloatTy()) return value;
  return b.ir().CreateFPExt(value, b.register_type(ElementType::kF64));
}

Values emit_body(RegionState& s, const hlo::Computation& body, const Values& a, const Values& b, bool wide) {
  std::vector<Values> arguments;
  for (const Values* side : {&a, &b}) {
    for (Value* v : *side) arguments.push_back({v});
  }
  ScalarEmitter emitter(s.builder(wide));
  const Values results = emitter.emit(body, arguments);
  s.fail(emitter.status());
  return results;
}

/// Lanes aren't in the order of the row's elements. Of two NaNs the body of an arg-reduction returns the left one,
/// which must be the first one in the row. So both orders are computed and the result with the lower index is selected.
Values join_lanes(RegionState& s, const RegionNode& reduce, const Values& a, const Values& b) {
  Values joined = combine(s, reduce, a, b, true);
  const ReducerKind kind = reducer_of(reduce);
  if (kind != ReducerKind::kArgMax && kind != ReducerKind::kArgMin) return joined;
  if (!is_floating(s.region.nodes[reduce.initial(0)].type)) return joined;
  const ElementType index = s.region.nodes[reduce.initial(1)].type;
  const Values indices = {joined[1], combine(s, reduce, b, a, true)[1]};
  StatusOr<Value*> lower = emit_elementwise(s.wide, hlo::Opcode::kMinimum, index, index, nullptr, indices);
  if (lower.ok()) joined[1] = *lower;
  else s.fail(lower.status());
  return joined;
}

// The numbers of reduces_bits(): the greatest of the bits as a signed integer, the least and the greatest as unsigned
// ones.
constexpr size_t kSignedMax = 0, kUnsignedMin = 1, kUnsignedMax = 2;
constexpr llvm::Intrinsic::ID kBitOperations[kBitAccumulators] = {llvm::Intrinsic::smax, llvm::Intrinsic::umin,
                                                                  llvm::Intrinsic::umax};

Value* bits_of(RegionState& s, Value* value) {
  llvm::Type* const type = value->getType();
  if (auto* const vector = llvm::dyn_cast<llvm::VectorType>(type))
    return s.ir.CreateBitCast(value, llvm::VectorType::getInteger(vector));
  return s.ir.CreateBitCast(value, s.ir.getIntNTy(type->getScalarSizeInBits()));
}

Values combine_bits(RegionState& s, const Values& a, const Values& b) {
  Values numbers;
  for (size_t k = 0; k < kBitAccumulators; ++k)
    numbers.push_back(s.ir.CreateBinaryIntrinsic(kBitOperations[k], a[k], b[k]));
  return numbers;
}

/// The maximum or minimum. A number with a sign bit is less than one without. Of two with one, the less has greater
/// bits. NaNs have greater bits than infinity, with either sign.
Value* extreme_of_bits(RegionState& s, const RegionNode& reduce, const Values& numbers) {
  llvm::Type* const type = numbers[0]->getType();
  llvm::Type* const element = s.wide.register_type(accumulator_type(reduce.type))->getScalarType();
  llvm::Type* const floats =
      type->isVectorTy() ? llvm::VectorType::get(element, llvm::cast<llvm::VectorType>(type)) : element;
  const auto infinity = [&](bool negative) { return bits_of(s, llvm::ConstantFP::getInfinity(floats, negative)); };
  llvm::Constant* const zero = llvm::Constant::getNullValue(type);
  Value *bits, *nan, *has_nan;
  if (reducer_of(reduce) == ReducerKind::kMaximum) {
    Value* const all_negative = s.ir.CreateICmpSLT(numbers[kSignedMax], zero);
    bits = s.ir.CreateSelect(all_negative, numbers[kUnsignedMin], numbers[kSignedMax]);
    nan = numbers[kUnsignedMax];
    has_nan = s.ir.CreateICmpUGT(nan, infinity(true));
  } else {
    Value* const any_negative = s.ir.CreateICmpSLT(numbers[kUnsignedMax], zero);
    bits = s.ir.CreateSelect(any_negative, numbers[kUnsignedMax], numbers[kUnsignedMin]);
    nan = numbers[kSignedMax];
    has_nan = s.ir.CreateICmpSGT(nan, infinity(false));
  }
  Value* const value = s.ir.CreateBitCast(s.ir.CreateSelect(has_nan, nan, bits), floats);
  return s.ir.CreateSelect(s.ir.CreateFCmpUNO(value, value), llvm::ConstantFP::getNaN(floats), value);
}

/// Combines the upper half of the lanes with the lower half at full width, until only the lowest lane counts.
Values join_all_lanes(RegionState& s, const RegionNode& reduce, Values values) {
  for (int width = s.facts.shape.lanes / 2; width >= 1; width /= 2) {
    std::vector<int> order(s.facts.shape.lanes);
    for (int i = 0; i < s.facts.shape.lanes; ++i) order[i] = i < width ? i + width : i;
    Values other;
    for (Value* v : values) other.push_back(s.ir.CreateShuffleVector(v, order));
    values = reduces_bits(reduce, s.wide.isa()) ? combine_bits(s, values, other) : join_lanes(s, reduce, values, other);
  }
  for (Value*& v : values) v = s.ir.CreateExtractElement(v, uint64_t{0});
  return values;
}

}  // namespace

Values accumulate(RegionState& s, const RegionNode& reduce, const Values& accumulators, const Values& elements) {
  if (!reduces_bits(reduce, s.wide.isa())) return combine(s, reduce, accumulators, elements, true);
  return combine_bits(s, accumulators, Values(kBitAccumulators, bits_of(s, elements[0])));
}

Values neutral_values(RegionState& s, const RegionNode& reduce) {
  const ReducerKind kind = reducer_of(reduce);
  if (reduces_bits(reduce, s.wide.isa()))
    return Values(kBitAccumulators, bits_of(s, value_of(s, reduce.initial(0), true)));
  const size_t count = reduce.count;
  Values values;
  for (size_t k = 0; k < count; ++k) {
    const ElementType element = s.region.nodes[reduce.initial(k)].type;
    if (is_complex(element) && (kind == ReducerKind::kAdd || kind == ReducerKind::kMultiply)) {
      llvm::Type* part = s.wide.register_type(real_type_of(element));
      const bool sum = kind == ReducerKind::kAdd;
      values.push_back(
          join(s.wide, {llvm::ConstantFP::get(part, sum ? -0.0 : 1.0), llvm::ConstantFP::get(part, sum ? -0.0 : 0.0)}));
      continue;
    }
    llvm::Type* type = s.wide.register_type(is_wide_product(reduce) ? ElementType::kF64 : element);
    if (kind == ReducerKind::kAdd && type->isFPOrFPVectorTy()) values.push_back(llvm::ConstantFP::get(type, -0.0));
    else if (kind == ReducerKind::kMultiply && type->isFPOrFPVectorTy())
      values.push_back(llvm::ConstantFP::get(type, 1.0));
    else if (kind == ReducerKind::kMultiply) values.push_back(llvm::ConstantInt::get(type, 1));
    else if (kind == ReducerKind::kAdd || kind == ReducerKind::kXor)
      values.push_back(llvm::Constant::getNullValue(type));
    else values.push_back(value_of(s, reduce.initial(k), true));
  }
  return values;
}

Values combine(RegionState& s, const RegionNode& reduce, const Values& a, const Values& b, bool wide) {
  if (const std::optional<hlo::Opcode> opcode = opcode_of(reducer_of(reduce))) {
    const ElementType type = accumulator_of(reduce);
    const Values operands = {extended(s.builder(wide), type, a[0]), extended(s.builder(wide), type, b[0])};
    const StatusOr<Value*> value = emit_elementwise(s.builder(wide), *opcode, type, type, nullptr, operands);
    s.fail(value.status());
    return value.ok() ? Values{*value} : a;
  }
  return emit_body(s, *reduce.body, a, b, wide);
}

Value* multiply_add(RegionState& s, const RegionNode& dot, Value* accumulator) {
  const ElementType type = accumulator_type(dot.type);
  Value* factors[2];
  for (size_t k = 0; k < 2; ++k) {
    factors[k] = emit_convert(s.wide, accumulator_type(s.region.nodes[dot.operands[k]].type), type,
                              value_of(s, dot.operands[k], true));
  }
  if (is_complex(type)) return emit_complex_multiply_add(s.wide, factors[0], factors[1], accumulator);
  if (is_floating(type)) return s.wide.mul_add(factors[0], factors[1], accumulator);
  if (type == ElementType::kPred) return s.ir.CreateOr(s.ir.CreateAnd(factors[0], factors[1]), accumulator);
  return s.ir.CreateAdd(s.ir.CreateMul(factors[0], factors[1]), accumulator);
}

Values finish_reduce(RegionState& s, const RegionNode& reduce, Values values) {
  const ReducerKind kind = reducer_of(reduce);
  const bool wide = s.across_rows() && s.facts.shape.lanes > 1;
  if (!wide && s.facts.shape.lanes > 1) values = join_all_lanes(s, reduce, std::move(values));
  if (reduces_bits(reduce, s.wide.isa())) values = {extreme_of_bits(s, reduce, values)};
  if (kind == ReducerKind::kAdd || kind == ReducerKind::kMultiply || kind == ReducerKind::kXor) {
    values = combine(s, reduce, {value_of(s, reduce.initial(0), wide)}, values, wide);
    if (is_wide_product(reduce)) values[0] = emit_convert(s.builder(wide), ElementType::kF64, reduce.type, values[0]);
    values[0] = s.builder(wide).round_to(reduce.type, values[0]);
  }
  // Quiets NaNs as a conversion does: a NaN that was only converted may be a signalling one.
  if (!reduce.is_dot && is_extreme(reduce) && s.facts.nodes[reduce.operands[0]].rounds_late)
    values[0] = emit_convert(s.builder(wide), ElementType::kF32, reduce.type, values[0]);
  return values;
}

}  // namespace hilo::cpu
