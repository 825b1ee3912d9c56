// SPDX-License-Identifier: Apache-2.0
// numpy/elementwise.h -- elementwise functions, with broadcasting and type promotion as in jax.numpy.
#pragma once

#include <utility>

#include "hilo/numpy/dtypes.h"
#include "hilo/numpy/operators.h"
#include "hilo/numpy/ufunc.h"

namespace hilo::numpy {

// cos(x), exp(x), ...: one function for each row of numpy/ufuncs.inc.
#define HILO_UFUNC(name, op) Array name(const Operand& x);
#include "hilo/numpy/ufuncs.inc"

// ---- one operand ----------------------------------------------------------------------------------------------------
#define HILO_UNARY(name) Array name(const Operand& x);
/// Returns the absolute value; real for complex numbers.
/// Example    abs(array({-1.5, 2.0}))  // [1.5 2. ]
HILO_UNARY(abs)
HILO_UNARY(absolute)        ///< same as abs
HILO_UNARY(bitwise_count)   ///< number of bits that are 1, as u8
HILO_UNARY(bitwise_invert)  ///< every bit inverted
HILO_UNARY(bitwise_not)     ///< every bit inverted
HILO_UNARY(ceil)            ///< smallest integer that is not less than x
HILO_UNARY(conj)            ///< complex conjugate
HILO_UNARY(conjugate)       ///< complex conjugate
HILO_UNARY(deg2rad)         ///< degrees to radians: x * pi / 180
HILO_UNARY(degrees)         ///< radians to degrees: x * 180 / pi
HILO_UNARY(erf)             ///< error function
HILO_UNARY(exp2)            ///< 2 to the power of x
HILO_UNARY(fabs)            ///< absolute value; integers are converted to floats
HILO_UNARY(fix)             ///< x rounded towards 0
HILO_UNARY(floor)           ///< largest integer that is not greater than x
HILO_UNARY(i0)              ///< modified Bessel function of the first kind, order 0
HILO_UNARY(imag)            ///< imaginary part; 0 for real numbers
HILO_UNARY(invert)          ///< every bit inverted
HILO_UNARY(iscomplex)       ///< true where the imaginary part is not 0
HILO_UNARY(isfinite)        ///< true where x is neither NaN nor infinite
HILO_UNARY(isinf)           ///< true where x is infinite
HILO_UNARY(isnan)           ///< true where x is NaN
HILO_UNARY(isneginf)        ///< true where x is -infinity
HILO_UNARY(isposinf)        ///< true where x is +infinity
HILO_UNARY(isreal)          ///< true where the imaginary part is 0
HILO_UNARY(log10)           ///< logarithm to base 10
HILO_UNARY(log2)            ///< logarithm to base 2
HILO_UNARY(logical_not)     ///< true where x is 0
HILO_UNARY(positive)        ///< x unchanged
HILO_UNARY(rad2deg)         ///< radians to degrees: x * 180 / pi
HILO_UNARY(radians)         ///< degrees to radians: x * pi / 180
HILO_UNARY(real)            ///< real part
HILO_UNARY(reciprocal)      ///< 1 / x
HILO_UNARY(rint)            ///< x rounded to the nearest integer, ties to even; integers are converted to floats
HILO_UNARY(sign)            ///< -1, 0 or 1; for complex numbers x / |x|
HILO_UNARY(signbit)         ///< true where the sign bit is set, also for -0
HILO_UNARY(sinc)            ///< sin(pi x) / (pi x); 1 at x = 0
HILO_UNARY(spacing)         ///< distance to the next number away from 0
/// Returns x * x.
/// Example    square(array({1, 2, 3}))  // [1 4 9]
HILO_UNARY(square)
HILO_UNARY(trunc)  ///< x rounded towards 0
#undef HILO_UNARY

/// Rounds to `decimals` decimal places, ties to even. A negative `decimals` rounds to tens, hundreds, ...
/// Example    round(array({1.25, 2.5, -0.75}), 1)  // [ 1.2 2.5 -0.8]
///            round(array({0.5, 1.5, 2.5}))  // [0. 2. 2.]
Array round(const Operand& a, int64_t decimals = 0);
Array around(const Operand& a, int64_t decimals = 0);
/// Returns the angle of complex numbers in radians, or in degrees if `deg`.
Array angle(const Operand& z, bool deg = false);
struct AngleOptions {
  bool deg = false;
};
inline Array angle(const Operand& z, const AngleOptions& options) { return angle(z, options.deg); }
/// Returns the fractional and the integral part; both have the sign of x.
std::pair<Array, Array> modf(const Operand& x);
/// Decomposes x into m * 2^e, with m in [0.5, 1) and an s32 exponent e.
std::pair<Array, Array> frexp(const Operand& x);
struct NanToNumOptions {
  bool copy = true;
  std::optional<Array> nan = std::nullopt;     ///< replacement for NaN; default 0
  std::optional<Array> posinf = std::nullopt;  ///< replacement for infinity; default the greatest number of the type
  std::optional<Array> neginf = std::nullopt;  ///< replacement for -infinity; default the least number of the type
};
Array nan_to_num(const Operand& x, const NanToNumOptions& options = {});

// ---- two operands ---------------------------------------------------------------------------------------------------
#define HILO_BINARY(name) Array name(const Operand& x, const Operand& y);
HILO_BINARY(arctan2)              ///< angle of the point (y, x) in radians, in (-pi, pi]; the operands are y and x
HILO_BINARY(atan2)                ///< same as arctan2
HILO_BINARY(bitwise_left_shift)   ///< x * 2^y; bits shifted out are discarded
HILO_BINARY(bitwise_right_shift)  ///< same as right_shift
HILO_BINARY(copysign)             ///< |x| with the sign of y
HILO_BINARY(divide)               ///< x / y; integers are converted to floats
HILO_BINARY(equal)                ///< true where x == y
HILO_BINARY(float_power)          ///< x to the power of y; integers are converted to floats
HILO_BINARY(floor_divide)         ///< largest integer that is not greater than x / y
HILO_BINARY(fmax)                 ///< maximum that ignores NaN: if one operand is NaN, the other one
HILO_BINARY(fmin)                 ///< minimum that ignores NaN: if one operand is NaN, the other one
HILO_BINARY(fmod)                 ///< remainder of x / y with the sign of x
HILO_BINARY(gcd)                  ///< greatest common divisor
HILO_BINARY(greater)              ///< true where x > y
HILO_BINARY(greater_equal)        ///< true where x >= y
HILO_BINARY(heaviside)            ///< 0 for x < 0, 1 for x > 0, y for x = 0
HILO_BINARY(hypot)                ///< sqrt(x * x + y * y) without overflow
HILO_BINARY(lcm)                  ///< least common multiple
HILO_BINARY(ldexp)                ///< x * 2^y for integers y
HILO_BINARY(left_shift)           ///< x * 2^y; bits shifted out are discarded
HILO_BINARY(less)                 ///< true where x < y
HILO_BINARY(less_equal)           ///< true where x <= y
/// Same as remainder.
/// Example    mod(array({-3, 5}), 4)  // [1 1]
HILO_BINARY(mod)
HILO_BINARY(nextafter)  ///< next representable number after x in the direction of y
HILO_BINARY(not_equal)  ///< true where x != y
HILO_BINARY(pow)        ///< same as power
/// Raises x to the power of y. Integers wrap around, and only the lowest 6 bits of an integer exponent array are used.
/// Errors     INVALID_ARGUMENT for an integer x and a negative C++ number y
/// Gradient   at y = 0 the derivative with respect to x is 0 for integers y, and NaN at x = 0 for floats y
/// Example    power(array({1, 2, 3}), 2)  // [1 4 9]
HILO_BINARY(power)
/// Returns the remainder of x / y with the sign of y, as Python's %. For integers, y = 0 gives 0.
/// Example    remainder(array({-3, 5}), 4)  // [1 1]
HILO_BINARY(remainder)
HILO_BINARY(right_shift)  ///< x shifted right by y bits: arithmetic for signed types, logical for unsigned ones
HILO_BINARY(true_divide)  ///< x / y; integers are converted to floats
#undef HILO_BINARY

/// Returns floor_divide(x, y) and remainder(x, y).
std::pair<Array, Array> divmod(const Operand& x, const Operand& y);

/// Limits elements to [min, max], which broadcast; either bound may be absent.
/// Example    clip(arange(6), 1, 3)  // [1 1 2 3 3 3]
Array clip(const Operand& arr, const Operand& min, const Operand& max);
struct ClipOptions {
  std::optional<Array> min = std::nullopt, max = std::nullopt;
};
Array clip(const Operand& arr, const ClipOptions& options = {});
/// Selects elements: x where `condition` is true, else y. The three arguments broadcast.
/// Gradient   flows only to the selected operand. Guard the argument of a function that has no finite derivative there,
///            not only its result: where(x > 0, sqrt(where(x > 0, x, 1)), 0).
/// Example    where(array({true, false, true}), array({1, 2, 3}), 0)  // [1 0 3]
Array where(const Operand& condition, const Operand& x, const Operand& y);

struct CloseOptions {
  double rtol = 1e-05, atol = 1e-08;
  bool equal_nan = false;
};
/// Returns whether |a - b| <= atol + rtol * |b|, elementwise. Equal infinities are close.
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
/// Returns whether both arrays have the same shape and equal elements.
Array array_equal(const Operand& a1, const Operand& a2, bool equal_nan = false);
/// Returns whether both arrays are equal after broadcasting.
Array array_equiv(const Operand& a1, const Operand& a2);

}  // namespace hilo::numpy
