// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/convert.h"

#include <cmath>
#include <limits>

#include "hilo/backend/cpu/emit/complex.h"
#include "hilo/backend/cpu/emit/integers_in_doubles.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

/// Whether vectors of 64-bit integers are converted by way of IntegersInDoubles: AVX2 has no instruction for it.
bool converts_in_doubles(const SimdBuilder& b, int bits) {
  return b.isa() == Isa::kAvx2 && bits == 64 && b.lanes() > 1;
}

// The result of the conversion is undefined for out-of-range lanes. They are replaced by zero before it and by their
// result after it.
Value* float_to_any_integer(SimdBuilder& b, ElementType to, Value* value) {
  auto& ir = b.ir();
  const int bits = element_type_info(to).bits;
  const bool is_signed = is_signed_integer(to);
  Value* below = b.float_like(value, is_signed ? -std::ldexp(1.0, bits - 1) : 0.0);
  Value* beyond = b.float_like(value, std::ldexp(1.0, is_signed ? bits - 1 : bits));
  Value* too_small = ir.CreateFCmpOLT(value, below);
  Value* too_big = ir.CreateFCmpOGE(value, beyond);
  Value* inside = ir.CreateAnd(ir.CreateFCmpOGE(value, below), ir.CreateFCmpOLT(value, beyond));
  Value* safe = ir.CreateSelect(inside, value, b.float_like(value, 0.0));
  llvm::Type* result_type = b.register_type(to);
  Value* result = nullptr;
  if (bits < 32) {
    result = ir.CreateTrunc(ir.CreateFPToSI(safe, b.wide(ir.getInt32Ty())), result_type);
  } else {
    result = is_signed ? ir.CreateFPToSI(safe, result_type) : ir.CreateFPToUI(safe, result_type);
  }
  const std::uint64_t ones = ~std::uint64_t{0} >> (64 - bits);
  Value* least = b.int_like(result, is_signed ? std::uint64_t{1} << (bits - 1) : 0);
  Value* greatest = b.int_like(result, is_signed ? ones >> 1 : ones);
  return ir.CreateSelect(too_big, greatest, ir.CreateSelect(too_small, least, result));
}

Value* float_to_integer(SimdBuilder& b, ElementType to, Value* value) {
  auto& ir = b.ir();
  if (!converts_in_doubles(b, element_type_info(to).bits)) return float_to_any_integer(b, to, value);
  Value* const limit = b.float_like(value, std::ldexp(1.0, kBitsInDoubles));
  Value* const is_small = is_signed_integer(to) ? ir.CreateFCmpOLT(b.abs(value), limit)
                                                : ir.CreateAnd(ir.CreateFCmpOGE(value, b.float_like(value, 0.0)),
                                                               ir.CreateFCmpOLT(value, limit));
  const auto all_small = [&] {
    Value* const whole = ir.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, value);
    return Values{IntegersInDoubles(b).from(ir.CreateFPExt(whole, b.register_type(ElementType::kF64)))};
  };
  const auto otherwise = [&] { return Values{float_to_any_integer(b, to, value)}; };
  return b.if_else(b.any(ir.CreateNot(is_small)), otherwise, all_small)[0];
}

/// Whether doubles are rounded to the type in one step: floats of at most 8 bits. f8e8m0fnu is converted through f32.
bool rounds_once(ElementType to) { return is_narrow_float(to) && to != ElementType::kF8E8M0Fnu; }

/// Converts f64 to f32 and sets the last bit if the result is inexact. A second rounding then gives the same result as
/// a single one.
Value* round_to_odd(SimdBuilder& b, Value* value) {
  auto& ir = b.ir();
  Value* nearest = ir.CreateFPTrunc(value, b.wide(ir.getFloatTy()));
  Value* back = ir.CreateFPExt(nearest, value->getType());
  Value* lost = ir.CreateAnd(ir.CreateFCmpONE(back, value),
                             ir.CreateFCmpONE(b.abs(nearest), b.f32(std::numeric_limits<float>::infinity())));
  Value* bits = b.bits(nearest);
  Value* inward = ir.CreateSelect(ir.CreateFCmpOGT(b.abs(back), b.abs(value)), ir.CreateSub(bits, b.i32(1)), bits);
  return ir.CreateSelect(lost, b.from_bits(ir.CreateOr(inward, b.i32(1))), nearest);
}

/// On the way to integers, XLA interprets the largest f4e2m1fn, whose exponent is all ones, as infinity.
Value* largest_is_infinity(SimdBuilder& b, Value* value) {
  constexpr double kLargest = 6;
  auto& ir = b.ir();
  const double infinity = std::numeric_limits<double>::infinity();
  value = ir.CreateSelect(ir.CreateFCmpOEQ(value, b.float_like(value, kLargest)), b.float_like(value, infinity), value);
  return ir.CreateSelect(ir.CreateFCmpOEQ(value, b.float_like(value, -kLargest)), b.float_like(value, -infinity),
                         value);
}

/// Makes a signalling NaN quiet. Otherwise it may have no bit that fits in the narrower type.
Value* quiet(SimdBuilder& b, Value* value) {
  Value* quieted = b.from_bits(b.ir().CreateOr(b.bits(value), b.i32(0x00400000)));
  return b.ir().CreateSelect(b.ir().CreateFCmpUNO(value, value), quieted, value);
}

Value* float_to_float(SimdBuilder& b, ElementType from, ElementType to, Value* value) {
  auto& ir = b.ir();
  if (to == ElementType::kF64) return from == to ? value : ir.CreateFPExt(value, b.register_type(to));
  if (from == ElementType::kF64)
    value = rounds_once(to) ? round_to_odd(b, value) : ir.CreateFPTrunc(value, b.wide(ir.getFloatTy()));
  if (from == ElementType::kF32 && to == ElementType::kBf16) value = quiet(b, value);
  return from == to ? value : b.round_to(to, value);
}

/// Returns an integer of 53 bits at most that f32 rounds as it does `value`, an integer of 64 bits. Of numbers beyond
/// 2^53 the low 11 bits become zero, and the next bit one if they weren't.
Value* rounds_to_same_f32(SimdBuilder& b, bool is_signed, Value* value) {
  auto& ir = b.ir();
  constexpr std::uint64_t kLow = (1 << 11) - 1, kExact = std::uint64_t{1} << 53;
  Value* carry = ir.CreateAdd(ir.CreateAnd(value, b.int_like(value, kLow)), b.int_like(value, kLow));
  Value* shorter = ir.CreateAnd(ir.CreateOr(carry, value), b.int_like(value, ~kLow));
  Value* from_least = is_signed ? ir.CreateAdd(value, b.int_like(value, kExact)) : value;
  Value* is_exact = ir.CreateICmpULE(from_least, b.int_like(value, is_signed ? 2 * kExact : kExact));
  return ir.CreateSelect(is_exact, value, shorter);
}

Value* integer_to_float(SimdBuilder& b, ElementType from, ElementType to, Value* value) {
  llvm::Type* type = b.register_type(to);
  // LLVM 19 converts vectors of 64-bit integers to f32 through f64 on AArch64, and rounds twice.
  if (is_arm(b.isa()) && b.lanes() > 1 && value->getType()->getScalarSizeInBits() == 64 && to != ElementType::kF64)
    value = rounds_to_same_f32(b, is_signed_integer(from), value);
  const bool is_signed = is_signed_integer(from);
  const auto convert = [&] {
    return Values{is_signed ? b.ir().CreateSIToFP(value, type) : b.ir().CreateUIToFP(value, type)};
  };
  const auto by_doubles = [&] {
    Value* const whole = IntegersInDoubles(b).to(value);
    return Values{type->getScalarType()->isDoubleTy() ? whole : b.ir().CreateFPTrunc(whole, type)};
  };
  Value* const result = converts_in_doubles(b, element_type_info(from).bits)
                            ? b.if_else(b.any(exceed_doubles(b, is_signed, value)), convert, by_doubles)[0]
                            : convert()[0];
  return b.round_to(to, result);
}

/// Converts complex numbers. Real types receive the real part; pred is true if either part isn't zero.
Value* from_complex(SimdBuilder& b, ElementType from, ElementType to, Value* value) {
  const ElementType part = real_type_of(from);
  const ComplexParts z = parts_of(b, value);
  if (is_complex(to)) {
    const ElementType target = real_type_of(to);
    return join(b, {emit_convert(b, part, target, z.real), emit_convert(b, part, target, z.imag)});
  }
  Value* real = emit_convert(b, part, to, z.real);
  return to == ElementType::kPred ? b.ir().CreateOr(real, emit_convert(b, part, to, z.imag)) : real;
}

Value* to_complex(SimdBuilder& b, ElementType from, ElementType to, Value* value) {
  Value* real = emit_convert(b, from, real_type_of(to), value);
  return join(b, {real, b.float_like(real, 0)});
}

}  // namespace

Value* emit_convert(SimdBuilder& b, ElementType from, ElementType to, Value* value) {
  auto& ir = b.ir();
  if (from == to) return value;
  if (is_complex(from)) return from_complex(b, from, to, value);
  if (is_complex(to)) return to_complex(b, from, to, value);
  if (to == ElementType::kPred) {
    return is_floating(from) ? ir.CreateFCmpUNE(value, b.float_like(value, 0.0))
                             : ir.CreateICmpNE(value, b.int_like(value, 0));
  }
  if (is_floating(from)) {
    if (is_floating(to)) return float_to_float(b, from, to, value);
    return float_to_integer(b, to, from == ElementType::kF4E2M1Fn ? largest_is_infinity(b, value) : value);
  }
  if (from == ElementType::kPred && is_floating(to)) {
    llvm::Type* type = b.register_type(to);
    return ir.CreateSelect(value, llvm::ConstantFP::get(type, 1.0), llvm::ConstantFP::get(type, 0.0));
  }
  if (is_floating(to)) return integer_to_float(b, from, to, value);
  return is_signed_integer(from) ? ir.CreateSExtOrTrunc(value, b.register_type(to))
                                 : ir.CreateZExtOrTrunc(value, b.register_type(to));
}

llvm::Value* cast_bits(SimdBuilder& b, ElementType from, ElementType to, llvm::Value* value) {
  llvm::Value* const raw = b.to_memory(from, value);
  return b.from_memory(to, b.ir().CreateBitCast(raw, b.wide(b.memory_scalar(to))));
}

}  // namespace hilo::cpu
