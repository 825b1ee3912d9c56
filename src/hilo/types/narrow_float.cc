// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/narrow_float.h"

#include <bit>
#include <cmath>
#include <limits>

namespace hilo {
namespace {

int sign_bit(const NarrowFormat& f) { return 1 << (f.exponent_bits + f.mantissa_bits); }

/// Returns the code of infinity; in IEEE formats, the first code that isn't finite.
int exponent_mask(const NarrowFormat& f) { return ((1 << f.exponent_bits) - 1) << f.mantissa_bits; }

int largest_finite(const NarrowFormat& f) {
  switch (f.specials) {
    case Specials::kIeee: return exponent_mask(f) - 1;
    case Specials::kAllOnes: return sign_bit(f) - 2;
    case Specials::kNegativeZero:
    case Specials::kNone: return sign_bit(f) - 1;
    case Specials::kUnsigned: return 0xfe;
  }
  return 0;
}

std::optional<int> nan_code(const NarrowFormat& f, bool negative) {
  const int sign = negative ? sign_bit(f) : 0;
  switch (f.specials) {
    case Specials::kIeee: return sign | exponent_mask(f) | 1 << (f.mantissa_bits - 1);
    case Specials::kAllOnes: return sign | (sign_bit(f) - 1);
    case Specials::kNegativeZero: return sign_bit(f);
    case Specials::kUnsigned: return 0xff;
    case Specials::kNone: return std::nullopt;
  }
  return std::nullopt;
}

bool is_nan_code(const NarrowFormat& f, int code) {
  if (f.specials == Specials::kUnsigned) return code == 0xff;
  if (f.specials == Specials::kNegativeZero) return code == sign_bit(f);
  return f.specials != Specials::kNone && (code & (sign_bit(f) - 1)) > largest_finite(f) &&
         !(f.specials == Specials::kIeee && (code & (sign_bit(f) - 1)) == exponent_mask(f));
}

/// Rounds a non-negative number to the nearest integer, ties to even.
int64_t nearest_even(double value) {
  const double below = std::floor(value);
  const auto whole = static_cast<int64_t>(below);
  const double rest = value - below;
  return rest > 0.5 || (rest == 0.5 && whole % 2 != 0) ? whole + 1 : whole;
}

/// Returns the code of a positive finite value, as if codes continued past the largest one.
int64_t magnitude_code(const NarrowFormat& f, double value) {
  const int exponent = std::ilogb(value);
  if (f.specials == Specials::kUnsigned) {
    // Between the two smallest powers of two, where f32 is denormal, XLA and ml_dtypes always round up.
    const double middle = exponent + f.bias == 0 ? std::nextafter(1.0, 2.0) : 1.5;
    const int64_t code = exponent + f.bias + (std::ldexp(value, -exponent) >= middle ? 1 : 0);
    return code < 0 ? 0 : code;
  }
  // Denormal numbers have a fixed step, the smallest value; larger ones a step by exponent.
  const int step = (exponent < 1 - f.bias ? 1 - f.bias : exponent) - f.mantissa_bits;
  const int64_t steps = nearest_even(std::ldexp(value, -step));
  return steps + (static_cast<int64_t>(step + f.bias + f.mantissa_bits - 1) << f.mantissa_bits);
}

/// Returns nullopt if the value is too large or the type has no such value.
std::optional<int> code_of(const NarrowFormat& f, double value) {
  if (std::isnan(value)) return nan_code(f, std::signbit(value));
  if (f.specials == Specials::kUnsigned && value <= 0) return std::nullopt;
  const int sign = std::signbit(value) ? sign_bit(f) : 0;
  if (value == 0) return f.specials == Specials::kNegativeZero ? 0 : sign;
  const int64_t code = std::isinf(value) ? sign_bit(f) : magnitude_code(f, std::fabs(value));
  if (code > largest_finite(f)) {
    return f.specials == Specials::kIeee ? std::optional(sign | exponent_mask(f)) : std::nullopt;
  }
  return code == 0 && f.specials == Specials::kNegativeZero ? 0 : sign | static_cast<int>(code);
}

}  // namespace

float narrow_value(const NarrowFormat& f, uint8_t code) {
  if (f.specials == Specials::kNone) code = static_cast<uint8_t>(code & (2 * sign_bit(f) - 1));
  const bool negative = (code & sign_bit(f)) != 0;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  if (is_nan_code(f, code)) return negative && f.specials != Specials::kNegativeZero ? -nan : nan;
  if (f.specials == Specials::kUnsigned) return std::ldexp(1.0f, code - f.bias);
  const int magnitude = code & (sign_bit(f) - 1);
  const float sign = negative ? -1.0f : 1.0f;
  if (f.specials == Specials::kIeee && magnitude == exponent_mask(f))
    return sign * std::numeric_limits<float>::infinity();
  const int exponent = magnitude >> f.mantissa_bits;
  const int mantissa = magnitude & ((1 << f.mantissa_bits) - 1);
  const int whole = exponent == 0 ? mantissa : mantissa + (1 << f.mantissa_bits);
  return sign * std::ldexp(static_cast<float>(whole), (exponent == 0 ? 1 : exponent) - f.bias - f.mantissa_bits);
}

uint8_t narrow_code(const NarrowFormat& f, float value) {
  const int sign = std::signbit(value) ? sign_bit(f) : 0;
  if (f.specials == Specials::kNone && std::isnan(value)) return static_cast<uint8_t>(sign_bit(f));
  if (const std::optional<int> code = code_of(f, value)) return static_cast<uint8_t>(*code);
  if (const std::optional<int> nan = nan_code(f, sign != 0)) return static_cast<uint8_t>(*nan);
  return static_cast<uint8_t>(sign | largest_finite(f));
}

float narrow_largest(const NarrowFormat& f) { return narrow_value(f, static_cast<uint8_t>(largest_finite(f))); }

bool is_narrow_float(ElementType type) { return is_floating(type) && element_type_info(type).bits <= 8; }

NarrowFormat narrow_format(ElementType type) {
  return visit_array_type(
      type,
      []<typename T>() {
        if constexpr (is_narrow_float_twin<T>) return T::kFormat;
        else return NarrowFormat{};
      },
      [] { return NarrowFormat{}; });
}

double narrow_float_value(ElementType type, uint8_t code) {
  return static_cast<double>(narrow_value(narrow_format(type), code));
}

std::optional<uint8_t> narrow_float_code(ElementType type, double value) {
  const std::optional<int> code = code_of(narrow_format(type), value);
  return code ? std::optional(static_cast<uint8_t>(*code)) : std::nullopt;
}

int narrow_float_mantissa_bits(ElementType type) { return narrow_format(type).mantissa_bits; }

}  // namespace hilo
