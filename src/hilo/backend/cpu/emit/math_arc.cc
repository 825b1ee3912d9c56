// SPDX-License-Identifier: Apache-2.0
// asin, acos, atan, and atan2 of f64. Those of f32 compute in f64 lanes and round once, so that no step needs its
// rounding error. Those of f64 are the angle of a point; without FMA, whose rounding errors of products they need, they
// call the C library.
#include <array>
#include <limits>

#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

constexpr double kRightAngle = 0x1.921fb54442d18p+0, kStraightAngle = 0x1.921fb54442d18p+1;  // pi/2 and pi

// (atan t - t) / t^3 as a function of t^2 on [0, 1], a Remez fit to 2^-36.
constexpr std::array<double, 12> kAtan = {-0x1.5555552f285ffp-2, 0x1.9999846c82a8ap-3,  -0x1.24903924f4781p-3,
                                          0x1.c6e85ae7fd665p-4,  -0x1.72d62fe79b261p-4, 0x1.33a1688439e82p-4,
                                          -0x1.f02f7b044f7b0p-5, 0x1.69ea10dc28b93p-5,  -0x1.b2f4d7f724179p-6,
                                          0x1.81f5728a84004p-7,  -0x1.b400b415f411ap-9, 0x1.ce172cc4bbb9dp-12};

/// The angle of the point (x, y), both not negative: atan(y/x), or pi/2 - atan(x/y) if that is steep.
struct PointAngle {
  Value *steep, *turn;  // turn: the arctangent of the smaller coordinate over the greater one
  Value* value(SimdBuilder& b) const {
    return b.ir().CreateSelect(steep, b.ir().CreateFSub(b.f64(kRightAngle), turn), turn);
  }
  /// The angle from the other axis.
  Value* rest(SimdBuilder& b) const {
    return b.ir().CreateSelect(steep, turn, b.ir().CreateFSub(b.f64(kRightAngle), turn));
  }
};

PointAngle angle_of(SimdBuilder& b, Value* y, Value* x) {
  auto& ir = b.ir();
  Value* steep = ir.CreateFCmpOGT(y, x);
  Value* t = ir.CreateFDiv(ir.CreateSelect(steep, x, y), ir.CreateSelect(steep, y, x));
  Value* square = ir.CreateFMul(t, t);
  return {steep, b.mul_add(ir.CreateFMul(square, t), b.polynomial(square, kAtan), t)};
}

/// Of a right-angled triangle with hypotenuse 1 and a side |x|: the angle opposite to it. NaN beyond 1. The square of
/// an f32 is exact.
PointAngle of_side(SimdBuilder& b, Value* magnitude) {
  Value* wide = in_doubles(b, magnitude);
  return angle_of(b, wide, b.sqrt(b.mul_add(b.ir().CreateFNeg(wide), wide, b.f64(1))));
}

Value* acos_f32(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* right = of_side(b, b.abs(x)).rest(b);
  Value* left = ir.CreateFCmpOLT(x, b.f32(0));
  Value* wide_left = ir.CreateSelect(left, ir.CreateFSub(b.f64(kStraightAngle), right), right);
  return in_singles(b, wide_left);
}

// atan t = t + t^3 A(t^2) on [0, 1].
constexpr std::array<float, 9> kAtanSingle = {-0x1.555540p-2f, 0x1.999276p-3f,  -0x1.2426f8p-3f,
                                              0x1.c0d286p-4f,  -0x1.58dc74p-4f, 0x1.dd0ec8p-5f,
                                              -0x1.01af74p-5f, 0x1.6a8f60p-7f,  -0x1.defe5ep-10f};

Value* atan2_f32(SimdBuilder& b, Value* y, Value* x) {
  auto& ir = b.ir();
  Value* ax = b.abs(x);
  Value* ay = b.abs(y);
  Value* steep = ir.CreateFCmpOGT(ay, ax);
  Value* small = ir.CreateSelect(steep, ax, ay);
  Value* big = ir.CreateSelect(steep, ay, ax);
  // The quotient is computed in f64, so that its rounding error in f32 is known.
  llvm::Type* doubles = b.wide(ir.getDoubleTy());
  Value* quotient = ir.CreateFDiv(ir.CreateFPExt(small, doubles), ir.CreateFPExt(big, doubles));
  quotient = ir.CreateSelect(equals(b, big, 0.0), b.f64(0.0), quotient);
  quotient = ir.CreateSelect(equals(b, small, std::numeric_limits<double>::infinity()), b.f64(1.0), quotient);
  Value* t = ir.CreateFPTrunc(quotient, b.wide(ir.getFloatTy()));
  Value* low = ir.CreateFPTrunc(ir.CreateFSub(quotient, ir.CreateFPExt(t, doubles)), b.wide(ir.getFloatTy()));
  // atan (t + low) = t + rest, where the slope of low is approximately 1 - t^2.
  Value* z = ir.CreateFMul(t, t);
  Value* rest = b.mul_add(ir.CreateFNeg(z), low, low);
  rest = b.mul_add(ir.CreateFMul(t, z), b.polynomial(z, kAtanSingle), rest);
  // The angle is 0, pi/2 or pi, plus or minus the value above. The first sum includes its rounding error.
  Value* left = ir.CreateICmpSLT(b.bits(x), b.i32(0));  // -0 counts as negative
  auto axis = [&](float quarter, float half) {
    return ir.CreateSelect(steep, b.f32(quarter), ir.CreateSelect(left, b.f32(half), b.f32(0.0f)));
  };
  Value* back = ir.CreateXor(steep, left);
  t = ir.CreateSelect(back, ir.CreateFNeg(t), t);
  rest = ir.CreateSelect(back, ir.CreateFNeg(rest), rest);
  Value* start = axis(0x1.921fb6p+0f, 0x1.921fb6p+1f);
  Value* angle = ir.CreateFAdd(start, t);
  Value* lost = ir.CreateFAdd(ir.CreateFSub(start, angle), t);
  lost = ir.CreateFAdd(lost, axis(-0x1.777a5cp-25f, -0x1.777a5cp-24f));
  angle = ir.CreateFAdd(angle, ir.CreateFAdd(lost, rest));
  Value* result = b.copysign(angle, y);
  Value* nan = b.f32(std::numeric_limits<float>::quiet_NaN());
  return ir.CreateSelect(ir.CreateFCmpUNO(x, y), nan, result);
}

Value* asin_f32(SimdBuilder& b, Value* x) { return b.copysign(in_singles(b, of_side(b, b.abs(x)).value(b)), x); }

Value* atan_f32(SimdBuilder& b, Value* x) {
  return b.copysign(in_singles(b, angle_of(b, in_doubles(b, b.abs(x)), b.f64(1)).value(b)), x);
}

// (atan r - r) / r^3 as a function of r^2 for |r| <= 1/8, a Remez fit; atan(k/4) for k = 0 .. 4 and its rest.
constexpr std::array<double, 7> kAtanNear = {-0x1.5555555555555p-2, 0x1.9999999999117p-3,  -0x1.2492492370464p-3,
                                             0x1.c71c6f7d1eabcp-4,  -0x1.745bda5cf7438p-4, 0x1.3ab54f4a57aa2p-4,
                                             -0x1.026b53e7d0913p-4};
constexpr std::array<double, 5> kAtanQuarters = {0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2, 0x1.4978fa3269ee1p-1,
                                                 0x1.921fb54442d18p-1};
constexpr std::array<double, 5> kAtanQuartersLow = {0, 0x1.8ab6e3cf7afbdp-57, 0x1.a2b7f222f65e2p-56,
                                                    0x1.2419a87f2a458p-56, 0x1.1a62633145c07p-55};
constexpr double kRightAngleLow = 0x1.1a62633145c07p-54;

/// A point with coordinates that aren't negative: x + x_lost and y + y_lost, and the half-planes of its mirror images.
struct Point {
  DoubleDouble y, x;
  Value* left = nullptr;  ///< true in lanes where the point stands for (-x, y); null for none
};

/// Returns the angle between 0 and pi of a point of f64. Where one coordinate is much smaller than the other, or either
/// is nearly the largest or smallest number, the result is undefined.
// The smaller coordinate over the greater one is y/x. Next to c = k/4, atan(y/x) = atan c + atan r, where
// r = (y - c x) / (x + c y). All steps keep their rounding errors.
Value* angle_f64(SimdBuilder& b, const Point& point) {
  auto& ir = b.ir();
  Value* steep = ir.CreateFCmpOGT(point.y.high, point.x.high);
  const DoubleDouble y = select(b, steep, point.x, point.y), x = select(b, steep, point.y, point.x);
  Value *c = b.f64(0), *start = c, *low = c;
  for (size_t k = 1; k < kAtanQuarters.size(); ++k) {
    const double quarters = static_cast<double>(k);
    Value* above = ir.CreateFCmpOGT(y.high, ir.CreateFMul(x.high, b.f64((2 * quarters - 1) / 8)));
    c = ir.CreateSelect(above, b.f64(quarters / 4), c);
    start = ir.CreateSelect(above, b.f64(kAtanQuarters[k]), start);
    low = ir.CreateSelect(above, b.f64(kAtanQuartersLow[k]), low);
  }
  const DoubleDouble product = two_product(b, c, x.high), part = two_product(b, c, y.high);
  Value* above = ir.CreateFSub(y.high, product.high);  // exact
  Value* above_lost = ir.CreateFSub(b.mul_add(ir.CreateFNeg(c), x.low, y.low), product.low);
  const DoubleDouble sum = fast_two_sum(b, x.high, part.high);
  Value* sum_lost = ir.CreateFAdd(ir.CreateFAdd(sum.low, part.low), b.mul_add(c, y.low, x.low));
  // The angle of (0, 0) is that of its axis.
  Value* inverse = ir.CreateFDiv(b.f64(1), ir.CreateSelect(equals(b, sum.high, 0), b.f64(1), sum.high));
  Value* r = ir.CreateFMul(above, inverse);
  Value* minus_r = ir.CreateFNeg(r);
  Value* r_lost = ir.CreateFAdd(b.mul_add(minus_r, sum.high, above), b.mul_add(minus_r, sum_lost, above_lost));
  Value* square = ir.CreateFMul(r, r);
  Value* rest = b.mul_add(ir.CreateFMul(r, square), b.polynomial(square, kAtanNear), ir.CreateFMul(r_lost, inverse));
  // The angle is the sum, or that from another axis: pi/2 - sum, pi/2 + sum, pi - sum.
  Value* axis = ir.CreateSelect(steep, b.f64(kRightAngle), b.f64(0));
  Value* axis_low = ir.CreateSelect(steep, b.f64(kRightAngleLow), b.f64(0));
  Value* back = steep;
  if (point.left != nullptr) {
    Value* flat = ir.CreateAnd(point.left, ir.CreateNot(steep));
    axis = ir.CreateSelect(flat, b.f64(kStraightAngle), axis);
    axis_low = ir.CreateSelect(flat, b.f64(2 * kRightAngleLow), axis_low);
    back = ir.CreateXor(steep, point.left);
  }
  const auto turned = [&](Value* v) { return ir.CreateSelect(back, ir.CreateFNeg(v), v); };
  const DoubleDouble from = fast_two_sum(b, axis, turned(start));
  const DoubleDouble angle = fast_two_sum(b, from.high, turned(r));
  Value* lost = ir.CreateFAdd(ir.CreateFAdd(from.low, axis_low), ir.CreateFAdd(turned(low), turned(rest)));
  return ir.CreateFAdd(angle.high, ir.CreateFAdd(angle.low, lost));
}

Value* atan_f64(SimdBuilder& b, Value* x) {
  const Point point = {.y = exactly(b, at_most(b, b.abs(x), 0x1p60)), .x = exactly(b, b.f64(1))};
  return b.copysign(angle_f64(b, point), x);
}

/// Returns sqrt(1 - x^2), NaN beyond 1.
DoubleDouble other_side(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  const DoubleDouble square = two_product(b, x, x);
  const DoubleDouble rest = fast_two_sum(b, b.f64(1), ir.CreateFNeg(square.high));
  return square_root(b, {rest.high, ir.CreateFSub(rest.low, square.low)});
}

Value* acos_f64(SimdBuilder& b, Value* x) {
  Value *magnitude = b.abs(x), *left = b.ir().CreateFCmpOLT(x, b.f64(0));
  return angle_f64(b, {.y = other_side(b, magnitude), .x = exactly(b, magnitude), .left = left});
}

Value* asin_f64(SimdBuilder& b, Value* x) {
  Value* magnitude = b.abs(x);
  return b.copysign(angle_f64(b, {.y = exactly(b, magnitude), .x = other_side(b, magnitude)}), x);
}

// The C library computes lanes with numbers whose products would overflow or lose digits.
Value* atan2_f64(SimdBuilder& b, Value* y, Value* x) {
  auto& ir = b.ir();
  constexpr double kLarge = 0x1p500, kSmall = 0x1p-500;
  const auto is_ordinary = [&](Value* magnitude) {
    Value* between = ir.CreateAnd(ir.CreateFCmpUGE(magnitude, b.f64(kSmall)),
                                  ir.CreateFCmpULE(magnitude, b.f64(kLarge)));  // NaN is ordinary
    return ir.CreateOr(between, equals(b, magnitude, 0));
  };
  Value *height = b.abs(y), *width = b.abs(x);
  Value* left = ir.CreateICmpSLT(b.bits(x), b.i64(0));  // -0 counts as negative
  const Point point = {.y = exactly(b, height), .x = exactly(b, width), .left = left};
  Value* angle = b.copysign(angle_f64(b, point), y);
  Value* far = ir.CreateNot(ir.CreateAnd(is_ordinary(height), is_ordinary(width)));
  return replace_by_scalar(b, angle, far, "atan2", y, x);
}

}  // namespace

Value* emit_acos(SimdBuilder& b, Value* x) { return by_type(b, "acos", x, acos_f64, acos_f32); }
Value* emit_asin(SimdBuilder& b, Value* x) { return by_type(b, "asin", x, asin_f64, asin_f32); }
Value* emit_atan(SimdBuilder& b, Value* x) { return by_type(b, "atan", x, atan_f64, atan_f32); }
Value* emit_atan2(SimdBuilder& b, Value* y, Value* x) {
  if (!is_f64(x)) return atan2_f32(b, y, x);
  return has_fma(b.isa()) ? atan2_f64(b, y, x) : call_scalar(b, "atan2", y, x);
}

}  // namespace hilo::cpu
