// SPDX-License-Identifier: Apache-2.0
// asin, acos, atan. Those of f32 compute in f64 lanes and round once, so that no step needs its rounding error. The f64
// asin and acos call the C library, and so does atan without FMA, whose rounding errors of products it needs.
#include <array>

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

// (atan r - r) / r^3 as a function of r^2 for |r| <= 1/8, a Remez fit; atan(k/4) for k = 0 .. 4 and its rest.
constexpr std::array<double, 7> kAtanNear = {-0x1.5555555555555p-2, 0x1.9999999999117p-3,  -0x1.2492492370464p-3,
                                             0x1.c71c6f7d1eabcp-4,  -0x1.745bda5cf7438p-4, 0x1.3ab54f4a57aa2p-4,
                                             -0x1.026b53e7d0913p-4};
constexpr std::array<double, 5> kAtanQuarters = {0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2, 0x1.4978fa3269ee1p-1,
                                                 0x1.921fb54442d18p-1};
constexpr std::array<double, 5> kAtanQuartersLow = {0, 0x1.8ab6e3cf7afbdp-57, 0x1.a2b7f222f65e2p-56,
                                                    0x1.2419a87f2a458p-56, 0x1.1a62633145c07p-55};
constexpr double kRightAngleLow = 0x1.1a62633145c07p-54;

// |x| is y/x' with 1 as one of the two and y <= x'. Next to c = k/4, atan(y/x') = atan c + atan r, where
// r = (y - c x') / (x' + c y). All steps keep their rounding errors.
Value* atan_f64(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value *one = b.f64(1), *magnitude = at_most(b, b.abs(x), 0x1p60);
  Value* steep = ir.CreateFCmpOGT(magnitude, one);
  Value *y = ir.CreateSelect(steep, one, magnitude), *across = ir.CreateSelect(steep, magnitude, one);
  Value *c = b.f64(0), *start = c, *low = c;
  for (size_t k = 1; k < kAtanQuarters.size(); ++k) {
    const double quarters = static_cast<double>(k);
    Value* above = ir.CreateFCmpOGT(y, ir.CreateFMul(across, b.f64((2 * quarters - 1) / 8)));
    c = ir.CreateSelect(above, b.f64(quarters / 4), c);
    start = ir.CreateSelect(above, b.f64(kAtanQuarters[k]), start);
    low = ir.CreateSelect(above, b.f64(kAtanQuartersLow[k]), low);
  }
  Value* product = ir.CreateFMul(c, across);
  Value* product_lost = b.mul_add(c, across, ir.CreateFNeg(product));
  Value* above = ir.CreateFSub(y, product);  // exact
  Value* part = ir.CreateFMul(c, y);
  Value* below = ir.CreateFAdd(across, part);
  Value* below_lost =
      ir.CreateFAdd(ir.CreateFAdd(ir.CreateFSub(across, below), part), b.mul_add(c, y, ir.CreateFNeg(part)));
  Value* inverse = ir.CreateFDiv(one, below);
  Value* r = ir.CreateFMul(above, inverse);
  Value* minus_r = ir.CreateFNeg(r);
  Value* r_lost = ir.CreateFSub(b.mul_add(minus_r, below, above), product_lost);
  r_lost = ir.CreateFMul(b.mul_add(minus_r, below_lost, r_lost), inverse);
  Value* square = ir.CreateFMul(r, r);
  Value* rest = b.mul_add(ir.CreateFMul(r, square), b.polynomial(square, kAtanNear), r_lost);
  // A steep angle is pi/2 less the sum.
  Value* other = ir.CreateFSub(b.f64(kRightAngle), start);
  Value* other_low = ir.CreateFAdd(ir.CreateFSub(b.f64(kRightAngleLow), low),
                                   ir.CreateFSub(ir.CreateFSub(b.f64(kRightAngle), other), start));
  start = ir.CreateSelect(steep, other, start);
  low = ir.CreateSelect(steep, other_low, low);
  r = ir.CreateSelect(steep, minus_r, r);
  rest = ir.CreateSelect(steep, ir.CreateFNeg(rest), rest);
  Value* sum = ir.CreateFAdd(start, r);
  Value* lost = ir.CreateFAdd(ir.CreateFSub(start, sum), r);
  return b.copysign(ir.CreateFAdd(sum, ir.CreateFAdd(lost, ir.CreateFAdd(low, rest))), x);
}

}  // namespace

Value* emit_acos(SimdBuilder& b, Value* x) { return is_f64(x) ? call_scalar(b, "acos", x, nullptr) : acos_f32(b, x); }

Value* emit_asin(SimdBuilder& b, Value* x) {
  if (is_f64(x)) return call_scalar(b, "asin", x, nullptr);
  return b.copysign(in_singles(b, of_side(b, b.abs(x)).value(b)), x);
}

Value* emit_atan(SimdBuilder& b, Value* x) {
  if (is_f64(x)) return has_fma(b.isa()) ? atan_f64(b, x) : call_scalar(b, "atan", x, nullptr);
  return b.copysign(in_singles(b, angle_of(b, in_doubles(b, b.abs(x)), b.f64(1)).value(b)), x);
}

}  // namespace hilo::cpu
