// SPDX-License-Identifier: Apache-2.0
// log and log1p: x = m * 2^e, f = m - 1, log x = e*ln(2) + log(1+f).
#include <limits>

#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

// (log(1+f) - f + f^2/2) / f^3 on [sqrt(1/2)-1, sqrt(2)-1], a Remez fit.
constexpr std::array<float, 9> kLogF32 = {0x1.555546p-2f,  -0x1.ffffeep-3f, 0x1.99a562p-3f,
                                          -0x1.5562dcp-3f, 0x1.23304cp-3f,  -0x1.fb4132p-4f,
                                          0x1.e6765cp-4f,  -0x1.e305bap-4f, 0x1.1b0a22p-4f};
// With s = f/(2+f): (log(1+f) - 2s) / s^3 as a function of s^2, a Remez fit.
constexpr std::array<double, 8> kLogF64 = {0x1.5555555555555p-1, 0x1.9999999999e69p-2, 0x1.2492492422ee2p-2,
                                           0x1.c71c7262c827cp-3, 0x1.745cdb26b027ep-3, 0x1.3b21312d769ffp-3,
                                           0x1.0f5106dc4e634p-3, 0x1.0fcde380e840fp-3};

// The same to 2^-43.
constexpr std::array<double, 5> kShortLog = {0x1.555555562bab8p-1, 0x1.999996814589ep-2, 0x1.2494241ea42d0p-2,
                                             0x1.c624aa218a96ep-3, 0x1.917834a05b1cep-3};

Value* log_f32(SimdBuilder& b, Value* f, Value* e) {
  auto& ir = b.ir();
  Value* square = ir.CreateFMul(f, f);
  Value* rest = ir.CreateFMul(ir.CreateFMul(f, square), b.polynomial(f, kLogF32));
  rest = b.mul_add(e, b.f32(-0x1.bd0106p-13f), rest);
  rest = b.mul_add(square, b.f32(-0.5f), rest);
  return b.mul_add(e, b.f32(0x1.63p-1f), ir.CreateFAdd(f, rest));
}

// Computes log(1+f) = f - h + s*(h + series) with h = f^2/2. Without FMA the rounding errors of the products are
// assumed to be zero. `rest` is added to the result before it is rounded; null for none.
Value* log_f64(SimdBuilder& b, Value* f, Value* e, Value* rest) {
  auto& ir = b.ir();
  Value* divisor = ir.CreateFAdd(f, b.f64(2.0));
  Value* divisor_lost = ir.CreateFSub(f, ir.CreateFSub(divisor, b.f64(2.0)));
  Value* s = ir.CreateFDiv(f, divisor);
  Value* inverse = b.mul_add(f, b.mul_add(f, b.f64(0.125), b.f64(-0.25)), b.f64(0.5));  // of 2 + f, a few digits
  Value* minus_s = ir.CreateFNeg(s);
  Value* s_lost = ir.CreateFMul(b.mul_add(minus_s, divisor_lost, b.mul_add(minus_s, divisor, f)), inverse);
  Value* z = ir.CreateFMul(s, s);
  Value* series = ir.CreateFMul(z, b.polynomial(z, kLogF64));
  Value* half_square = ir.CreateFMul(ir.CreateFMul(f, f), b.f64(0.5));
  Value* square_lost = b.mul_add(ir.CreateFMul(f, b.f64(0.5)), f, ir.CreateFNeg(half_square));
  // The product and its rounding error.
  Value* factor = ir.CreateFAdd(half_square, series);
  Value* factor_lost = ir.CreateFAdd(ir.CreateFAdd(ir.CreateFSub(half_square, factor), series), square_lost);
  Value* product = ir.CreateFMul(s, factor);
  Value* lost = b.mul_add(s, factor, ir.CreateFNeg(product));
  lost = b.mul_add(s, factor_lost, lost);
  lost = b.mul_add(s_lost, factor, lost);
  lost = b.mul_add(e, b.f64(0x1.a39ef35793c76p-33), lost);
  if (rest != nullptr) lost = ir.CreateFAdd(lost, rest);
  // e*ln(2), which is exact and either 0 or greater than f; f; h; the product.
  Value* start = ir.CreateFMul(e, b.f64(0x1.62e42fee00000p-1));
  Value* first = ir.CreateFAdd(start, f);
  lost = ir.CreateFAdd(lost, ir.CreateFSub(f, ir.CreateFSub(first, start)));
  Value* second = ir.CreateFSub(first, half_square);
  lost = ir.CreateFAdd(lost, ir.CreateFSub(ir.CreateFSub(first, second), half_square));
  lost = ir.CreateFSub(lost, square_lost);
  Value* all = ir.CreateFAdd(second, product);
  lost = ir.CreateFAdd(lost, ir.CreateFAdd(ir.CreateFSub(second, all), product));
  return ir.CreateFAdd(all, lost);
}

Value* log_of(SimdBuilder& b, Value* f, Value* e) { return is_f64(f) ? log_f64(b, f, e, nullptr) : log_f32(b, f, e); }

/// Returns 2^-e of an exponent as a float.
Value* inverse_power_of_two(SimdBuilder& b, Value* e) {
  auto& ir = b.ir();
  Value* magic = constant(b, e, is_f64(e) ? 0x1.8p52 : 0x1.8p23);
  return power_of_two(b, ir.CreateSub(b.bits(magic), b.bits(ir.CreateFAdd(e, magic))));
}

/// Returns log's result for arguments x that aren't positive and finite.
Value* with_special_values(SimdBuilder& b, Value* x, Value* result) {
  auto& ir = b.ir();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Value* nan = constant(b, x, std::numeric_limits<double>::quiet_NaN());
  result = ir.CreateSelect(equals(b, x, kInfinity), x, result);
  result = ir.CreateSelect(ir.CreateFCmpULT(x, constant(b, x, 0.0)), nan, result);  // negative or NaN
  return ir.CreateSelect(equals(b, x, 0.0), constant(b, x, -kInfinity), result);
}

}  // namespace

Value* emit_log(SimdBuilder& b, Value* x) {
  Split parts = split(b, x);
  Value* f = b.ir().CreateFSub(parts.mantissa, constant(b, x, 1.0));
  return with_special_values(b, x, log_of(b, f, parts.exponent));
}

// u = 1+x is rounded, but f = (1+x) * 2^-e - 1 = x * 2^-e + (2^-e - 1) is exact. For large x it isn't, but there the
// error is negligible.
Value* emit_log1p(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* one = constant(b, x, 1.0);
  Value* u = ir.CreateFAdd(x, one);
  Split parts = split_normal(b, u);  // close to 0 it is no less than the last place of 1
  Value* power = inverse_power_of_two(b, parts.exponent);
  Value* exact = b.mul_add(x, power, ir.CreateFSub(power, one));
  Value* far = ir.CreateFCmpOGT(x, constant(b, x, 0x1p60));
  Value* f = ir.CreateSelect(far, ir.CreateFSub(parts.mantissa, one), exact);
  Value* result = with_special_values(b, u, log_of(b, f, parts.exponent));
  return ir.CreateSelect(equals(b, x, 0.0), x, result);
}

// The slope of the logarithm at the mantissa m is 1/m.
Value* emit_log_of(SimdBuilder& b, const DoubleDouble& x, Value* power) {
  auto& ir = b.ir();
  const Split parts = split_normal(b, x.high);
  Value* f = ir.CreateFSub(parts.mantissa, b.f64(1));
  Value* f_low = ir.CreateFMul(x.low, inverse_power_of_two(b, parts.exponent));
  return log_f64(b, f, ir.CreateFAdd(parts.exponent, power), ir.CreateFDiv(f_low, parts.mantissa));
}

Value* emit_short_log2(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Split parts = split_normal(b, x);
  Value* f = ir.CreateFSub(parts.mantissa, b.f64(1.0));
  Value* s = ir.CreateFDiv(f, ir.CreateFAdd(f, b.f64(2.0)));
  Value* z = ir.CreateFMul(s, s);
  Value* log = b.mul_add(ir.CreateFMul(s, z), b.polynomial(z, kShortLog), ir.CreateFAdd(s, s));
  return b.mul_add(log, b.f64(0x1.71547652b82fep+0), parts.exponent);
}

}  // namespace hilo::cpu
