// SPDX-License-Identifier: Apache-2.0
// pow, cbrt, rsqrt, erf. The f32 pow and cbrt compute log2 and exp2 in f64, which has enough digits. The f64 pow calls
// the C library.
#include <limits>
#include <span>

#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 2^x on |x| <= 1/2, to 2^-34, a Remez fit.
constexpr std::array<double, 8> kExp2 = {0x1.ffffffffa70d4p-1,  0x1.62e42fef6cd5bp-1, 0x1.ebfbe0aa0b859p-3,
                                         0x1.c6b08e06fb452p-5,  0x1.3b29d8b5c517cp-7, 0x1.5d8715a6b944cp-10,
                                         0x1.446c7d834829fp-13, 0x1.00f7b886dc9e3p-16};

/// Computes 2^t rounded to f32, including denormal results; NaN stays NaN.
Value* exp2_to_f32(SimdBuilder& b, Value* t) {
  auto& ir = b.ir();
  Value* inside = at_most(b, at_least(b, t, -160.0), 140.0);
  Rounded n = round_product(b, inside, 1.0);
  Value* power = b.polynomial(ir.CreateFSub(inside, n.value), kExp2);
  return in_singles(b, ir.CreateFMul(power, power_of_two(b, n.integer)));
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
  Value* magnitude = in_doubles(b, b.abs(x));
  Value* exponent = in_doubles(b, y);
  Value* log = emit_short_log2(b, magnitude);
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
  Value* magnitude = in_doubles(b, b.abs(x));
  Value* third = ir.CreateFMul(emit_short_log2(b, magnitude), b.f64(0x1.5555555555555p-2));
  Value* root = b.copysign(exp2_to_f32(b, third), x);
  // The cube roots of zeros, infinities and NaN are their arguments.
  Value* ordinary = ir.CreateAnd(ir.CreateFCmpOGT(b.abs(x), b.f32(0.0f)), ir.CreateFCmpOLT(b.abs(x), b.f32(kInfinity)));
  return ir.CreateSelect(ordinary, root, x);
}

// (1+f)^(-1/3) for 1+f from sqrt(1/2) to sqrt(2), to 2^-17. 2^(-k/3) for k = -1, 0, 1, and 2^k, as polynomials in k.
constexpr std::array<double, 6> kInverseCbrt = {0x1.0000410bc360cp+0,  -0x1.55423a92ed340p-2, 0x1.c5d7bc3942e20p-3,
                                                -0x1.68188ff7ffe0fp-3, 0x1.4894d321d64d0p-3,  -0x1.ba916ce97ab98p-4};
constexpr std::array<double, 3> kThirdPowers = {1, -0x1.dd68e9bbaedb3p-3, 0x1.b744985853524p-6};
constexpr std::array<double, 3> kPowers = {1, 0.75, 0.25};

// |x| = m 8^q. y = m^(-1/3) from a polynomial and one step of third order, then m y^2 and its correction by Newton's
// method, with the rounding errors of the cube.
Value* cbrt_f64(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  const Split parts = split(b, b.abs(x));
  const Rounded third = round_product(b, parts.exponent, 1.0 / 3);
  Value* k = b.mul_add(third.value, b.f64(-3), parts.exponent);
  Value* m = ir.CreateFMul(parts.mantissa, b.polynomial(k, kPowers));
  Value* y = b.polynomial(ir.CreateFSub(parts.mantissa, b.f64(1)), kInverseCbrt);
  y = ir.CreateFMul(y, b.polynomial(k, kThirdPowers));
  Value* off = b.mul_add(ir.CreateFNeg(ir.CreateFMul(m, y)), ir.CreateFMul(y, y), b.f64(1));
  y = b.mul_add(ir.CreateFMul(y, off), b.mul_add(off, b.f64(2.0 / 9), b.f64(1.0 / 3)), y);
  Value* square = ir.CreateFMul(y, y);
  Value* root = ir.CreateFMul(m, square);
  Value* root_square = ir.CreateFMul(root, root);
  Value* lost = b.mul_add(root, root, ir.CreateFNeg(root_square));
  Value* beyond = b.mul_add(lost, root, b.mul_add(root_square, root, ir.CreateFNeg(m)));
  root = b.mul_add(ir.CreateFMul(beyond, square), b.f64(-1.0 / 3), root);
  root = b.copysign(ir.CreateFMul(root, power_of_two(b, third.integer)), x);
  // The cube roots of zeros, infinities and NaN are their arguments.
  Value* ordinary = ir.CreateAnd(ir.CreateFCmpOGT(b.abs(x), b.f64(0)), ir.CreateFCmpOLT(b.abs(x), b.f64(kInfinity)));
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

// erf x / x - 1 as a function of x^2 - 1/2 for |x| <= 1, log2 erfc x as one of x - 5/4 for 1 <= x <= 5.93, and 2^r for
// |r| <= 1/2. Remez fits, whose errors are relative to erf. The origins are where digits would cancel otherwise.
constexpr std::array<double, 12> kErfCentral = {-0x1.1ae14dc34815bp-5,  -0x1.1fd16292151fep-2,  0x1.454368017b0d4p-4,
                                                -0x1.2b902b7b2f0c2p-6,  0x1.c82aa249a9cc7p-9,   -0x1.263991b85391fp-11,
                                                0x1.4866392ee0429p-14,  -0x1.429e932df7f75p-17, 0x1.1ad51151eb89ep-20,
                                                -0x1.bf8e9d85e0cecp-24, 0x1.44173f82c5765p-27,  -0x1.abae353b8c9f6p-31};
constexpr std::array<double, 18> kErfcLog2 = {-0x1.d93b7b3fd231ep+1,  -0x1.1b4025315d8bep+2,  -0x1.419dc30a8b04ep+0,
                                              -0x1.8250347800525p-5,  0x1.705be7068ea4dp-7,   -0x1.2fde9667505ddp-9,
                                              0x1.755428a86d22bp-12,  -0x1.e61d1b35ef106p-17, -0x1.062524cfe3e4bp-16,
                                              0x1.f43c4982add0cp-18,  -0x1.188955b04f751p-19, 0x1.8f4613152c7a7p-22,
                                              -0x1.027aa346c9425p-26, -0x1.18ffcd51f9b75p-26, 0x1.b975829649320p-28,
                                              -0x1.619bde5486e31p-30, 0x1.3c80ca6ef0260p-33,  -0x1.f45bc55486768p-38};
constexpr std::array<double, 12> kPowerOf2 = {0x1.0000000000000p+0,  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c5adp-3,
                                              0x1.c6b08d7049fd1p-5,  0x1.3b2ab6fb9f412p-7,  0x1.5d87fe78cf1c5p-10,
                                              0x1.43091310bf98fp-13, 0x1.ffcbfba7e2ab1p-17, 0x1.62bfc3c134acfp-20,
                                              0x1.b526783dd17b0p-24, 0x1.e620fc9bcb408p-28, 0x1.e7aa7a5e4fd95p-32};
constexpr double kErfcOrigin = 1.25;

Value* erf_f64(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* magnitude = at_most(b, b.abs(x), 5.93);
  Value* square = b.mul_add(magnitude, magnitude, b.f64(-0.5));
  Value* small = b.mul_add(magnitude, b.polynomial(square, kErfCentral), magnitude);
  // The last product of the logarithm is added to its first coefficient less the integer part.
  Value* distance = ir.CreateFSub(magnitude, b.f64(kErfcOrigin));
  Value* slope = b.polynomial(distance, std::span(kErfcLog2).subspan(1));
  Value* first = b.f64(kErfcLog2[0]);
  const Rounded n = round_product(b, b.mul_add(slope, distance, first), 1);
  Value* power = b.polynomial(b.mul_add(slope, distance, ir.CreateFSub(first, n.value)), kPowerOf2);
  Value* rest = b.from_bits(ir.CreateAdd(b.bits(power), ir.CreateShl(n.integer, 52)));
  Value* large = ir.CreateFSub(b.f64(1), rest);
  return b.copysign(ir.CreateSelect(ir.CreateFCmpOGE(magnitude, b.f64(1)), large, small), x);
}

/// Returns 1 - x y^2, and the rounding error of x y is not lost.
Value* rest_of_rsqrt(SimdBuilder& b, Value* x, Value* y) {
  auto& ir = b.ir();
  Value* product = ir.CreateFMul(x, y);
  Value* lost = b.fma(x, y, ir.CreateFNeg(product));
  return b.fma(ir.CreateFNeg(lost), y, b.fma(ir.CreateFNeg(product), y, constant(b, x, 1.0)));
}

/// A Newton step corrects the two rounding errors of y = 1 / sqrt(x): y + y/2 (1 - x y^2).
Value* rsqrt_by_division(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* y = ir.CreateFDiv(constant(b, x, 1.0), b.sqrt(x));
  Value* rest = rest_of_rsqrt(b, x, y);
  Value* better = b.fma(ir.CreateFMul(y, constant(b, x, 0.5)), rest, y);
  return ir.CreateSelect(ir.CreateFCmpORD(rest, rest), better, y);  // 0, infinity and NaN stay unchanged
}

/// Newton's method from a linear function of the exponent and the mantissa, 3.5 % off at most, ends with a step of
/// third order. Vectors of AVX-512 are divided at half the rate of others. Other than a processor's own estimate, this
/// has the same bits on all of them.
/// Source   C. Lomont, Fast inverse square root, 2003
Value* rsqrt_of_normal(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* bits = b.bits(x);
  Value* start = b.int_like(bits, is_f64(x) ? 0x5fe6eb50c7b537a9 : 0x5f3759df);
  Value* y = b.from_bits(ir.CreateSub(start, ir.CreateLShr(bits, 1)));
  Value* half = ir.CreateFMul(x, constant(b, x, 0.5));
  for (int step = 0; step < (is_f64(x) ? 3 : 2); ++step)
    y = ir.CreateFMul(y, b.fma(ir.CreateFNeg(half), ir.CreateFMul(y, y), constant(b, x, 1.5)));
  Value* rest = rest_of_rsqrt(b, x, y);
  Value* change = ir.CreateFMul(rest, b.fma(rest, constant(b, x, 0.375), constant(b, x, 0.5)));
  return b.fma(y, change, y);
}

}  // namespace

Value* emit_pow(SimdBuilder& b, Value* x, Value* y) {
  return is_f64(x) ? call_scalar(b, "pow", x, y) : pow_f32(b, x, y);
}

Value* emit_cbrt(SimdBuilder& b, Value* x) { return is_f64(x) ? cbrt_f64(b, x) : cbrt_f32(b, x); }

Value* emit_rsqrt(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  if (!is_f64(x) && !has_fma(b.isa())) {  // a fused multiply-add would be a library call per lane
    Value* wide = ir.CreateFPExt(x, b.wide(ir.getDoubleTy()));
    return ir.CreateFPTrunc(ir.CreateFDiv(b.f64(1), b.sqrt(wide)), b.wide(ir.getFloatTy()));
  }
  if (b.isa() != Isa::kAvx512) return rsqrt_by_division(b, x);
  Value* normal = rsqrt_of_normal(b, x);
  Value* least = constant(b, x, is_f64(x) ? 0x1p-1022 : 0x1p-126);
  Value* is_normal = ir.CreateAnd(ir.CreateFCmpOGE(x, least), ir.CreateFCmpOLT(x, constant(b, x, kInfinity)));
  const auto others = [&] { return Values{ir.CreateSelect(is_normal, normal, rsqrt_by_division(b, x))}; };
  return b.if_else(b.any(ir.CreateNot(is_normal)), others, [&] { return Values{normal}; })[0];
}

Value* emit_erf(SimdBuilder& b, Value* x) { return is_f64(x) ? erf_f64(b, x) : erf_f32(b, x); }

}  // namespace hilo::cpu
