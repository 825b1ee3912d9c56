// SPDX-License-Identifier: Apache-2.0
// hlo/ops/elementwise_kernels.h -- reference values of one element: XLA's edge cases, no undefined behavior.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hilo/types/twins.h"

namespace hilo::hlo::kernels {

template <typename T>
inline constexpr bool is_complex = false;
template <typename T>
inline constexpr bool is_complex<std::complex<T>> = true;

/// The unsigned type in which integers compute: wide enough that C++ doesn't promote it to int. Unsigned arithmetic
/// wraps by definition.
template <typename T>
using Wide = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

/// Returns the width of an integer type.
template <typename T>
inline constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
template <int kWidth, bool kSigned>
inline constexpr int kBits<NarrowInteger<kWidth, kSigned>> = kWidth;

/// The integer types of the same width without and with a sign.
template <typename T>
struct SignsOf {
  using Unsigned = std::make_unsigned_t<T>;
  using Signed = std::make_signed_t<T>;
};
template <int kWidth, bool kSigned>
struct SignsOf<NarrowInteger<kWidth, kSigned>> {
  using Unsigned = NarrowInteger<kWidth, false>;
  using Signed = NarrowInteger<kWidth, true>;
};
template <typename T>
using Unsigned = typename SignsOf<T>::Unsigned;
template <typename T>
using Signed = typename SignsOf<T>::Signed;

/// The C++ integer that stores an integer's bits, zero-extended.
template <typename T>
constexpr auto bits_of(T x) {
  if constexpr (is_narrow_integer_twin<T>) return static_cast<uint8_t>(Unsigned<T>(static_cast<int>(x)));
  else return static_cast<std::make_unsigned_t<T>>(x);
}

template <typename T>
constexpr T quiet_nan() {
  return std::numeric_limits<T>::quiet_NaN();
}

template <typename T>
T add(T x, T y) {
  if constexpr (std::is_same_v<T, bool>) return x || y;
  else if constexpr (is_integral_element<T>) return static_cast<T>(static_cast<Wide<T>>(x) + static_cast<Wide<T>>(y));
  else return x + y;
}

template <typename T>
T subtract(T x, T y) {
  if constexpr (is_integral_element<T>) return static_cast<T>(static_cast<Wide<T>>(x) - static_cast<Wide<T>>(y));
  else return x - y;
}

/// Complex products use the textbook formula, as in XLA, without recovery of infinities.
template <typename T>
T multiply(T x, T y) {
  if constexpr (std::is_same_v<T, bool>) return x && y;
  else if constexpr (is_integral_element<T>) return static_cast<T>(static_cast<Wide<T>>(x) * static_cast<Wide<T>>(y));
  else if constexpr (is_complex<T>) {
    return T(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
  } else return x * y;
}

/// Integers: x / 0 = -1 (all ones), MIN / -1 = MIN.
template <typename T>
T divide(T x, T y) {
  if constexpr (is_integral_element<T>) {
    if (y == T(0)) return static_cast<T>(~T(0));
    if constexpr (is_signed_element<T>) {
      if (y == T(-1)) return static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(x));
    }
    return static_cast<T>(x / y);
  } else {
    return x / y;
  }
}

/// Integers: x % 0 = x, MIN % -1 = 0. The sign is the dividend's.
template <typename T>
T remainder(T x, T y) {
  if constexpr (is_integral_element<T>) {
    if (y == T(0)) return x;
    if constexpr (is_signed_element<T>) {
      if (y == T(-1)) return T(0);
    }
    return static_cast<T>(x % y);
  } else {
    return std::fmod(x, y);
  }
}

template <typename T>
T negate(T x) {
  if constexpr (is_integral_element<T>) return static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(x));
  else return -x;
}

template <typename T>
auto abs(T x) {
  if constexpr (is_complex<T>) return std::hypot(x.real(), x.imag());
  else if constexpr (is_integral_element<T> && !is_signed_element<T>) return x;
  else if constexpr (is_integral_element<T>) return x < T(0) ? negate(x) : x;
  else return std::fabs(x);
}

/// IEEE 754's maximum: NaN if either operand is NaN, and -0 < +0.
template <typename T>
T maximum(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return x;
    if (std::isnan(y)) return y;
    if (x == y) return std::signbit(x) ? y : x;
  }
  return x > y ? x : y;
}

template <typename T>
T minimum(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return x;
    if (std::isnan(y)) return y;
    if (x == y) return std::signbit(x) ? x : y;
  }
  return x < y ? x : y;
}

template <typename T>
T bitwise_not(T x) {
  if constexpr (std::is_same_v<T, bool>) return !x;
  else return static_cast<T>(~x);
}

template <typename T>
T population_count(T x) {
  return static_cast<T>(std::popcount(bits_of(x)));
}

template <typename T>
T count_leading_zeros(T x) {
  return static_cast<T>(std::countl_zero(bits_of(x)) - (static_cast<int>(sizeof(T)) * 8 - kBits<T>));
}

/// Returns the upper half of the product.
template <typename T>
T multiply_high(T x, T y) {
  if constexpr (sizeof(T) == 8) {
    using Double = std::conditional_t<is_signed_element<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Double>(x) * static_cast<Double>(y)) >> 64);
  } else {
    using Double = std::conditional_t<is_signed_element<T>, int64_t, uint64_t>;
    return static_cast<T>((static_cast<Double>(x) * static_cast<Double>(y)) >> kBits<T>);
  }
}

/// Returns whether a shift count is in [0, width). Counts are unsigned, so a negative one exceeds the width.
template <typename T>
bool shift_in_range(T y) {
  return bits_of(y) < static_cast<uint64_t>(kBits<T>);
}

template <typename T>
T shift_left(T x, T y) {
  return shift_in_range(y) ? static_cast<T>(static_cast<Wide<T>>(x) << bits_of(y)) : T(0);
}

template <typename T>
T shift_right_logical(T x, T y) {
  return shift_in_range(y) ? static_cast<T>(bits_of(x) >> bits_of(y)) : T(0);
}

template <typename T>
T shift_right_arithmetic(T x, T y) {
  const int by = shift_in_range(y) ? static_cast<int>(bits_of(y)) : kBits<T> - 1;
  return static_cast<T>(static_cast<Signed<T>>(bits_of(x)) >> by);
}

/// sign(-0) = -0 and sign(NaN) = NaN; z / |z| for complex z, 0 for 0.
template <typename T>
T sign(T x) {
  if constexpr (is_complex<T>) {
    const auto magnitude = std::hypot(x.real(), x.imag());
    return magnitude == 0 ? T(0) : x / magnitude;
  } else if constexpr (std::is_floating_point_v<T>) {
    return x > 0 ? T{1} : x < 0 ? T{-1} : x;
  } else {
    return static_cast<T>((x > T(0) ? 1 : 0) - (x < T(0) ? 1 : 0));
  }
}

/// Returns r^c e^(-d t) (cos q + i sin q) for x = r e^(it) and y = c + di, with q = c t + d log r. This is XLA's
/// formula, including its infinities, its NaN, and its special cases 0, 1, infinity and the power 0.
template <typename T>
T complex_power(T x, T y) {
  const auto c = y.real(), d = y.imag(), size = std::hypot(x.real(), x.imag()), angle = std::arg(x);
  constexpr auto kInfinity = std::numeric_limits<typename T::value_type>::infinity();
  const bool is_real = x.imag() == 0;
  if (d == 0 && x.real() == kInfinity && is_real && c != 0 && c == c) return T(c > 0 ? kInfinity : 0);
  if ((is_real && x.real() == 1) || y == T(0)) return T(1);
  if (size == 0 && d == 0 && c > 0) return T(0);
  const auto scale = std::pow(size, c) * std::exp(-d * angle), turn = c * angle + d * std::log(size);
  return T(scale * std::cos(turn), scale * std::sin(turn));
}

/// Integers wrap. With a negative exponent the result is 0, except for the bases 1 and -1.
template <typename T>
T power(T x, T y) {
  if constexpr (is_integral_element<T>) {
    const bool odd = (y & 1) != 0;
    if constexpr (is_signed_element<T>) {
      if (y < T(0)) return x == T(1) ? T(1) : x == T(-1) ? (odd ? T(-1) : T(1)) : T(0);
    }
    Wide<T> base = static_cast<Wide<T>>(x), result = 1;
    for (uint64_t exponent = bits_of(y); exponent != 0; exponent >>= 1) {
      if (exponent & 1) result *= base;
      base *= base;
    }
    return static_cast<T>(result);
  } else if constexpr (is_complex<T>) {
    return complex_power(x, y);
  } else {
    return std::pow(x, y);
  }
}

template <typename T>
T atan2(T x, T y) {
  if constexpr (is_complex<T>) {
    // -i log((y + i x) / sqrt(x^2 + y^2)); the first operand is the ordinate
    const T i(0, 1);
    return multiply(-i, std::log((y + multiply(i, x)) / std::sqrt(multiply(x, x) + multiply(y, y))));
  } else {
    return std::atan2(x, y);
  }
}

/// Returns e^z - 1 without cancellation: expm1(a) cos(b) - 2 sin(b/2)^2 + i e^a sin(b). Real z have real results even
/// if e^a overflows.
template <typename T>
T expm1(T x) {
  if constexpr (is_complex<T>) {
    const auto a = x.real(), b = x.imag();
    const auto half_sine = std::sin(b / 2);
    return T(std::expm1(a) * std::cos(b) - 2 * half_sine * half_sine, b == 0 ? b : std::exp(a) * std::sin(b));
  } else {
    return std::expm1(x);
  }
}

/// Returns log(1 + z) without cancellation: log1p(a (2 + a) + b^2) / 2 near 1, log(|1 + z|) elsewhere.
template <typename T>
T log1p(T x) {
  if constexpr (is_complex<T>) {
    const auto a = x.real(), b = x.imag();
    const auto angle = std::atan2(b, 1 + a);
    if (std::fabs(a) < 0.5 && std::fabs(b) < 0.5) return T(std::log1p(a * (2 + a) + b * b) / 2, angle);
    return T(std::log(std::hypot(1 + a, b)), angle);
  } else {
    return std::log1p(x);
  }
}

/// For negative x computes e^x / (1 + e^x), which doesn't overflow for small results.
template <typename T>
T logistic(T x) {
  if constexpr (!is_complex<T>) {
    if (x < 0) return std::exp(x) / (T(1) + std::exp(x));
  }
  return T(1) / (T(1) + std::exp(-x));
}

template <typename T>
T rsqrt(T x) {
  return T(1) / std::sqrt(x);
}

/// Rounds ties to even, whatever the caller's rounding mode.
template <typename T>
T round_even(T x) {
  const T rounded = std::round(x);  // ties away from zero
  if (std::fabs(x - std::trunc(x)) != T(0.5)) return rounded;
  return std::copysign(T(2) * std::round(x / T(2)), x);
}

template <typename T>
auto real(T x) {
  if constexpr (is_complex<T>) return x.real();
  else return x;
}

template <typename T>
auto imag(T x) {
  if constexpr (is_complex<T>) return x.imag();
  else return T(0);
}

}  // namespace hilo::hlo::kernels
