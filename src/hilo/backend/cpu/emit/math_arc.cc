// SPDX-License-Identifier: Apache-2.0
// asin, acos, atan. Those of f32 compute in f64 lanes and round once, so that no step needs its rounding error. The f64
// ones call the C library.
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

}  // namespace

Value* emit_acos(SimdBuilder& b, Value* x) { return is_f64(x) ? call_scalar(b, "acos", x, nullptr) : acos_f32(b, x); }

Value* emit_asin(SimdBuilder& b, Value* x) {
  if (is_f64(x)) return call_scalar(b, "asin", x, nullptr);
  return b.copysign(in_singles(b, of_side(b, b.abs(x)).value(b)), x);
}

Value* emit_atan(SimdBuilder& b, Value* x) {
  if (is_f64(x)) return call_scalar(b, "atan", x, nullptr);
  return b.copysign(in_singles(b, angle_of(b, in_doubles(b, b.abs(x)), b.f64(1)).value(b)), x);
}

}  // namespace hilo::cpu
