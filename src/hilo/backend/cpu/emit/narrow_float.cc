// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/narrow_float.h"

#include <cmath>

namespace hilo::cpu {
namespace {

using llvm::Value;

constexpr int kF32Mantissa = 23, kF32Bias = 127;
constexpr std::int64_t kF32Magnitude = 0x7fffffff, kF32Infinity = 0x7f800000, kF32Quiet = 0x7fc00000;

/// The fields of a format as masks of its codes.
struct Masks {
  explicit Masks(const NarrowFormat& f)
      : sign(f.specials == Specials::kUnsigned ? 0 : 1 << (f.exponent_bits + f.mantissa_bits)),
        magnitude(f.specials == Specials::kUnsigned ? 0xff : sign - 1),
        exponent(((1 << f.exponent_bits) - 1) << f.mantissa_bits) {}
  int sign, magnitude, exponent;
};

/// f8e8m0fnu: the code is the exponent; the smallest one is a denormal f32.
Value* widen_exponent(SimdBuilder& b, Value* wide) {
  auto& ir = b.ir();
  Value* result = ir.CreateShl(wide, kF32Mantissa);
  result = ir.CreateSelect(ir.CreateICmpEQ(wide, b.i32(0)), b.i32(0x00400000), result);
  return b.from_bits(ir.CreateSelect(ir.CreateICmpEQ(wide, b.i32(0xff)), b.i32(kF32Quiet), result));
}

/// Rounds to the nearest power of two. One and a half rounds up, as do all values above the smallest one. Values
/// without a code become NaN.
Value* round_to_exponent(SimdBuilder& b, Value* value) {
  auto& ir = b.ir();
  Value* all = b.bits(value);
  Value* code = ir.CreateLShr(ir.CreateAdd(all, b.i32(0x00400000)), kF32Mantissa);
  Value* denormal = ir.CreateSelect(ir.CreateICmpUGT(all, b.i32(0x00400000)), b.i32(1), b.i32(0));
  code = ir.CreateSelect(ir.CreateICmpULT(all, b.i32(0x00800000)), denormal, code);
  // tests the bits: with flushed denormals the smallest value would compare as zero
  Value* positive = ir.CreateICmpSGT(all, b.i32(0));
  code = ir.CreateSelect(positive, code, b.i32(0xff));
  return ir.CreateTrunc(ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, b.i32(0xff)), b.wide(ir.getInt8Ty()));
}

/// Returns the codes of the magnitudes, as if codes continued past the largest one.
Value* rounded_magnitude(SimdBuilder& b, const NarrowFormat& f, Value* magnitude) {
  auto& ir = b.ir();
  const int dropped = kF32Mantissa - f.mantissa_bits;
  // A normal result: rebase the exponent and round at the last stored bit. A carry correctly increments the exponent.
  Value* rebased = ir.CreateSub(magnitude, b.i32(std::int64_t{kF32Bias - f.bias} << kF32Mantissa));
  Value* odd = ir.CreateAnd(ir.CreateLShr(rebased, static_cast<std::uint64_t>(dropped)), b.i32(1));
  Value* rounded = ir.CreateAdd(ir.CreateAdd(rebased, b.i32((std::int64_t{1} << (dropped - 1)) - 1)), odd);
  Value* normal = ir.CreateLShr(rounded, static_cast<std::uint64_t>(dropped));
  // A denormal result: the last bit of `anchor` has the weight of the smallest value, so the addition rounds at the
  // right bit.
  Value* anchor = b.f32(std::ldexp(1.0f, 1 - f.bias - f.mantissa_bits + kF32Mantissa));
  Value* denormal = ir.CreateSub(b.bits(ir.CreateFAdd(b.from_bits(magnitude), anchor)), b.bits(anchor));
  Value* is_denormal = ir.CreateICmpULT(magnitude, b.i32(std::int64_t{kF32Bias + 1 - f.bias} << kF32Mantissa));
  return ir.CreateSelect(is_denormal, denormal, normal);
}

}  // namespace

Value* widen_narrow_float(SimdBuilder& b, const NarrowFormat& f, Value* codes) {
  auto& ir = b.ir();
  const Masks masks(f);
  Value* wide = ir.CreateZExt(codes, b.wide(ir.getInt32Ty()));
  if (f.specials == Specials::kUnsigned) return widen_exponent(b, wide);
  const auto up = static_cast<std::uint64_t>(31 - f.exponent_bits - f.mantissa_bits);
  Value* sign = ir.CreateShl(ir.CreateAnd(wide, b.i32(masks.sign)), up);
  Value* magnitude = ir.CreateAnd(wide, b.i32(masks.magnitude));
  // Shifts the code into f32's fields and rebases the exponent. A denormal is what its mantissa adds to the smallest
  // normal value. No step produces a denormal f32, which would be zero if denormals are flushed.
  Value* shifted = ir.CreateShl(magnitude, static_cast<std::uint64_t>(kF32Mantissa - f.mantissa_bits));
  Value* normal = ir.CreateAdd(shifted, b.i32(std::int64_t{kF32Bias - f.bias} << kF32Mantissa));
  Value* least = b.f32(std::ldexp(1.0f, 1 - f.bias));
  Value* denormal = b.bits(ir.CreateFSub(b.from_bits(ir.CreateAdd(shifted, b.bits(least))), least));
  Value* result = ir.CreateSelect(ir.CreateICmpULT(magnitude, b.i32(1 << f.mantissa_bits)), denormal, normal);
  if (f.specials == Specials::kIeee) {
    Value* infinity = b.i32(masks.exponent);
    result = ir.CreateSelect(ir.CreateICmpEQ(magnitude, infinity), b.i32(kF32Infinity), result);
    result = ir.CreateSelect(ir.CreateICmpUGT(magnitude, infinity), b.i32(kF32Quiet), result);
  } else if (f.specials == Specials::kAllOnes) {
    result = ir.CreateSelect(ir.CreateICmpEQ(magnitude, b.i32(masks.magnitude)), b.i32(kF32Quiet), result);
  }
  result = ir.CreateOr(result, sign);
  // The only NaN of fnuz formats has the code of -0, without a sign.
  if (f.specials == Specials::kNegativeZero)
    result = ir.CreateSelect(ir.CreateICmpEQ(wide, b.i32(masks.sign)), b.i32(kF32Quiet), result);
  return b.from_bits(result);
}

Value* round_to_narrow_float(SimdBuilder& b, const NarrowFormat& f, Value* value) {
  auto& ir = b.ir();
  if (f.specials == Specials::kUnsigned) return round_to_exponent(b, value);
  const Masks masks(f);
  Value* all = b.bits(value);
  Value* magnitude = ir.CreateAnd(all, b.i32(kF32Magnitude));
  const auto down = static_cast<std::uint64_t>(31 - f.exponent_bits - f.mantissa_bits);
  Value* sign = ir.CreateAnd(ir.CreateLShr(all, down), b.i32(masks.sign));
  Value* is_nan = ir.CreateICmpUGT(magnitude, b.i32(kF32Infinity));
  Value* code = rounded_magnitude(b, f, magnitude);
  Value* result = nullptr;
  if (f.specials == Specials::kNegativeZero) {
    Value* none = ir.CreateOr(is_nan, ir.CreateICmpUGT(code, b.i32(masks.magnitude)));
    Value* with_sign = ir.CreateSelect(ir.CreateICmpEQ(code, b.i32(0)), code, ir.CreateOr(code, sign));
    result = ir.CreateSelect(none, b.i32(masks.sign), with_sign);
  } else {
    // The code after the largest value is infinity, or NaN (fn); or the largest value is the last code (f4e2m1fn).
    const int last = f.specials == Specials::kIeee ? masks.exponent : masks.magnitude;
    code = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, b.i32(last));
    const int nan = f.specials == Specials::kIeee ? masks.exponent | 1 << (f.mantissa_bits - 1) : masks.magnitude;
    result = ir.CreateOr(ir.CreateSelect(is_nan, b.i32(nan), code), sign);
    if (f.specials == Specials::kNone) result = ir.CreateSelect(is_nan, b.i32(masks.sign), result);
  }
  return ir.CreateTrunc(result, b.wide(ir.getInt8Ty()));
}

}  // namespace hilo::cpu
