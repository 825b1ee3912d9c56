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
HILO_UNARY(abs)             ///< the absolute value, real also of complex numbers
HILO_UNARY(absolute)        ///< abs
HILO_UNARY(bitwise_count)   ///< how many bits are 1, u8
HILO_UNARY(bitwise_invert)  ///< each bit turned round
HILO_UNARY(bitwise_not)     ///< each bit turned round
HILO_UNARY(ceil)            ///< to the next whole number above
HILO_UNARY(conj)            ///< the complex conjugate
HILO_UNARY(conjugate)       ///< the complex conjugate
HILO_UNARY(deg2rad)         ///< x pi / 180
HILO_UNARY(degrees)         ///< x 180 / pi
HILO_UNARY(erf)             ///< the error function
HILO_UNARY(exp2)            ///< 2^x
HILO_UNARY(fabs)            ///< abs in floats
HILO_UNARY(fix)             ///< to the next whole number towards 0
HILO_UNARY(floor)           ///< to the next whole number below
HILO_UNARY(i0)              ///< the modified Bessel function of order 0
HILO_UNARY(imag)            ///< the imaginary part, 0 of real numbers
HILO_UNARY(invert)          ///< each bit turned round
HILO_UNARY(iscomplex)       ///< whether the imaginary part is not 0
HILO_UNARY(isfinite)        ///< whether it is neither NaN nor infinite
HILO_UNARY(isinf)           ///< whether it is infinite
HILO_UNARY(isnan)           ///< whether it is NaN
HILO_UNARY(isneginf)        ///< whether it is -infinity
HILO_UNARY(isposinf)        ///< whether it is +infinity
HILO_UNARY(isreal)          ///< whether the imaginary part is 0
HILO_UNARY(log10)           ///< the logarithm to base 10
HILO_UNARY(log2)            ///< the logarithm to base 2
HILO_UNARY(logical_not)     ///< whether it is 0
HILO_UNARY(positive)        ///< x itself, but no truth values
HILO_UNARY(rad2deg)         ///< x 180 / pi
HILO_UNARY(radians)         ///< x pi / 180
HILO_UNARY(real)            ///< the real part
HILO_UNARY(reciprocal)      ///< 1 / x
HILO_UNARY(rint)            ///< ties to even, in floats
HILO_UNARY(sign)            ///< -1, 0 or 1; x / |x| of complex numbers
HILO_UNARY(signbit)         ///< whether the sign bit is set, also that of -0
HILO_UNARY(sinc)            ///< sin(pi x) / (pi x), 1 at 0
HILO_UNARY(spacing)         ///< to the next number away from 0
HILO_UNARY(square)          ///< x x
HILO_UNARY(trunc)           ///< to the next whole number towards 0
#undef HILO_UNARY

/// To so many decimals, ties to even.
Array round(const Operand& a, int64_t decimals = 0);
Array around(const Operand& a, int64_t decimals = 0);
/// The angle of a complex number, in degrees if asked for.
Array angle(const Operand& z, bool deg = false);
struct AngleOptions {
  bool deg = false;
};
inline Array angle(const Operand& z, const AngleOptions& options) { return angle(z, options.deg); }
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
HILO_BINARY(arctan2)              ///< the angle of the point (y, x): of x over y, in (-pi, pi]
HILO_BINARY(atan2)                ///< arctan2
HILO_BINARY(bitwise_left_shift)   ///< x 2^y, bits that leave are lost
HILO_BINARY(bitwise_right_shift)  ///< right_shift
HILO_BINARY(copysign)             ///< |x| with the sign of y
HILO_BINARY(divide)               ///< x / y in floats
HILO_BINARY(equal)                ///< x == y
HILO_BINARY(float_power)          ///< x^y in floats
HILO_BINARY(floor_divide)         ///< x / y to the next whole number below
HILO_BINARY(fmax)                 ///< the other one where one is NaN
HILO_BINARY(fmin)                 ///< the other one where one is NaN
HILO_BINARY(fmod)                 ///< sign of x
HILO_BINARY(gcd)                  ///< the greatest common divisor
HILO_BINARY(greater)              ///< x > y
HILO_BINARY(greater_equal)        ///< x >= y
HILO_BINARY(heaviside)            ///< 0 below 0, 1 above, y at 0
HILO_BINARY(hypot)                ///< sqrt(x x + y y) without overflow
HILO_BINARY(lcm)                  ///< the least common multiple
HILO_BINARY(ldexp)                ///< x 2^y for integers y
HILO_BINARY(left_shift)           ///< x 2^y, bits that leave are lost
HILO_BINARY(less)                 ///< x < y
HILO_BINARY(less_equal)           ///< x <= y
HILO_BINARY(mod)                  ///< remainder
HILO_BINARY(nextafter)            ///< the next number after x towards y
HILO_BINARY(not_equal)            ///< x != y
HILO_BINARY(pow)                  ///< power
/// x^y. Integers wrap, and look at the lowest 6 bits of an exponent that is an array. At y = 0 the derivative with respect
/// to x is 0 for integers y, NaN at x = 0 for floats y.
/// Errors    INVALID_ARGUMENT for an integer x and a negative C++ number y
HILO_BINARY(power)
HILO_BINARY(remainder)    ///< sign of y, as Python's %; 0 for an integer y = 0
HILO_BINARY(right_shift)  ///< with the sign of a signed type, zeros of an unsigned one
HILO_BINARY(true_divide)  ///< x / y in floats
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
template <int = 0>
Array isclose(const Operand& a, const Operand& b, double rtol, double atol = 1e-08, bool equal_nan = false) {
  return isclose(a, b, CloseOptions{rtol, atol, equal_nan});
}
template <int = 0>
Array allclose(const Operand& a, const Operand& b, double rtol, double atol = 1e-08, bool equal_nan = false) {
  return allclose(a, b, CloseOptions{rtol, atol, equal_nan});
}
/// Equal in shape and in all elements.
Array array_equal(const Operand& a1, const Operand& a2, bool equal_nan = false);
/// Equal after broadcasting.
Array array_equiv(const Operand& a1, const Operand& a2);

}  // namespace hilo::numpy
