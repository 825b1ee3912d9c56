// SPDX-License-Identifier: Apache-2.0
// numpy/elementwise.h -- functions of each element, with broadcasting and promotion as jax.numpy.
#pragma once

#include <utility>

#include "hilo/numpy/dtypes.h"
#include "hilo/numpy/operators.h"
#include "hilo/numpy/ufunc.h"

namespace hilo::numpy {

// cos(x), exp(x), ...: the rows of numpy/ufuncs.inc.
#define HILO_UFUNC(name, op) Array name(const Operand& x);
#include "hilo/numpy/ufuncs.inc"

// ---- one operand ----------------------------------------------------------------------------------------------------
#define HILO_UNARY(name) Array name(const Operand& x);
HILO_UNARY(abs)
HILO_UNARY(absolute)
HILO_UNARY(bitwise_count)  ///< how many bits are 1, u8
HILO_UNARY(bitwise_invert)
HILO_UNARY(bitwise_not)
HILO_UNARY(ceil)
HILO_UNARY(conj)
HILO_UNARY(conjugate)
HILO_UNARY(deg2rad)
HILO_UNARY(degrees)
HILO_UNARY(erf)
HILO_UNARY(exp2)
HILO_UNARY(fabs)  ///< abs in floats
HILO_UNARY(fix)
HILO_UNARY(floor)
HILO_UNARY(i0)  ///< the modified Bessel function of order 0
HILO_UNARY(imag)
HILO_UNARY(invert)
HILO_UNARY(iscomplex)
HILO_UNARY(isfinite)
HILO_UNARY(isinf)
HILO_UNARY(isnan)
HILO_UNARY(isneginf)
HILO_UNARY(isposinf)
HILO_UNARY(isreal)
HILO_UNARY(log10)
HILO_UNARY(log2)
HILO_UNARY(logical_not)
HILO_UNARY(positive)
HILO_UNARY(rad2deg)
HILO_UNARY(radians)
HILO_UNARY(real)
HILO_UNARY(reciprocal)
HILO_UNARY(rint)  ///< ties to even, in floats
HILO_UNARY(sign)
HILO_UNARY(signbit)
HILO_UNARY(sinc)     ///< sin(pi x) / (pi x), 1 at 0
HILO_UNARY(spacing)  ///< to the next number away from 0
HILO_UNARY(square)
HILO_UNARY(trunc)
#undef HILO_UNARY

/// To so many decimals, ties to even.
Array round(const Operand& a, int64_t decimals = 0);
Array around(const Operand& a, int64_t decimals = 0);
/// The angle of a complex number, in degrees if asked for.
Array angle(const Operand& z, bool deg = false);
/// The fraction and the whole part, both with the sign of x.
std::pair<Array, Array> modf(const Operand& x);
/// x = m 2^e with m in [0.5, 1), e s32.
std::pair<Array, Array> frexp(const Operand& x);
struct NanToNumOptions {
  bool copy = true;
  std::optional<Array> nan = std::nullopt;     ///< 0
  std::optional<Array> posinf = std::nullopt;  ///< the greatest number of the type
  std::optional<Array> neginf = std::nullopt;  ///< the least
};
Array nan_to_num(const Operand& x, const NanToNumOptions& options = {});

// ---- two operands ---------------------------------------------------------------------------------------------------
#define HILO_BINARY(name) Array name(const Operand& x, const Operand& y);
HILO_BINARY(arctan2)
HILO_BINARY(atan2)
HILO_BINARY(bitwise_left_shift)
HILO_BINARY(bitwise_right_shift)
HILO_BINARY(copysign)
HILO_BINARY(divide)
HILO_BINARY(equal)
HILO_BINARY(float_power)
HILO_BINARY(floor_divide)
HILO_BINARY(fmax)  ///< the other one where one is NaN
HILO_BINARY(fmin)
HILO_BINARY(fmod)  ///< sign of x
HILO_BINARY(gcd)
HILO_BINARY(greater)
HILO_BINARY(greater_equal)
HILO_BINARY(heaviside)
HILO_BINARY(hypot)
HILO_BINARY(lcm)
HILO_BINARY(ldexp)  ///< x 2^y for integers y
HILO_BINARY(left_shift)
HILO_BINARY(less)
HILO_BINARY(less_equal)
HILO_BINARY(mod)
HILO_BINARY(nextafter)
HILO_BINARY(not_equal)
HILO_BINARY(pow)
/// x^y. Integers wrap, and look at the lowest 6 bits of an exponent that is an array. At y = 0 the derivative with respect
/// to x is 0 for integers y, NaN at x = 0 for floats y.
/// Errors    INVALID_ARGUMENT for an integer x and a negative C++ number y
HILO_BINARY(power)
HILO_BINARY(remainder)    ///< sign of y, as Python's %; 0 for an integer y = 0
HILO_BINARY(right_shift)  ///< with the sign of a signed type, zeros of an unsigned one
HILO_BINARY(true_divide)
#undef HILO_BINARY

/// floor_divide and remainder.
std::pair<Array, Array> divmod(const Operand& x, const Operand& y);

/// Not below `min` and not above `max`; one of them may be absent. min and max broadcast.
Array clip(const Operand& arr, const Operand& min, const Operand& max);
struct ClipOptions {
  std::optional<Array> min = std::nullopt, max = std::nullopt;
};
Array clip(const Operand& arr, const ClipOptions& options = {});
/// x where condition, else y.
Array where(const Operand& condition, const Operand& x, const Operand& y);

struct CloseOptions {
  double rtol = 1e-05, atol = 1e-08;
  bool equal_nan = false;
};
/// |a - b| <= atol + rtol |b|; equal infinities are close.
Array isclose(const Operand& a, const Operand& b, const CloseOptions& options = {});
Array allclose(const Operand& a, const Operand& b, const CloseOptions& options = {});
/// Equal in shape and in all elements.
Array array_equal(const Operand& a1, const Operand& a2, bool equal_nan = false);
/// Equal after broadcasting.
Array array_equiv(const Operand& a1, const Operand& a2);

}  // namespace hilo::numpy
