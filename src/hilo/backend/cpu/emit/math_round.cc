// SPDX-License-Identifier: Apache-2.0
// floor, ceil, trunc, the two roundings, sign, fmod.
#include <limits>

#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

// SSE2 has no rounding instruction. Adding and subtracting 2^(mantissa bits) rounds |x| to nearest even below that
// power; above it every float is an integer.
Value* round_even_sse2(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* magic = constant(b, x, is_f64(x) ? 0x1p52 : 0x1p23);
  Value* magnitude = b.abs(x);
  Value* rounded = ir.CreateFSub(ir.CreateFAdd(magnitude, magic), magic);
  Value* signed_result = b.copysign(rounded, x);
  return ir.CreateSelect(ir.CreateFCmpOLT(magnitude, magic), signed_result, x);
}

Value* stepped(SimdBuilder& b, Value* x, Value* rounded, Value* wrong, double step) {
  auto& ir = b.ir();
  Value* correction = ir.CreateSelect(wrong, constant(b, x, step), constant(b, x, 0.0));
  return b.copysign(ir.CreateFAdd(rounded, correction), x);
}

Value* round_with(SimdBuilder& b, llvm::Intrinsic::ID id, Value* x) { return b.ir().CreateUnaryIntrinsic(id, x); }

/// Computes x - n*y of f32 lanes in f64, where n is the nearest integer to x/y. It is exact for |x/y| < 2^28.
Value* fmod_f32(SimdBuilder& b, Value* x, Value* y) {
  auto& ir = b.ir();
  llvm::Type* wide = b.wide(ir.getDoubleTy());
  Value* dividend = ir.CreateFPExt(x, wide);
  Value* divisor = ir.CreateFPExt(b.abs(y), wide);
  Rounded n = round_product(b, ir.CreateFDiv(dividend, divisor), 1.0);
  Value* rest = ir.CreateFSub(dividend, ir.CreateFMul(n.value, divisor));
  // The nearest integer may be too far from zero. The remainder then has the wrong sign and is off by one divisor.
  Value* towards = b.copysign(divisor, dividend);
  Value* crossed = ir.CreateFCmpOLT(ir.CreateFMul(rest, b.copysign(b.f64(1.0), dividend)), b.f64(0.0));
  rest = ir.CreateSelect(crossed, ir.CreateFAdd(rest, towards), rest);
  Value* result = b.copysign(ir.CreateFPTrunc(rest, b.wide(ir.getFloatTy())), x);
  const double infinity = std::numeric_limits<double>::infinity();
  Value* finite = ir.CreateFCmpOLT(b.abs(x), b.f32(static_cast<float>(infinity)));
  Value* unchanged = ir.CreateAnd(finite, equals(b, divisor, infinity));
  result = ir.CreateSelect(unchanged, x, result);
  Value* far = ir.CreateFCmpOGT(b.abs(dividend), ir.CreateFMul(divisor, b.f64(0x1p28)));
  far = ir.CreateAnd(ir.CreateAnd(far, finite), ir.CreateFCmpOGT(divisor, b.f64(0.0)));
  return replace_by_scalar(b, result, far, "fmod", x, y);
}

}  // namespace

Value* emit_round_even(SimdBuilder& b, Value* x) {
  return has_rounding(b.isa()) ? round_with(b, llvm::Intrinsic::roundeven, x) : round_even_sse2(b, x);
}

Value* emit_floor(SimdBuilder& b, Value* x) {
  if (has_rounding(b.isa())) return round_with(b, llvm::Intrinsic::floor, x);
  Value* rounded = round_even_sse2(b, x);
  return stepped(b, x, rounded, b.ir().CreateFCmpOGT(rounded, x), -1.0);
}

Value* emit_ceil(SimdBuilder& b, Value* x) {
  if (has_rounding(b.isa())) return round_with(b, llvm::Intrinsic::ceil, x);
  Value* rounded = round_even_sse2(b, x);
  return stepped(b, x, rounded, b.ir().CreateFCmpOLT(rounded, x), 1.0);
}

Value* emit_trunc(SimdBuilder& b, Value* x) {
  if (has_rounding(b.isa())) return round_with(b, llvm::Intrinsic::trunc, x);
  return b.copysign(emit_floor(b, b.abs(x)), x);
}

// Adds the float just below 1/2 and truncates: a full 1/2 would round 0.49999997 up.
Value* emit_round_away(SimdBuilder& b, Value* x) {
  Value* half = constant(b, x, is_f64(x) ? 0x1.fffffffffffffp-2 : 0x1.fffffep-2);
  return emit_trunc(b, b.ir().CreateFAdd(x, b.copysign(half, x)));
}

Value* emit_sign(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  Value* zero_or_nan = ir.CreateFCmpUEQ(x, constant(b, x, 0.0));
  return ir.CreateSelect(zero_or_nan, x, b.copysign(constant(b, x, 1.0), x));
}

Value* emit_fmod(SimdBuilder& b, Value* x, Value* y) {
  return is_f64(x) ? call_scalar(b, "fmod", x, y) : fmod_f32(b, x, y);
}

}  // namespace hilo::cpu
