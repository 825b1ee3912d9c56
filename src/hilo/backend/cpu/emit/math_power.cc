// SPDX-License-Identifier: Apache-2.0
// pow, cbrt, rsqrt, erf. The f32 pow and cbrt compute log2 and exp2 in f64, which has enough digits. The f64 ones call
// the C library.
#include <limits>

#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// With s = f/(2+f): (log(1+f) - 2s) / s^3 as a function of s^2, to 2^-43; and 2^x on |x| <= 1/2, to 2^-34. Remez fits.
constexpr std::array<double, 5> kLogSeries = {0x1.555555562bab8p-1, 0x1.999996814589ep-2, 0x1.2494241ea42d0p-2,
                                              0x1.c624aa218a96ep-3, 0x1.917834a05b1cep-3};
constexpr std::array<double, 8> kExp2 = {0x1.ffffffffa70d4p-1,  0x1.62e42fef6cd5bp-1, 0x1.ebfbe0aa0b859p-3,
                                         0x1.c6b08e06fb452p-5,  0x1.3b29d8b5c517cp-7, 0x1.5d8715a6b944cp-10,
                                         0x1.446c7d834829fp-13, 0x1.00f7b886dc9e3p-16};

/// Computes log2 of positive f64 lanes that were f32 (so none is denormal), accurate to 2^-40.
Value* log2_f64(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  Split parts = split(b, x);
  Value* f = ir.CreateFSub(parts.mantissa, b.f64(1.0));
  Value* s = ir.CreateFDiv(f, ir.CreateFAdd(f, b.f64(2.0)));
  Value* z = ir.CreateFMul(s, s);
  Value* log = b.mul_add(ir.CreateFMul(s, z), b.polynomial(z, kLogSeries), ir.CreateFAdd(s, s));
  return b.mul_add(log, b.f64(kLog2E), parts.exponent);
}

/// Computes 2^t rounded to f32, including denormal results; NaN stays NaN.
Value* exp2_to_f32(SimdBuilder& b, Value* t) {
  auto& ir = b.ir();
  Value* inside = at_most(b, at_least(b, t, -160.0), 140.0);
  Rounded n = round_product(b, inside, 1.0);
  Value* power = b.polynomial(ir.CreateFSub(inside, n.value), kExp2);
  return ir.CreateFPTrunc(ir.CreateFMul(power, power_of_two(b, n.integer)), b.wide(ir.getFloatTy()));
}

struct IntegerTest {
  Value* is_integer;
  Value* is_odd;
};

IntegerTest test_integer(SimdBuilder& b, Value* y) {
  auto& ir = b.ir();
  Value* small = ir.CreateFCmpOLT(b.abs(y), b.f64(0x1p30));
  Rounded n = round_product(b, y, 1.0);
  Value* whole = ir.CreateFCmpOEQ(n.value, y);
  Value* low_bit = ir.CreateAnd(n.integer, b.i64(1));
  Value* odd = ir.CreateAnd(ir.CreateICmpNE(low_bit, b.i64(0)), ir.CreateAnd(whole, small));
  // An f32 beyond 2^30 is an even integer, as is infinity.
  Value* large = ir.CreateFCmpOGE(b.abs(y), b.f64(0x1p30));
  return {ir.CreateOr(ir.CreateAnd(whole, small), large), odd};
}

Value* pow_f32(SimdBuilder& b, Value* x, Value* y) {
  auto& ir = b.ir();
  llvm::Type* wide = b.wide(ir.getDoubleTy());
  Value* magnitude = ir.CreateFPExt(b.abs(x), wide);
  Value* exponent = ir.CreateFPExt(y, wide);
  Value* log = log2_f64(b, magnitude);
  log = ir.CreateSelect(equals(b, magnitude, 0.0), b.f64(-kInfinity), log);
  log = ir.CreateSelect(ir.CreateFCmpUEQ(magnitude, b.f64(kInfinity)), magnitude, log);  // infinity and NaN
  Value* result = exp2_to_f32(b, ir.CreateFMul(exponent, log));
  IntegerTest test = test_integer(b, exponent);
  Value* negative = ir.CreateICmpSLT(b.bits(x), b.i32(0));
  Value* flips = ir.CreateAnd(negative, test.is_odd);
  result = ir.CreateSelect(flips, ir.CreateFNeg(result), result);
  Value* below_zero = ir.CreateAnd(ir.CreateFCmpOLT(x, b.f32(0.0f)), ir.CreateFCmpOGT(x, b.f32(-kInfinity)));
  Value* undefined = ir.CreateAnd(below_zero, ir.CreateNot(test.is_integer));
  result = ir.CreateSelect(undefined, b.f32(std::numeric_limits<float>::quiet_NaN()), result);
  // 1 for any other operand: x^0 and 1^y, and (-1)^(+-infinity).
  Value* infinite = equals(b, b.abs(y), kInfinity);
  Value* is_one = ir.CreateOr(equals(b, y, 0.0), equals(b, x, 1.0));
  is_one = ir.CreateOr(is_one, ir.CreateAnd(equals(b, x, -1.0), infinite));
  return ir.CreateSelect(is_one, b.f32(1.0f), result);
}

Value* cbrt_f32(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* magnitude = ir.CreateFPExt(b.abs(x), b.wide(ir.getDoubleTy()));
  Value* third = ir.CreateFMul(log2_f64(b, magnitude), b.f64(0x1.5555555555555p-2));
  Value* root = b.copysign(exp2_to_f32(b, third), x);
  // The cube roots of zeros, infinities and NaN are their arguments.
  Value* ordinary = ir.CreateAnd(ir.CreateFCmpOGT(b.abs(x), b.f32(0.0f)), ir.CreateFCmpOLT(b.abs(x), b.f32(kInfinity)));
  return ir.CreateSelect(ordinary, root, x);
}

// erf x = x + x*E(x^2) for |x| < 1, and 1 - e^P(|x|) for 1 <= |x| <= 4.05, where P fits log erfc. Remez fits.
constexpr std::array<float, 7> kErfSmall = {0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2d20p-4f, -0x1.b7fbb4p-6f,
                                            0x1.5419f6p-8f, -0x1.a485f0p-11f, 0x1.4ae4d8p-14f};
constexpr std::array<float, 8> kErfcLog = {0x1.8a56d8p-13f, -0x1.212c0cp+0f, -0x1.443568p-1f, -0x1.bc1514p-4f,
                                           0x1.9d02fep-6f,  -0x1.138cb4p-8f, 0x1.cec5e6p-12f, -0x1.6bd7c0p-16f};

Value* erf_f32(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* magnitude = at_most(b, b.abs(x), 4.05);
  Value* square = ir.CreateFMul(magnitude, magnitude);
  Value* small = b.mul_add(magnitude, b.polynomial(square, kErfSmall), magnitude);
  Value* large = ir.CreateFSub(b.f32(1.0f), emit_normal_exp(b, b.polynomial(magnitude, kErfcLog)));
  return b.copysign(ir.CreateSelect(ir.CreateFCmpOGE(magnitude, b.f32(1.0f)), large, small), x);
}

}  // namespace

Value* emit_pow(SimdBuilder& b, Value* x, Value* y) {
  return is_f64(x) ? call_scalar(b, "pow", x, y) : pow_f32(b, x, y);
}

Value* emit_cbrt(SimdBuilder& b, Value* x) { return is_f64(x) ? call_scalar(b, "cbrt", x, nullptr) : cbrt_f32(b, x); }

/// A Newton step corrects the two rounding errors of y = 1 / sqrt(x): y + y/2 (1 - x y^2).
Value* emit_rsqrt(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  if (!is_f64(x) && b.isa() == Isa::kSse2) {  // a fused multiply-add would be a library call per lane
    Value* wide = ir.CreateFPExt(x, b.wide(ir.getDoubleTy()));
    return ir.CreateFPTrunc(ir.CreateFDiv(b.f64(1), b.sqrt(wide)), b.wide(ir.getFloatTy()));
  }
  Value* one = constant(b, x, 1.0);
  Value* y = ir.CreateFDiv(one, b.sqrt(x));
  Value* product = ir.CreateFMul(x, y);
  Value* lost = b.fma(x, y, ir.CreateFNeg(product));
  Value* off = b.fma(ir.CreateFNeg(lost), y, b.fma(ir.CreateFNeg(product), y, one));
  Value* better = b.fma(ir.CreateFMul(y, constant(b, x, 0.5)), off, y);
  return ir.CreateSelect(ir.CreateFCmpORD(off, off), better, y);  // 0, infinity and NaN stay unchanged
}

Value* emit_erf(SimdBuilder& b, Value* x) { return is_f64(x) ? call_scalar(b, "erf", x, nullptr) : erf_f32(b, x); }

}  // namespace hilo::cpu
