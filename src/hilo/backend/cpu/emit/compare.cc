// SPDX-License-Identifier: Apache-2.0
// compare, maximum, minimum, reduce-precision: the elementwise ops that read bits.
#include <llvm/IR/IntrinsicsX86.h>

#include <limits>
#include <utility>

#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/interleave.h"
#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {
namespace {

using hlo::ComparisonDirection;
using llvm::CmpInst;
using llvm::Value;

CmpInst::Predicate float_predicate(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq: return CmpInst::FCMP_OEQ;
    case ComparisonDirection::kNe: return CmpInst::FCMP_UNE;
    case ComparisonDirection::kGe: return CmpInst::FCMP_OGE;
    case ComparisonDirection::kGt: return CmpInst::FCMP_OGT;
    case ComparisonDirection::kLe: return CmpInst::FCMP_OLE;
    case ComparisonDirection::kLt: return CmpInst::FCMP_OLT;
  }
  return CmpInst::FCMP_FALSE;
}

CmpInst::Predicate integer_predicate(ComparisonDirection direction, bool is_signed) {
  switch (direction) {
    case ComparisonDirection::kEq: return CmpInst::ICMP_EQ;
    case ComparisonDirection::kNe: return CmpInst::ICMP_NE;
    case ComparisonDirection::kGe: return is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
    case ComparisonDirection::kGt: return is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
    case ComparisonDirection::kLe: return is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
    case ComparisonDirection::kLt: return is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
  }
  return CmpInst::ICMP_EQ;
}

/// Returns signed integers in the total order of the floats. Negative floats have their magnitude bits flipped.
Value* total_order_key(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* all = b.bits(x);
  const std::uint64_t width = all->getType()->getScalarSizeInBits();
  Value* sign = ir.CreateAShr(all, width - 1);
  return ir.CreateXor(all, ir.CreateLShr(sign, 1));
}

}  // namespace

Value* emit_compare(SimdBuilder& b, ElementType type, const hlo::CompareAttributes& attributes, Value* x, Value* y) {
  auto& ir = b.ir();
  if (!is_floating(type)) return ir.CreateICmp(integer_predicate(attributes.direction, is_signed_integer(type)), x, y);
  if (attributes.type != hlo::ComparisonType::kTotalOrder) {
    return ir.CreateFCmp(float_predicate(attributes.direction), x, y);
  }
  return ir.CreateICmp(integer_predicate(attributes.direction, true), total_order_key(b, x), total_order_key(b, y));
}

namespace {

/// Returns the greater (OGT) or lesser (OLT) of two floats. The result is NaN if either is NaN, and +0 is greater than
/// -0. maxps and minps return the second operand if neither is greater, so the results of both orders together have the
/// signs of two zeros. LLVM's own expansion sorts operands by sign first, which needs three blends.
Value* extreme(SimdBuilder& b, CmpInst::Predicate beats, Value* x, Value* y) {
  auto& ir = b.ir();
  const auto first_or_second = [&](Value* first, Value* second) {
    return b.bits(ir.CreateSelect(ir.CreateFCmp(beats, first, second), first, second));
  };
  Value* one = first_or_second(x, y);
  Value* other = first_or_second(y, x);
  Value* both = beats == CmpInst::FCMP_OGT ? ir.CreateAnd(one, other) : ir.CreateOr(one, other);
  return b.from_bits(ir.CreateOr(both, ir.CreateSExt(ir.CreateFCmpUNO(x, y), both->getType())));
}

/// Returns the lanes of a whole register of floats of the value's type.
int lanes_of_register(Value* x) {
  return 8 * vector_bytes(Isa::kAvx512) / static_cast<int>(x->getType()->getScalarSizeInBits());
}

/// As extreme, of whole registers, by AVX-512's instruction for ranges: it knows that +0 is greater than -0, but
/// returns the other operand of a NaN. Lanes with a NaN become the sum.
Value* extreme_of_range(SimdBuilder& b, bool greatest, Value* x, Value* y) {
  constexpr uint32_t kLeast = 4, kGreatest = 5, kCurrentRounding = 4;
  auto& ir = b.ir();
  const int lanes = lanes_of_register(x);
  const llvm::Intrinsic::ID range =
      is_f64(x) ? llvm::Intrinsic::x86_avx512_mask_range_pd_512 : llvm::Intrinsic::x86_avx512_mask_range_ps_512;
  Value* const all = llvm::Constant::getAllOnesValue(ir.getIntNTy(static_cast<unsigned>(lanes)));
  Values parts;
  for (int first = 0; first < b.lanes(); first += lanes) {
    Value *const one = part_of(ir, x, first, lanes), *const other = part_of(ir, y, first, lanes);
    Value* const which = ir.getInt32(greatest ? kGreatest : kLeast);
    parts.push_back(ir.CreateIntrinsic(range, {}, {one, other, which, one, all, ir.getInt32(kCurrentRounding)}));
  }
  return ir.CreateSelect(ir.CreateFCmpUNO(x, y), ir.CreateFAdd(x, y), whole_of(ir, std::move(parts)));
}

Value* float_extreme(SimdBuilder& b, bool greatest, Value* x, Value* y) {
  // LLVM knows the sign of a constant, and that it isn't NaN. One instruction remains. NEON has one for all floats.
  const bool is_known = llvm::isa<llvm::Constant>(x) || llvm::isa<llvm::Constant>(y);
  if (b.isa() == Isa::kAvx512 && !is_known && b.lanes() >= lanes_of_register(x))
    return extreme_of_range(b, greatest, x, y);
  const bool is_short = b.isa() == Isa::kAvx512 || is_arm(b.isa()) || is_known;
  if (!is_short) return extreme(b, greatest ? CmpInst::FCMP_OGT : CmpInst::FCMP_OLT, x, y);
  return b.ir().CreateBinaryIntrinsic(greatest ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, x, y);
}

}  // namespace

Value* emit_maximum(SimdBuilder& b, ElementType type, Value* x, Value* y) {
  if (is_floating(type)) return float_extreme(b, true, x, y);
  if (type == ElementType::kPred) return b.ir().CreateOr(x, y);
  return b.ir().CreateBinaryIntrinsic(is_signed_integer(type) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x, y);
}

Value* emit_minimum(SimdBuilder& b, ElementType type, Value* x, Value* y) {
  if (is_floating(type)) return float_extreme(b, false, x, y);
  if (type == ElementType::kPred) return b.ir().CreateAnd(x, y);
  return b.ir().CreateBinaryIntrinsic(is_signed_integer(type) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x, y);
}

namespace {

struct FloatLayout {
  int exponent_bits;
  int mantissa_bits;
};

FloatLayout layout_of(ElementType type) {
  if (type == ElementType::kF16) return {5, 10};
  if (type == ElementType::kBf16) return {8, 7};
  return type == ElementType::kF64 ? FloatLayout{11, 52} : FloatLayout{8, 23};
}

Value* round_mantissa(SimdBuilder& b, Value* all, int dropped) {
  auto& ir = b.ir();
  const std::uint64_t last = std::uint64_t{1} << dropped;
  Value* odd = ir.CreateLShr(ir.CreateAnd(all, b.int_like(all, last)), static_cast<std::uint64_t>(dropped));
  Value* bias = ir.CreateAdd(odd, b.int_like(all, (last >> 1) - 1));
  return ir.CreateAnd(ir.CreateAdd(all, bias), b.int_like(all, ~(last - 1)));
}

/// Exponents above the narrow format's become infinity. Those below its normal range become zero, as in XLA.
Value* limit_exponent(SimdBuilder& b, Value* all, Value* original, FloatLayout from, int exponent_bits) {
  auto& ir = b.ir();
  const std::uint64_t one = 1;
  const std::uint64_t mask = ((one << from.exponent_bits) - 1) << from.mantissa_bits;
  const std::uint64_t bias = (one << (from.exponent_bits - 1)) - 1;
  const std::uint64_t narrow_bias = (one << (exponent_bits - 1)) - 1;
  Value* exponent = ir.CreateAnd(all, b.int_like(all, mask));
  Value* sign = ir.CreateAnd(original, b.int_like(all, one << (from.exponent_bits + from.mantissa_bits)));
  Value* over = ir.CreateICmpUGT(exponent, b.int_like(all, (bias + narrow_bias) << from.mantissa_bits));
  Value* under = ir.CreateICmpULE(exponent, b.int_like(all, (bias - narrow_bias) << from.mantissa_bits));
  Value* result = ir.CreateSelect(over, ir.CreateOr(sign, b.int_like(all, mask)), all);
  return ir.CreateSelect(under, sign, result);
}

}  // namespace

Value* emit_reduce_precision(SimdBuilder& b, ElementType type, const hlo::ReducePrecisionAttributes& attributes,
                             Value* x) {
  auto& ir = b.ir();
  const FloatLayout from = layout_of(type);
  const bool narrow = from.exponent_bits + from.mantissa_bits == 15;
  Value* original = narrow ? b.to_memory(type, x) : b.bits(x);
  Value* all = original;
  const int dropped = from.mantissa_bits - static_cast<int>(attributes.mantissa_bits);
  if (dropped > 0) all = round_mantissa(b, all, dropped);
  if (attributes.exponent_bits < from.exponent_bits) {
    all = limit_exponent(b, all, original, from, static_cast<int>(attributes.exponent_bits));
  }
  Value* result = narrow ? b.from_memory(type, all) : b.from_bits(all);
  return ir.CreateSelect(ir.CreateFCmpUNO(x, x), x, result);
}

}  // namespace hilo::cpu
