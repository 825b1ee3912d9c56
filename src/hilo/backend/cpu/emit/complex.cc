// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/complex.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <limits>
#include <string>

#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {
namespace {

using hlo::Opcode;
using llvm::Value;

ComplexParts added(SimdBuilder& b, const ComplexParts& x, const ComplexParts& y) {
  return {b.ir().CreateFAdd(x.real, y.real), b.ir().CreateFAdd(x.imag, y.imag)};
}

/// Computes the product by its definition, as XLA does. Infinities aren't recovered.
ComplexParts multiplied(SimdBuilder& b, const ComplexParts& x, const ComplexParts& y) {
  auto& ir = b.ir();
  return {ir.CreateFSub(ir.CreateFMul(x.real, y.real), ir.CreateFMul(x.imag, y.imag)),
          ir.CreateFAdd(ir.CreateFMul(x.real, y.imag), ir.CreateFMul(x.imag, y.real))};
}

Value* is_infinite(SimdBuilder& b, Value* x) {
  return b.ir().CreateFCmpOEQ(b.abs(x), b.float_like(x, std::numeric_limits<double>::infinity()));
}

Value* is_finite(SimdBuilder& b, Value* x) {
  return b.ir().CreateFCmpOLT(b.abs(x), b.float_like(x, std::numeric_limits<double>::infinity()));
}

/// Returns 1 for infinity and 0 for other numbers, with their sign.
Value* infinity_as_one(SimdBuilder& b, Value* x) {
  Value* size = b.ir().CreateSelect(is_infinite(b, x), b.float_like(x, 1), b.float_like(x, 0));
  return b.copysign(size, x);
}

/// Returns the quotient by C's Annex G of numbers whose computed quotient is NaN: infinities and zeros are preserved.
ComplexParts recovered(SimdBuilder& b, const ComplexParts& x, const ComplexParts& y, const ComplexParts& quotient,
                       Value* lost) {
  auto& ir = b.ir();
  const auto both = [&](Value* p, Value* q) { return ir.CreateAnd(p, q); };
  const auto either = [&](Value* p, Value* q) { return ir.CreateOr(p, q); };
  Value* zero = b.float_like(x.real, 0);
  Value* infinity = b.float_like(x.real, std::numeric_limits<double>::infinity());
  // A number divided by zero.
  Value* by_zero = both(both(ir.CreateFCmpOEQ(y.real, zero), ir.CreateFCmpOEQ(y.imag, zero)),
                        ir.CreateNot(both(is_nan(b, x.real), is_nan(b, x.imag))));
  Value* signed_infinity = b.copysign(infinity, y.real);
  ComplexParts result = {ir.CreateFMul(signed_infinity, x.real), ir.CreateFMul(signed_infinity, x.imag)};
  // An infinite number divided by a finite one.
  Value* infinite =
      both(either(is_infinite(b, x.real), is_infinite(b, x.imag)), both(is_finite(b, y.real), is_finite(b, y.imag)));
  const ComplexParts unit = {infinity_as_one(b, x.real), infinity_as_one(b, x.imag)};
  const ComplexParts conjugate = {y.real, ir.CreateFNeg(y.imag)};
  const ComplexParts direction = multiplied(b, unit, conjugate);
  // A finite number divided by an infinite one.
  Value* vanishing =
      both(either(is_infinite(b, y.real), is_infinite(b, y.imag)), both(is_finite(b, x.real), is_finite(b, x.imag)));
  const ComplexParts flat = {infinity_as_one(b, y.real), ir.CreateFNeg(infinity_as_one(b, y.imag))};
  const ComplexParts nothing = multiplied(b, x, flat);
  const auto choose = [&](Value* at_zero, Value* turned, Value* small, Value* plain) {
    Value* chosen = ir.CreateSelect(vanishing, ir.CreateFMul(zero, small), plain);
    chosen = ir.CreateSelect(infinite, ir.CreateFMul(infinity, turned), chosen);
    return ir.CreateSelect(lost, ir.CreateSelect(by_zero, at_zero, chosen), plain);
  };
  return {choose(result.real, direction.real, nothing.real, quotient.real),
          choose(result.imag, direction.imag, nothing.imag, quotient.imag)};
}

/// Divides c64 numbers in double, where nothing overflows and at most one cancellation occurs.
ComplexParts divided_f32(SimdBuilder& b, const ComplexParts& x, const ComplexParts& y) {
  auto& ir = b.ir();
  llvm::Type* wide = b.wide(ir.getDoubleTy());
  const auto widened = [&](const ComplexParts& v) {
    return ComplexParts{ir.CreateFPExt(v.real, wide), ir.CreateFPExt(v.imag, wide)};
  };
  const ComplexParts n = widened(x), d = widened(y);
  Value* size = ir.CreateFAdd(ir.CreateFMul(d.real, d.real), ir.CreateFMul(d.imag, d.imag));
  const ComplexParts product = multiplied(b, n, {d.real, ir.CreateFNeg(d.imag)});
  llvm::Type* narrow = b.wide(ir.getFloatTy());
  Value* scale = ir.CreateFDiv(b.float_like(size, 1), size);
  return {ir.CreateFPTrunc(ir.CreateFMul(product.real, scale), narrow),
          ir.CreateFPTrunc(ir.CreateFMul(product.imag, scale), narrow)};
}

/// Divides c128 numbers by Smith's method: the ratio of the smaller part of the divisor to the greater one is computed
/// first.
ComplexParts divided_f64(SimdBuilder& b, const ComplexParts& x, const ComplexParts& y) {
  auto& ir = b.ir();
  Value* swap = ir.CreateFCmpOLT(b.abs(y.real), b.abs(y.imag));
  Value* great = ir.CreateSelect(swap, y.imag, y.real);
  Value* small = ir.CreateSelect(swap, y.real, y.imag);
  Value* ratio = ir.CreateFDiv(small, great);
  Value* size = ir.CreateFAdd(ir.CreateFMul(small, ratio), great);
  // If the parts of x are swapped as well: (p + q ratio) / size and (q - p ratio) / size, the second negated.
  Value* p = ir.CreateSelect(swap, x.imag, x.real);
  Value* q = ir.CreateSelect(swap, x.real, x.imag);
  Value* real = ir.CreateFDiv(ir.CreateFAdd(ir.CreateFMul(q, ratio), p), size);
  Value* imag = ir.CreateFDiv(ir.CreateFSub(q, ir.CreateFMul(p, ratio)), size);
  // real: (a ratio + b) / size if swapped, otherwise (a + b ratio) / size; imag: (b ratio - a) / size, otherwise (b - a
  // ratio).
  return {real, ir.CreateSelect(swap, ir.CreateFNeg(imag), imag)};
}

ComplexParts divided(SimdBuilder& b, const ComplexParts& x, const ComplexParts& y) {
  const ComplexParts quotient = is_f64(x.real) ? divided_f64(b, x, y) : divided_f32(b, x, y);
  Value* lost = b.ir().CreateAnd(is_nan(b, quotient.real), is_nan(b, quotient.imag));
  const auto recover = [&] {
    const ComplexParts z = recovered(b, x, y, quotient, lost);
    return Values{z.real, z.imag};
  };
  const Values parts = b.if_else(b.any(lost), recover, [&] { return Values{quotient.real, quotient.imag}; });
  return {parts[0], parts[1]};
}

/// Returns |z| without intermediate overflow. If one part is infinite, the result is infinite, even if the other is
/// NaN.
Value* magnitude(SimdBuilder& b, const ComplexParts& z) {
  auto& ir = b.ir();
  Value* infinite = ir.CreateOr(is_infinite(b, z.real), is_infinite(b, z.imag));
  Value* infinity = b.float_like(z.real, std::numeric_limits<double>::infinity());
  if (!is_f64(z.real)) {
    llvm::Type* wide = b.wide(ir.getDoubleTy());
    Value* x = ir.CreateFPExt(z.real, wide);
    Value* y = ir.CreateFPExt(z.imag, wide);
    Value* root = b.sqrt(ir.CreateFAdd(ir.CreateFMul(x, x), ir.CreateFMul(y, y)));
    return ir.CreateSelect(infinite, infinity, ir.CreateFPTrunc(root, b.wide(ir.getFloatTy())));
  }
  Value* x = b.abs(z.real);
  Value* y = b.abs(z.imag);
  Value* swap = ir.CreateFCmpOLT(x, y);
  Value* great = ir.CreateSelect(swap, y, x);
  Value* small = ir.CreateSelect(swap, x, y);
  Value* ratio = ir.CreateFDiv(small, great);
  Value* root = ir.CreateFMul(great, b.sqrt(b.mul_add(ratio, ratio, b.float_like(x, 1))));
  Value* zero = b.float_like(x, 0);
  Value* both_zero = ir.CreateAnd(ir.CreateFCmpOEQ(x, zero), ir.CreateFCmpOEQ(y, zero));
  return ir.CreateSelect(infinite, infinity, ir.CreateSelect(both_zero, zero, root));
}

/// Returns z / |z|, and 0 for 0.
ComplexParts sign(SimdBuilder& b, const ComplexParts& z) {
  auto& ir = b.ir();
  Value* size = magnitude(b, z);
  Value* zero = b.float_like(size, 0);
  Value* none = ir.CreateFCmpOEQ(size, zero);
  return {ir.CreateSelect(none, zero, ir.CreateFDiv(z.real, size)),
          ir.CreateSelect(none, zero, ir.CreateFDiv(z.imag, size))};
}

/// Returns e^x (cos y + i sin y). If e^x alone would overflow or lose bits, its square root is multiplied in twice.
ComplexParts exponential(SimdBuilder& b, const ComplexParts& z) {
  auto& ir = b.ir();
  Value* zero = b.float_like(z.real, 0);
  Value* infinity = b.float_like(z.real, std::numeric_limits<double>::infinity());
  Value* extreme = ir.CreateFCmpOGT(b.abs(z.real), b.float_like(z.real, is_f64(z.real) ? 700 : 80));
  Value* half = ir.CreateFMul(z.real, b.float_like(z.real, 0.5));
  Value* size = emit_exp(b, ir.CreateSelect(extreme, half, z.real));
  const auto sized = [&](Value* part) {
    Value* once = ir.CreateFMul(size, part);
    return ir.CreateSelect(extreme, ir.CreateFMul(size, once), once);
  };
  Value* real = sized(emit_cos(b, z.imag));
  // On the real axis the imaginary part stays zero: infinity times sin 0 would be NaN.
  Value* imag = ir.CreateSelect(ir.CreateFCmpOEQ(z.imag, zero), z.imag, sized(emit_sin(b, z.imag)));
  // If x is infinite and y isn't finite, the magnitude is known but not the direction: the result is zero or infinity.
  Value* lost = ir.CreateAnd(is_infinite(b, z.real), ir.CreateNot(is_finite(b, z.imag)));
  Value* vanishes = ir.CreateAnd(lost, ir.CreateFCmpOLT(z.real, zero));
  real = ir.CreateSelect(lost, ir.CreateSelect(vanishes, zero, infinity), real);
  return {real, ir.CreateSelect(vanishes, zero, imag)};
}

/// Calls the reference's function of that name for every lane: library/math/complex_math.cc.
Value* call_reference(SimdBuilder& b, Opcode opcode, ElementType type, std::span<Value* const> operands) {
  return call_by_lanes(b, fmt::format("hilo_{}_{}", hlo::opcode_name(opcode), element_type_name(type)), type, operands);
}

Value* compared(SimdBuilder& b, const hlo::CompareAttributes& attributes, const ComplexParts& x,
                const ComplexParts& y) {
  auto& ir = b.ir();
  if (attributes.direction == hlo::ComparisonDirection::kEq)
    return ir.CreateAnd(ir.CreateFCmpOEQ(x.real, y.real), ir.CreateFCmpOEQ(x.imag, y.imag));
  return ir.CreateOr(ir.CreateFCmpUNE(x.real, y.real), ir.CreateFCmpUNE(x.imag, y.imag));
}

}  // namespace

ComplexParts parts_of(SimdBuilder& b, Value* value) {
  using namespace llvm::PatternMatch;
  auto& ir = b.ir();
  const unsigned width = value->getType()->getScalarSizeInBits() / 2;
  Value* real = nullptr;
  Value* imag = nullptr;
  if (match(value, m_Or(m_ZExt(m_Value(real)), m_Shl(m_ZExt(m_Value(imag)), m_SpecificInt(width)))) &&
      real->getType()->getScalarSizeInBits() == width && imag->getType() == real->getType())
    return {b.from_bits(real), b.from_bits(imag)};
  llvm::Type* part = b.wide(ir.getIntNTy(width));
  return {b.from_bits(ir.CreateTrunc(value, part)), b.from_bits(ir.CreateTrunc(ir.CreateLShr(value, width), part))};
}

Value* join(SimdBuilder& b, const ComplexParts& parts) {
  auto& ir = b.ir();
  const unsigned width = parts.real->getType()->getScalarSizeInBits();
  llvm::Type* whole = b.wide(ir.getIntNTy(2 * width));
  Value* low = ir.CreateZExt(b.bits(parts.real), whole);
  Value* high = ir.CreateShl(ir.CreateZExt(b.bits(parts.imag), whole), width);
  return ir.CreateOr(low, high);
}

Value* select_complex(SimdBuilder& b, Value* mask, Value* yes, Value* no) {
  const ComplexParts x = parts_of(b, yes), y = parts_of(b, no);
  return join(b, {b.ir().CreateSelect(mask, x.real, y.real), b.ir().CreateSelect(mask, x.imag, y.imag)});
}

StatusOr<Value*> emit_complex(SimdBuilder& b, Opcode opcode, ElementType type, const hlo::Attributes* attributes,
                              std::span<Value* const> operands) {
  auto& ir = b.ir();
  if (opcode == Opcode::kCopy) return operands[0];
  if (opcode == Opcode::kSelect) {
    return select_complex(b, operands[0], operands[1], operands[2]);
  }
  const ComplexParts x = parts_of(b, operands[0]);
  const ComplexParts y = operands.size() > 1 ? parts_of(b, operands[1]) : ComplexParts{};
  switch (opcode) {  // NOLINT: partial on purpose; all other opcodes call the reference's function
    case Opcode::kAbs: return magnitude(b, x);
    case Opcode::kReal: return x.real;
    case Opcode::kImag: return x.imag;
    case Opcode::kNegate: return join(b, {ir.CreateFNeg(x.real), ir.CreateFNeg(x.imag)});
    case Opcode::kAdd: return join(b, added(b, x, y));
    case Opcode::kSubtract: return join(b, {ir.CreateFSub(x.real, y.real), ir.CreateFSub(x.imag, y.imag)});
    case Opcode::kMultiply: return join(b, multiplied(b, x, y));
    case Opcode::kDivide: return join(b, divided(b, x, y));
    case Opcode::kSign: return join(b, sign(b, x));
    case Opcode::kExp: return join(b, exponential(b, x));
    case Opcode::kCompare: return compared(b, static_cast<const hlo::CompareAttributes&>(*attributes), x, y);
    default: return call_reference(b, opcode, type, operands);
  }
}

Value* emit_complex_multiply_add(SimdBuilder& b, Value* x, Value* y, Value* accumulator) {
  const ComplexParts product = multiplied(b, parts_of(b, x), parts_of(b, y));
  return join(b, added(b, product, parts_of(b, accumulator)));
}

}  // namespace hilo::cpu
