// SPDX-License-Identifier: Apache-2.0
// sinh, cosh, and the inverses of these and of tanh. Those of f32 compute in f64 lanes and round once. The inverses of
// f64 are logarithms of sums that keep their rounding errors; without FMA they call the C library.
#include <limits>
#include <span>

#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

constexpr float kEndless = std::numeric_limits<float>::infinity();
constexpr double kLogOf2 = 0x1.62e42fefa39efp-1;
// Below, the inverse functions of f32 and f64 are their arguments.
constexpr double kTiny = 0x1p-14, kTinyDouble = 0x1p-28;

// (cosh r - 1) / r^2 and (sinh r - r) / r^3 as functions of r^2 for |r| <= 0.3476, Remez fits: for results in f64 and
// in f32.
constexpr std::array<double, 6> kCosh = {0x1.0000000000000p-1,  0x1.555555555555cp-5,  0x1.6c16c16c13e1cp-10,
                                         0x1.a01a01b1ccc67p-16, 0x1.27e4c45f51abap-22, 0x1.1f963fa984636p-29};
constexpr std::array<double, 6> kSinh = {0x1.5555555555555p-3,  0x1.1111111111113p-7,  0x1.a01a01a018795p-13,
                                         0x1.71de3a5edc655p-19, 0x1.ae641bbd61f8bp-26, 0x1.61d84b0835106p-33};
constexpr std::array<double, 3> kCoshSingle = {0x1.000000452b34ap-1, 0x1.55547c4957ea9p-5, 0x1.6d99d2aff4f5dp-10};
constexpr std::array<double, 3> kSinhSingle = {0x1.555555740e5fap-3, 0x1.1110b0a696a06p-7, 0x1.a171f11e250dap-13};

/// x = n ln 2 + r + low for x >= 0, with cosh r = 1 + even, sinh r = r + odd, and (e^(n ln 2) +- e^(-n ln 2)) / 4.
struct HyperbolicParts {
  Value *r, *low, *even, *odd, *sum, *difference;
};

HyperbolicParts parts_of(SimdBuilder& b, Value* x, std::span<const double> cosh, std::span<const double> sinh) {
  auto& ir = b.ir();
  Rounded n = round_product(b, x, 1 / kLogOf2);
  Value* first = b.mul_add(n.value, b.f64(-0x1.62e42fee00000p-1), x);  // exact
  Value* rest = b.f64(-0x1.a39ef35793c76p-33);
  HyperbolicParts p{};
  p.r = b.mul_add(n.value, rest, first);
  p.low = b.mul_add(n.value, rest, ir.CreateFSub(first, p.r));
  Value* square = ir.CreateFMul(p.r, p.r);
  p.even = ir.CreateFMul(square, b.polynomial(square, cosh));
  p.odd = ir.CreateFMul(ir.CreateFMul(p.r, square), b.polynomial(square, sinh));
  // 2^(n-2) and 2^(-n-2), whose exponents have a constant sum. The second one is negligible where it isn't normal.
  Value* up = power_of_two(b, ir.CreateSub(n.integer, b.i64(2)));
  Value* down = b.from_bits(ir.CreateSub(b.i64(std::int64_t{2 * 1023 - 4} << 52), b.bits(up)));
  down = ir.CreateSelect(ir.CreateFCmpOGT(n.value, b.f64(500)), b.f64(0), down);
  p.sum = ir.CreateFAdd(up, down);
  p.difference = ir.CreateFSub(up, down);
  return p;
}

/// Returns 2 (major + minor r + minor odd + major even), where the first sum is rounded with its error.
Value* joined(SimdBuilder& b, const HyperbolicParts& p, Value* major, Value* minor) {
  auto& ir = b.ir();
  Value* low = b.mul_add(p.even, major, b.mul_add(p.odd, minor, ir.CreateFMul(p.low, minor)));
  Value* high = b.mul_add(p.r, minor, major);
  Value* lost = b.mul_add(p.r, minor, ir.CreateFSub(major, high));
  Value* half = ir.CreateFAdd(high, ir.CreateFAdd(low, lost));
  return ir.CreateFAdd(half, half);
}

enum class Hyperbolic : uint8_t { kCosh, kSinh };

// cosh x = cosh(n ln 2) cosh r + sinh(n ln 2) sinh r, and sinh x = sinh(n ln 2) cosh r + cosh(n ln 2) sinh r. For n = 0
// the latter is sinh r to the last digit.
Value* hyperbolic(SimdBuilder& b, Value* x, Hyperbolic kind) {
  auto& ir = b.ir();
  if (is_f64(x)) {
    const HyperbolicParts p = parts_of(b, at_most(b, b.abs(x), 710.5), kCosh, kSinh);
    return kind == Hyperbolic::kCosh ? joined(b, p, p.sum, p.difference) : joined(b, p, p.difference, p.sum);
  }
  const HyperbolicParts p = parts_of(b, in_doubles(b, at_most(b, b.abs(x), 90)), kCoshSingle, kSinhSingle);
  Value *even = ir.CreateFAdd(p.even, b.f64(1)), *odd = ir.CreateFAdd(p.odd, p.r);
  Value* major = kind == Hyperbolic::kCosh ? p.sum : p.difference;
  Value* minor = kind == Hyperbolic::kCosh ? p.difference : p.sum;
  Value* half = b.mul_add(even, major, ir.CreateFMul(odd, minor));
  return in_singles(b, ir.CreateFAdd(half, half));
}

/// Returns the logarithm of f64 lanes of at least 1, scaled.
Value* scaled_log(SimdBuilder& b, Value* x, double scale) {
  return b.ir().CreateFMul(emit_short_log2(b, x), b.f64(kLogOf2 * scale));
}

// log(|x| + sqrt(x^2 + 1))
Value* asinh_f32(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value *magnitude = b.abs(x), *wide = in_doubles(b, magnitude);
  Value* root = b.sqrt(b.mul_add(wide, wide, b.f64(1)));
  Value* result = b.copysign(in_singles(b, scaled_log(b, ir.CreateFAdd(wide, root), 1)), x);
  Value* above = ir.CreateFCmpOGT(magnitude, b.f32(kTiny));
  Value* ordinary = ir.CreateAnd(above, ir.CreateFCmpOLT(magnitude, b.f32(kEndless)));
  return ir.CreateSelect(ordinary, result, x);
}

// log(x + sqrt(x^2 - 1)); the square of an f32 is exact.
Value* acosh_f32(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* wide = in_doubles(b, x);
  Value* root = b.sqrt(b.mul_add(wide, wide, b.f64(-1)));
  Value* result = in_singles(b, scaled_log(b, ir.CreateFAdd(wide, root), 1));
  result = ir.CreateSelect(equals(b, x, kEndless), x, result);
  Value* inside = ir.CreateFCmpOGE(x, b.f32(1));
  return ir.CreateSelect(inside, result, b.f32(std::numeric_limits<float>::quiet_NaN()));
}

// log((1 + |x|) / (1 - |x|)) / 2
Value* atanh_f32(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value *magnitude = b.abs(x), *wide = in_doubles(b, magnitude), *one = b.f64(1);
  Value* ratio = ir.CreateFDiv(ir.CreateFAdd(one, wide), ir.CreateFSub(one, wide));
  Value* result = in_singles(b, scaled_log(b, ratio, 0.5));
  Value* beyond =
      ir.CreateSelect(equals(b, magnitude, 1), b.f32(kEndless), b.f32(std::numeric_limits<float>::quiet_NaN()));
  result = ir.CreateSelect(ir.CreateFCmpOLT(magnitude, b.f32(1)), result, beyond);
  result = b.copysign(result, x);
  return ir.CreateSelect(ir.CreateFCmpOLT(magnitude, b.f32(kTiny)), x, result);
}

constexpr double kFar = 0x1p30;  // beyond, x + sqrt(x^2 +- 1) is 2 x in f64

/// Returns log(root + x) for the root of x^2 + 1 or x^2 - 1, or log(2 x) beyond kFar. root >= x - 1 and x >= 0.
Value* log_with_root(SimdBuilder& b, Value* x, double one) {
  auto& ir = b.ir();
  Value *far = ir.CreateFCmpOGT(x, b.f64(kFar)), *near = at_most(b, x, kFar);
  const DoubleDouble square = two_product(b, near, near), sum = two_sum(b, square.high, b.f64(one));
  const DoubleDouble root = square_root(b, {sum.high, ir.CreateFAdd(sum.low, square.low)});
  const DoubleDouble with_root = two_sum(b, near, root.high);
  const DoubleDouble inner = {with_root.high, ir.CreateFAdd(with_root.low, root.low)};
  const DoubleDouble half = exactly(b, ir.CreateFMul(x, b.f64(0.5)));  // x may be nearly the largest number
  return emit_log_of(b, select(b, far, half, inner), ir.CreateSelect(far, b.f64(2), b.f64(0)));
}

Value* asinh_f64(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* magnitude = b.abs(x);
  Value* result = b.copysign(log_with_root(b, magnitude, 1), x);
  Value* above = ir.CreateFCmpOGT(magnitude, b.f64(kTinyDouble));
  Value* ordinary = ir.CreateAnd(above, ir.CreateFCmpOLT(magnitude, b.f64(kEndless)));
  return ir.CreateSelect(ordinary, result, x);
}

Value* acosh_f64(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* result = ir.CreateSelect(equals(b, x, kEndless), x, log_with_root(b, x, -1));
  Value* inside = ir.CreateFCmpOGE(x, b.f64(1));
  return ir.CreateSelect(inside, result, b.f64(std::numeric_limits<double>::quiet_NaN()));
}

// log((1 + |x|) / (1 - |x|)) / 2
Value* atanh_f64(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value *magnitude = b.abs(x), *one = b.f64(1);
  const DoubleDouble above = fast_two_sum(b, one, magnitude), below = fast_two_sum(b, one, ir.CreateFNeg(magnitude));
  Value* result = ir.CreateFMul(emit_log_of(b, quotient(b, above, below), b.f64(0)), b.f64(0.5));
  Value* beyond =
      ir.CreateSelect(equals(b, magnitude, 1), b.f64(kEndless), b.f64(std::numeric_limits<double>::quiet_NaN()));
  result = b.copysign(ir.CreateSelect(ir.CreateFCmpOLT(magnitude, one), result, beyond), x);
  return ir.CreateSelect(ir.CreateFCmpOLT(magnitude, b.f64(kTinyDouble)), x, result);
}

}  // namespace

Value* emit_cosh(SimdBuilder& b, Value* x) { return hyperbolic(b, x, Hyperbolic::kCosh); }
Value* emit_sinh(SimdBuilder& b, Value* x) { return b.copysign(hyperbolic(b, x, Hyperbolic::kSinh), x); }
Value* emit_asinh(SimdBuilder& b, Value* x) { return by_type(b, "asinh", x, asinh_f64, asinh_f32); }
Value* emit_acosh(SimdBuilder& b, Value* x) { return by_type(b, "acosh", x, acosh_f64, acosh_f32); }
Value* emit_atanh(SimdBuilder& b, Value* x) { return by_type(b, "atanh", x, atanh_f64, atanh_f32); }

}  // namespace hilo::cpu
