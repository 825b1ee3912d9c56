// SPDX-License-Identifier: Apache-2.0
// sin, cos, tan. x = n*pi/2 + r with |r| <= pi/4, quadrant n mod 4. If the angle is too large for this
// reduction, the lane calls the C library.
#include <array>
#include <limits>
#include <span>

#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

// Maximum |x| of the fast reduction: n times each short part of pi/2 must be exact (33 + 20 bits).
constexpr double kFastF32 = 0x1p20;
constexpr double kFastF64 = 0x1p16;

constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;

// sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2), tan r = r + r^3 T(r^2) on |r| <= pi/4, Remez fits.
constexpr std::array<double, 4> kSinF32 = {-0x1.555556p-3, 0x1.111108p-7, -0x1.a00f94p-13, 0x1.6cd5ecp-19};
constexpr std::array<double, 4> kCosF32 = {0x1.555556p-5, -0x1.6c16b8p-10, 0x1.a01118p-16, -0x1.24290ap-22};
constexpr std::array<double, 7> kTanF32 = {0x1.555562p-2, 0x1.110d38p-3,   0x1.baea36p-5, 0x1.5c22f0p-6,
                                           0x1.65cd98p-7, -0x1.9dc3a4p-17, 0x1.21fcc2p-8};
constexpr std::array<double, 7> kSinF64 = {-0x1.5555555555555p-3, 0x1.111111111110bp-7,   -0x1.a01a01a018ab3p-13,
                                           0x1.71de3a533562ap-19, -0x1.ae645292e06b6p-26, 0x1.61208f3386372p-33,
                                           -0x1.aaa381204e640p-41};
constexpr double kSinF64FirstRest = -0x1.5555555555555p-57;  // of -1/6
constexpr std::array<double, 7> kCosF64 = {0x1.5555555555555p-5,   -0x1.6c16c16c16c10p-10, 0x1.a01a01a018dbfp-16,
                                           -0x1.27e4fb75fa938p-22, 0x1.1eed8ca0600b9p-29,  -0x1.9393347b57428p-37,
                                           0x1.aac3f44942afbp-45};
constexpr double kCosF64FirstRest = 0x1.5555555555555p-59;  // of 1/24
struct Angle {
  Value* high;      // r, in f64
  Value* low;       // the rounding error of r; null for f32, which computes in f64 and rounds once, at the end
  Value* quadrant;  // integer lanes as wide as x
};

// Reduces in f64, where everything except the last product is exact.
Angle reduce_f32(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* wide = ir.CreateFPExt(x, b.wide(ir.getDoubleTy()));
  Rounded n = round_product(b, wide, kTwoOverPi);
  Value* r = b.mul_add(n.value, b.f64(-0x1.921fb54400000p+0), wide);
  r = b.mul_add(n.value, b.f64(-0x1.0b4611a626331p-34), r);
  Value* quadrant = ir.CreateTrunc(n.integer, b.wide(ir.getInt32Ty()));
  return {r, nullptr, quadrant};
}

// Subtracts pi/2 in three parts of 33 bits and a remainder. The first two steps are exact; `low` collects the
// remainder.
Angle reduce_f64(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Rounded n = round_product(b, x, kTwoOverPi);
  Value* first = b.mul_add(n.value, b.f64(-0x1.921fb54400000p+0), x);
  Value* product = ir.CreateFMul(n.value, b.f64(0x1.0b4611a600000p-34));
  Value* sum = ir.CreateFSub(first, product);
  Value* lost = ir.CreateFSub(ir.CreateFSub(first, sum), product);
  lost = b.mul_add(n.value, b.f64(-0x1.3198a2e000000p-69), lost);
  lost = b.mul_add(n.value, b.f64(-0x1.b839a252049c1p-104), lost);
  Value* r = ir.CreateFAdd(sum, lost);
  return {r, ir.CreateFAdd(ir.CreateFSub(sum, r), lost), n.integer};
}

Angle reduce_angle(SimdBuilder& b, Value* x) { return is_f64(x) ? reduce_f64(b, x) : reduce_f32(b, x); }

/// Returns the sine of the remaining angle; its low part is null for f32.
DoubleDouble sin_of(SimdBuilder& b, const Angle& a) {
  auto& ir = b.ir();
  Value* z = ir.CreateFMul(a.high, a.high);
  Value* cube = ir.CreateFMul(z, a.high);
  if (a.low == nullptr) return {b.mul_add(cube, b.polynomial(z, kSinF32), a.high), nullptr};
  // r^3 and its product with the first coefficient, with their rounding errors.
  Value* z_lost = b.mul_add(a.high, a.high, ir.CreateFNeg(z));
  Value* cube_lost = b.mul_add(z_lost, a.high, b.mul_add(z, a.high, ir.CreateFNeg(cube)));
  Value* first = ir.CreateFMul(cube, b.f64(kSinF64[0]));
  Value* lost = b.mul_add(cube, b.f64(kSinF64[0]), ir.CreateFNeg(first));
  lost = b.mul_add(cube_lost, b.f64(kSinF64[0]), lost);
  lost = b.mul_add(cube, b.f64(kSinF64FirstRest), lost);
  // sin(r + low) = sin r + low * cos r
  Value* slope = b.mul_add(z, b.mul_add(z, b.f64(1.0 / 24), b.f64(-0.5)), b.f64(1.0));
  Value* rest = b.mul_add(a.low, slope, lost);
  rest = b.mul_add(ir.CreateFMul(cube, z), b.polynomial(z, std::span(kSinF64).subspan(1)), rest);
  const DoubleDouble sum = fast_two_sum(b, a.high, first);
  return fast_two_sum(b, sum.high, ir.CreateFAdd(rest, sum.low));
}

/// Returns the cosine likewise.
DoubleDouble cos_of(SimdBuilder& b, const Angle& a) {
  auto& ir = b.ir();
  Value* one = constant(b, a.high, 1.0);
  Value* z = ir.CreateFMul(a.high, a.high);
  if (a.low == nullptr) return {b.mul_add(z, b.mul_add(z, b.polynomial(z, kCosF32), b.f64(-0.5)), one), nullptr};
  Value* half = ir.CreateFMul(z, b.f64(0.5));
  Value* start = ir.CreateFSub(one, half);
  Value* square = ir.CreateFMul(z, z);
  // The rounding error of 1 - r^2/2; cos(r + low) = cos r - low * sin r.
  Value* lost = ir.CreateFSub(ir.CreateFSub(one, start), half);
  lost = b.mul_add(ir.CreateFMul(a.high, a.low), b.mul_add(z, b.f64(1.0 / 6), b.f64(-1.0)), lost);
  Value* z_lost = b.mul_add(a.high, a.high, ir.CreateFNeg(z));
  lost = b.mul_add(z_lost, b.f64(-0.5), lost);
  // r^4 and its product with the first coefficient, with their rounding errors.
  Value* square_lost = b.mul_add(ir.CreateFAdd(z, z), z_lost, b.mul_add(z, z, ir.CreateFNeg(square)));
  Value* first = ir.CreateFMul(square, b.f64(kCosF64[0]));
  lost = ir.CreateFAdd(lost, b.mul_add(square, b.f64(kCosF64[0]), ir.CreateFNeg(first)));
  lost = b.mul_add(square_lost, b.f64(kCosF64[0]), lost);
  lost = b.mul_add(square, b.f64(kCosF64FirstRest), lost);
  lost = b.mul_add(ir.CreateFMul(square, z), b.polynomial(z, std::span(kCosF64).subspan(1)), lost);
  const DoubleDouble sum = fast_two_sum(b, start, first);
  return fast_two_sum(b, sum.high, ir.CreateFAdd(lost, sum.low));
}

Value* has_bit(SimdBuilder& b, Value* integers, std::uint64_t bit) {
  Value* masked = b.ir().CreateAnd(integers, b.int_like(integers, bit));
  return b.ir().CreateICmpNE(masked, b.int_like(integers, 0));
}

/// Returns true in lanes whose angle is finite and too large for the fast reduction.
Value* is_huge(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* magnitude = b.abs(x);
  Value* large = ir.CreateFCmpOGT(magnitude, constant(b, x, is_f64(x) ? kFastF64 : kFastF32));
  Value* finite = ir.CreateFCmpOLT(magnitude, constant(b, x, std::numeric_limits<double>::infinity()));
  return ir.CreateAnd(large, finite);
}

/// Computes sin(x + shift*pi/2): quadrants 0 and 2 are +-sin r, 1 and 3 are +-cos r.
Value* sin_shifted(SimdBuilder& b, const Angle& a, std::uint64_t shift) {
  auto& ir = b.ir();
  Value* quadrant = ir.CreateAdd(a.quadrant, b.int_like(a.quadrant, shift));
  const auto rounded = [&](const DoubleDouble& v) { return v.low == nullptr ? in_singles(b, v.high) : v.high; };
  Value *sine = rounded(sin_of(b, a)), *cosine = rounded(cos_of(b, a));
  Value* value = ir.CreateSelect(has_bit(b, quadrant, 1), cosine, sine);
  return ir.CreateSelect(has_bit(b, quadrant, 2), ir.CreateFNeg(value), value);
}

// Next to a multiple of pi/2 it is the sine over the cosine or, if that is odd, -cosine over sine, of the rest.
Value* tan_f64(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  const Angle a = reduce_angle(b, x);
  const DoubleDouble sine = sin_of(b, a), cosine = cos_of(b, a);
  Value* odd = has_bit(b, a.quadrant, 1);
  const DoubleDouble above = select(b, odd, cosine, sine), below = select(b, odd, sine, cosine);
  const DoubleDouble ratio = quotient(b, above, below);
  Value* result = ir.CreateFAdd(ratio.high, ratio.low);
  result = ir.CreateSelect(odd, ir.CreateFNeg(result), result);
  result = ir.CreateSelect(equals(b, x, 0.0), x, result);
  return replace_by_scalar(b, result, is_huge(b, x), "tan", x, nullptr);
}

Value* tan_f32(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Angle a = reduce_angle(b, x);
  Value* z = ir.CreateFMul(a.high, a.high);
  Value* t = b.mul_add(ir.CreateFMul(z, a.high), b.polynomial(z, kTanF32), a.high);
  Value* odd = has_bit(b, a.quadrant, 1);
  Value* result = ir.CreateFDiv(ir.CreateSelect(odd, b.f64(-1.0), t), ir.CreateSelect(odd, t, b.f64(1.0)));
  result = ir.CreateFPTrunc(result, b.wide(ir.getFloatTy()));
  result = ir.CreateSelect(equals(b, x, 0.0), x, result);
  return replace_by_scalar(b, result, is_huge(b, x), "tan", x, nullptr);
}

}  // namespace

Value* emit_sin(SimdBuilder& b, Value* x) {
  Value* result = sin_shifted(b, reduce_angle(b, x), 0);
  result = b.ir().CreateSelect(equals(b, x, 0.0), x, result);
  return replace_by_scalar(b, result, is_huge(b, x), "sin", x, nullptr);
}

Value* emit_cos(SimdBuilder& b, Value* x) {
  return replace_by_scalar(b, sin_shifted(b, reduce_angle(b, x), 1), is_huge(b, x), "cos", x, nullptr);
}

// Without FMA the errors of the sine and the cosine would add up.
Value* emit_tan(SimdBuilder& b, Value* x) { return by_type(b, "tan", x, tan_f64, tan_f32); }

}  // namespace hilo::cpu
