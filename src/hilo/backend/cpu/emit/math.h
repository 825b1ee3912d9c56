// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/math.h -- elementary functions as vector code, for f32 and f64 lanes.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

// All of these functions take float or double lanes (or one float or double) and return the same type. Special values
// follow IEEE and C's Annex F. Denormal arguments and results have the same error bounds as others (no flush to zero).
// The bounds are in emit/accuracy.h. The value of a lane never depends on other lanes.

/// The sum of two f64 lanes, of which the second is at most a rounding error of the first. Without FMA the errors of
/// products are assumed to be zero.
struct DoubleDouble {
  llvm::Value* high;
  llvm::Value* low;
};

// math_exp.cc
llvm::Value* emit_exp(SimdBuilder& b, llvm::Value* x);
/// Emits e^x for x in [-87, 88] or NaN. The result is a normal number.
llvm::Value* emit_normal_exp(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_expm1(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_tanh(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_logistic(SimdBuilder& b, llvm::Value* x);

// math_log.cc
llvm::Value* emit_log(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_log1p(SimdBuilder& b, llvm::Value* x);
/// Emits log(2^power x) for x that are positive, normal and finite.
llvm::Value* emit_log_of(SimdBuilder& b, const DoubleDouble& x, llvm::Value* power);
/// Emits the binary logarithm of f64 lanes that are positive, normal and finite, accurate to 2^-40: for results in f32.
llvm::Value* emit_short_log2(SimdBuilder& b, llvm::Value* x);

// math_hyperbolic.cc
llvm::Value* emit_sinh(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_cosh(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_asinh(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_acosh(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_atanh(SimdBuilder& b, llvm::Value* x);

// math_arc.cc
llvm::Value* emit_asin(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_acos(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_atan(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_atan2(SimdBuilder& b, llvm::Value* y, llvm::Value* x);

// math_trig.cc
llvm::Value* emit_sin(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_cos(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_tan(SimdBuilder& b, llvm::Value* x);

// math_power.cc
llvm::Value* emit_pow(SimdBuilder& b, llvm::Value* x, llvm::Value* y);
llvm::Value* emit_cbrt(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_rsqrt(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_erf(SimdBuilder& b, llvm::Value* x);

// math_round.cc
llvm::Value* emit_floor(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_ceil(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_trunc(SimdBuilder& b, llvm::Value* x);
llvm::Value* emit_round_even(SimdBuilder& b, llvm::Value* x);            ///< ties to even
llvm::Value* emit_round_away(SimdBuilder& b, llvm::Value* x);            ///< ties away from zero
llvm::Value* emit_sign(SimdBuilder& b, llvm::Value* x);                  ///< -1 or 1; zeros and NaN unchanged
llvm::Value* emit_fmod(SimdBuilder& b, llvm::Value* x, llvm::Value* y);  ///< exact; sign of x

// math_support.cc: functions that the families share

inline bool is_f64(llvm::Value* x) { return x->getType()->getScalarType()->isDoubleTy(); }
/// Returns a float constant of x's type; f32 constants are rounded.
inline llvm::Constant* constant(SimdBuilder& b, llvm::Value* x, double value) { return b.float_like(x, value); }
/// Convert between f32 and f64 lanes. The former is exact, the latter rounds.
inline llvm::Value* in_doubles(SimdBuilder& b, llvm::Value* x) {
  return b.ir().CreateFPExt(x, b.wide(b.ir().getDoubleTy()));
}
inline llvm::Value* in_singles(SimdBuilder& b, llvm::Value* x) {
  return b.ir().CreateFPTrunc(x, b.wide(b.ir().getFloatTy()));
}
/// Emit x bounded below by `least`, and bounded above by `most`. NaN stays NaN.
llvm::Value* at_least(SimdBuilder& b, llvm::Value* x, double least);
llvm::Value* at_most(SimdBuilder& b, llvm::Value* x, double most);
llvm::Value* is_nan(SimdBuilder& b, llvm::Value* x);
llvm::Value* equals(SimdBuilder& b, llvm::Value* x, double value);

/// x rounded to an integer (|x| < 2^22 for f32, 2^51 for f64), as a float and in the low bits of an integer. These are
/// the bits that shifts into a float's exponent keep; the bits above them are undefined.
struct Rounded {
  llvm::Value* value;
  llvm::Value* integer;
};
/// Rounds a*scale with one multiply-add and no conversion instruction.
Rounded round_product(SimdBuilder& b, llvm::Value* a, double scale);

/// Emits 2^n for integer lanes as wide as the float. n is within the normal exponents, in the low bits.
llvm::Value* power_of_two(SimdBuilder& b, llvm::Value* n);
/// Emits (1 + y) * 2^n for n within twice the normal exponents and small y. The product is rounded once, even if it is
/// denormal.
llvm::Value* scale_next_to_one(SimdBuilder& b, llvm::Value* y, const Rounded& n);

// Arithmetic of DoubleDouble.
inline DoubleDouble exactly(SimdBuilder& b, llvm::Value* x) { return {x, b.f64(0)}; }
DoubleDouble select(SimdBuilder& b, llvm::Value* condition, const DoubleDouble& yes, const DoubleDouble& no);
DoubleDouble two_product(SimdBuilder& b, llvm::Value* x, llvm::Value* y);
DoubleDouble two_sum(SimdBuilder& b, llvm::Value* x, llvm::Value* y);
/// Precondition: |x| >= |y|, or x is 0.
DoubleDouble fast_two_sum(SimdBuilder& b, llvm::Value* x, llvm::Value* y);
DoubleDouble quotient(SimdBuilder& b, const DoubleDouble& x, const DoubleDouble& y);
DoubleDouble square_root(SimdBuilder& b, const DoubleDouble& x);

/// x = m * 2^e with m in [sqrt(1/2), sqrt(2)), for positive finite x, including denormals; e is a float.
struct Split {
  llvm::Value* mantissa;
  llvm::Value* exponent;
};
Split split(SimdBuilder& b, llvm::Value* x);
/// Splits numbers that aren't denormal.
Split split_normal(SimdBuilder& b, llvm::Value* x);

/// Calls the library's function of that symbol, with one or two operands, for every lane.
llvm::Value* call_by_lanes(SimdBuilder& b, const std::string& symbol, ElementType type,
                           std::span<llvm::Value* const> operands);
/// Calls hilo_<name>_f32/f64 of library/math/scalar_math.h for every lane; y may be null.
llvm::Value* call_scalar(SimdBuilder& b, std::string_view name, llvm::Value* x, llvm::Value* y);
using UnaryCode = llvm::Value* (*)(SimdBuilder&, llvm::Value*);
/// Emits a function by its code for x's type. For f64 without FMA it calls the C library: the code needs the rounding
/// errors of products.
llvm::Value* by_type(SimdBuilder& b, std::string_view name, llvm::Value* x, UnaryCode of_double, UnaryCode of_single);
/// Returns `fast`, replaced by the runtime's function in lanes where `mask` is true. The cost is one branch if the mask
/// is false everywhere.
llvm::Value* replace_by_scalar(SimdBuilder& b, llvm::Value* fast, llvm::Value* mask, std::string_view name,
                               llvm::Value* x, llvm::Value* y);

}  // namespace hilo::cpu
