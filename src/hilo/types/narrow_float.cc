// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/narrow_float.h"

#include <cmath>
#include <limits>

namespace hilo {
namespace {

/// How the largest codes are used: as IEEE does; NaN only at all ones (fn); NaN only at the code of -0 (fnuz); all ones
/// without a sign (fnu); no special value at all.
enum class Specials : uint8_t { kIeee, kAllOnes, kNegativeZero, kUnsigned, kNone };

struct Format {
  ElementType type;
  int exponent_bits, mantissa_bits, bias;
  Specials specials;
};

constexpr Format kFormats[] = {
    {ElementType::kF8E5M2, 5, 2, 15, Specials::kIeee},
    {ElementType::kF8E4M3Fn, 4, 3, 7, Specials::kAllOnes},
    {ElementType::kF8E4M3, 4, 3, 7, Specials::kIeee},
    {ElementType::kF8E3M4, 3, 4, 3, Specials::kIeee},
    {ElementType::kF8E4M3B11Fnuz, 4, 3, 11, Specials::kNegativeZero},
    {ElementType::kF8E5M2Fnuz, 5, 2, 16, Specials::kNegativeZero},
    {ElementType::kF8E4M3Fnuz, 4, 3, 8, Specials::kNegativeZero},
    {ElementType::kF8E8M0Fnu, 8, 0, 127, Specials::kUnsigned},
    {ElementType::kF4E2M1Fn, 2, 1, 1, Specials::kNone},
};

const Format* find_format(ElementType type) {
  for (const Format& f : kFormats) {
    if (f.type == type) return &f;
  }
  return nullptr;
}

int code_count(ElementType type) { return type == ElementType::kF4E2M1Fn ? 16 : 256; }

double value_of(const Format& f, int code) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (f.specials == Specials::kUnsigned) return code == 0xff ? nan : std::ldexp(1.0, code - f.bias);
  const int magnitude_bits = f.exponent_bits + f.mantissa_bits;
  const double sign = (code >> magnitude_bits) & 1 ? -1.0 : 1.0;
  const int exponent = (code >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
  const int mantissa = code & ((1 << f.mantissa_bits) - 1);
  if (f.specials == Specials::kNegativeZero && code == 0x80) return nan;
  if (exponent == (1 << f.exponent_bits) - 1) {
    if (f.specials == Specials::kIeee) {
      return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::copysign(nan, sign);
    }
    if (f.specials == Specials::kAllOnes && mantissa == (1 << f.mantissa_bits) - 1) return std::copysign(nan, sign);
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits);
  return sign * std::ldexp((1 << f.mantissa_bits) + mantissa, exponent - f.bias - f.mantissa_bits);
}

std::optional<uint8_t> nan_code(const Format& f, bool negative) {
  const int sign = negative ? 0x80 : 0;
  switch (f.specials) {
    case Specials::kIeee: {
      const int exponent = ((1 << f.exponent_bits) - 1) << f.mantissa_bits;
      return static_cast<uint8_t>(sign | exponent | 1 << (f.mantissa_bits - 1));
    }
    case Specials::kAllOnes: return static_cast<uint8_t>(sign | 0x7f);
    case Specials::kNegativeZero: return 0x80;
    case Specials::kUnsigned: return 0xff;
    case Specials::kNone: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool is_narrow_float(ElementType type) { return find_format(type) != nullptr; }

double narrow_float_value(ElementType type, uint8_t code) {
  return value_of(*find_format(type), code % code_count(type));
}

std::optional<uint8_t> narrow_float_code(ElementType type, double value) {
  const Format& f = *find_format(type);
  if (std::isnan(value)) return nan_code(f, std::signbit(value));
  std::optional<uint8_t> nearest;
  double least = std::numeric_limits<double>::infinity(), largest = 0, spacing = 0;
  for (int code = 0; code < code_count(type); ++code) {
    const double candidate = value_of(f, code);
    if (!std::isfinite(candidate)) continue;
    if (candidate > largest) {
      spacing = candidate - largest;
      largest = candidate;
    }
    const double distance = std::abs(candidate - value);
    const bool same_sign = std::signbit(candidate) == std::signbit(value);
    const bool better = distance < least || (distance == least && (candidate == 0 ? same_sign : code % 2 == 0));
    if (std::isfinite(value) && better) {
      least = distance;
      nearest = static_cast<uint8_t>(code);
    }
  }
  // Half a step past the largest value is the first that rounds up to infinity; the largest code of the types with
  // infinities is odd, so the tie goes up as well.
  if (std::abs(value) < largest + spacing / 2) {
    return value < 0 && f.specials == Specials::kUnsigned ? std::nullopt : nearest;
  }
  if (f.specials != Specials::kIeee) return std::nullopt;
  const int exponent = ((1 << f.exponent_bits) - 1) << f.mantissa_bits;
  return static_cast<uint8_t>((value < 0 ? 0x80 : 0) | exponent);
}

int narrow_float_mantissa_bits(ElementType type) { return find_format(type)->mantissa_bits; }

}  // namespace hilo
