// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/integer.h"

#include "hilo/backend/cpu/emit/integers_in_doubles.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

struct Guarded {
  Value* by_zero;
  Value* overflows;  // null if unsigned
  Value* divisor;    // neither zero nor an overflowing -1
};

/// Whether it is a constant other than 0 and -1, the same in every lane.
bool divides_safely(Value* y) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(y);
  if (constant != nullptr && y->getType()->isVectorTy()) constant = constant->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  return number != nullptr && !number->isZero() && !number->isMinusOne();
}

Guarded guard(SimdBuilder& b, ElementType type, Value* x, Value* y) {
  auto& ir = b.ir();
  if (divides_safely(y)) return {b.boolean(false), nullptr, y};
  const int bits = element_type_info(type).bits;
  Guarded g;
  g.by_zero = ir.CreateICmpEQ(y, b.int_like(y, 0));
  g.overflows = nullptr;
  Value* unsafe = g.by_zero;
  if (is_signed_integer(type)) {
    Value* least = ir.CreateICmpEQ(x, b.int_like(x, std::uint64_t{1} << (bits - 1)));
    g.overflows = ir.CreateAnd(least, ir.CreateICmpEQ(y, b.int_like(y, ~std::uint64_t{0})));
    unsafe = ir.CreateOr(unsafe, g.overflows);
  }
  g.divisor = ir.CreateSelect(unsafe, b.int_like(y, 1), y);
  return g;
}

enum class Part { kQuotient, kRemainder };

/// Divides in f64 if all operands of the vector fit in it: x/y is at least 1/|y| away from the next integer, which is
/// more than a rounding error.
Value* divide_64_bits(SimdBuilder& b, Part part, bool is_signed, Value* x, Value* y) {
  auto& ir = b.ir();
  Value* exceed = b.any(ir.CreateOr(exceed_doubles(b, is_signed, x), exceed_doubles(b, is_signed, y)));
  const auto in_doubles = [&] {
    const IntegersInDoubles doubles(b);
    Value *dividend = doubles.to(x), *divisor = doubles.to(y);
    Value* ratio = ir.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, ir.CreateFDiv(dividend, divisor));
    if (part == Part::kQuotient) return Values{doubles.from(ratio)};
    return Values{doubles.from(ir.CreateFSub(dividend, ir.CreateFMul(ratio, divisor)))};
  };
  const auto one_by_one = [&] {
    if (part == Part::kQuotient) return Values{is_signed ? ir.CreateSDiv(x, y) : ir.CreateUDiv(x, y)};
    return Values{is_signed ? ir.CreateSRem(x, y) : ir.CreateURem(x, y)};
  };
  return b.if_else(exceed, one_by_one, in_doubles)[0];
}

/// Whether divide_64_bits() pays off: instruction sets without a rounding of doubles would call a function.
bool divides_in_doubles(const SimdBuilder& b, int bits, Value* y) {
  const bool rounds = b.isa() != Isa::kSse2 && b.isa() != Isa::kExactSse2;
  return bits == 64 && b.lanes() > 1 && !divides_safely(y) && rounds;
}

// No vector instruction divides integers. LLVM divides by a constant with a multiplication. Up to 32 bits, a
// floating-point quotient with twice the digits truncates to the right integer: its error is less than 1/|y|, the
// minimum distance of x/y from the next integer.
Value* quotient(SimdBuilder& b, ElementType type, Value* x, Value* y) {
  auto& ir = b.ir();
  const int bits = element_type_info(type).bits;
  const bool is_signed = is_signed_integer(type);
  if (divides_in_doubles(b, bits, y)) return divide_64_bits(b, Part::kQuotient, is_signed, x, y);
  if (bits == 64 || b.lanes() == 1 || divides_safely(y)) return is_signed ? ir.CreateSDiv(x, y) : ir.CreateUDiv(x, y);
  const ElementType through = bits == 32 ? ElementType::kF64 : ElementType::kF32;
  llvm::Type* real = b.register_type(through);
  auto to_real = [&](Value* v) { return is_signed ? ir.CreateSIToFP(v, real) : ir.CreateUIToFP(v, real); };
  Value* ratio = ir.CreateFDiv(to_real(x), to_real(y));
  if (bits < 32) return ir.CreateTrunc(ir.CreateFPToSI(ratio, b.wide(ir.getInt32Ty())), x->getType());
  return is_signed ? ir.CreateFPToSI(ratio, x->getType()) : ir.CreateFPToUI(ratio, x->getType());
}

}  // namespace

Value* emit_integer_divide(SimdBuilder& b, ElementType type, Value* x, Value* y) {
  auto& ir = b.ir();
  Guarded g = guard(b, type, x, y);
  // With 1 in place of the overflowing -1 the quotient is already MIN.
  Value* result = quotient(b, type, x, g.divisor);
  return ir.CreateSelect(g.by_zero, b.int_like(x, ~std::uint64_t{0}), result);
}

Value* emit_integer_remainder(SimdBuilder& b, ElementType type, Value* x, Value* y) {
  auto& ir = b.ir();
  Guarded g = guard(b, type, x, y);
  // With 1 in place of the overflowing -1 the remainder is already 0.
  Value* result = divides_in_doubles(b, element_type_info(type).bits, y)
                      ? divide_64_bits(b, Part::kRemainder, is_signed_integer(type), x, g.divisor)
                      : ir.CreateSub(x, ir.CreateMul(quotient(b, type, x, g.divisor), g.divisor));
  return ir.CreateSelect(g.by_zero, x, result);
}

Value* emit_integer_power(SimdBuilder& b, ElementType type, Value* x, Value* y) {
  auto& ir = b.ir();
  Value* one = b.int_like(x, 1);
  Value* zero = b.int_like(x, 0);
  auto left = [&](const Values& v) { return b.any(ir.CreateICmpNE(v[2], zero)); };
  auto square_and_multiply = [&](const Values& v) {
    Value* odd = ir.CreateICmpNE(ir.CreateAnd(v[2], one), zero);
    Value* result = ir.CreateSelect(odd, ir.CreateMul(v[0], v[1]), v[0]);
    return Values{result, ir.CreateMul(v[1], v[1]), ir.CreateLShr(v[2], 1)};
  };
  Value* result = b.while_loop({one, x, y}, left, square_and_multiply)[0];
  if (!is_signed_integer(type)) return result;
  // For the bases -1 and 1, squaring by the exponent's bits is right for negative exponents, too.
  Value* minus_one = b.int_like(x, ~std::uint64_t{0});
  Value* unit = ir.CreateOr(ir.CreateICmpEQ(x, one), ir.CreateICmpEQ(x, minus_one));
  Value* vanishes = ir.CreateAnd(ir.CreateICmpSLT(y, zero), ir.CreateNot(unit));
  return ir.CreateSelect(vanishes, zero, result);
}

Value* emit_multiply_high(SimdBuilder& b, ElementType type, Value* x, Value* y) {
  auto& ir = b.ir();
  const unsigned bits = static_cast<unsigned>(element_type_info(type).bits);
  llvm::Type* wide = b.wide(ir.getIntNTy(2 * bits));
  const bool is_signed = is_signed_integer(type);
  auto widen = [&](Value* v) { return is_signed ? ir.CreateSExt(v, wide) : ir.CreateZExt(v, wide); };
  Value* product = ir.CreateMul(widen(x), widen(y));
  return ir.CreateTrunc(ir.CreateLShr(product, bits), x->getType());
}

Value* emit_shift(SimdBuilder& b, Shift shift, Value* x, Value* amount) {
  auto& ir = b.ir();
  const std::uint64_t bits = x->getType()->getScalarSizeInBits();
  Value* past = ir.CreateICmpUGE(amount, b.int_like(amount, bits));
  Value* most = shift == Shift::kRightArithmetic ? b.int_like(amount, bits - 1) : b.int_like(amount, 0);
  Value* safe = ir.CreateSelect(past, most, amount);
  switch (shift) {
    case Shift::kLeft: return ir.CreateSelect(past, b.int_like(x, 0), ir.CreateShl(x, safe));
    case Shift::kRightLogical: return ir.CreateSelect(past, b.int_like(x, 0), ir.CreateLShr(x, safe));
    case Shift::kRightArithmetic: return ir.CreateAShr(x, safe);
  }
  return x;
}

}  // namespace hilo::cpu
