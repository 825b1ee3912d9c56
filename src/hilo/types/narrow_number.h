// SPDX-License-Identifier: Apache-2.0
// types/narrow_number.h -- C++ twins of XLA's 2- and 4-bit integers and 8- and 4-bit floats: one byte each.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace hilo {

/// Use of a float's largest codes: as in IEEE; NaN only at all ones (fn); NaN only at the code of -0 (fnuz); all ones
/// without a sign (fnu); no special values.
enum class Specials : uint8_t { kIeee, kAllOnes, kNegativeZero, kUnsigned, kNone };

/// A float of at most 8 bits by its fields.
struct NarrowFormat {
  int exponent_bits, mantissa_bits, bias;
  Specials specials;
  bool operator==(const NarrowFormat&) const = default;
};

/// Returns the exact value of a code.
float narrow_value(const NarrowFormat& format, uint8_t code);
/// Returns the nearest code, ties to even, as XLA and ml_dtypes. Values that are too large become infinity, else NaN,
/// else the largest value, whichever the type has. NaN becomes -0 in types without NaN. In f8e8m0fnu ties round up,
/// values between the two smallest codes round up, and 0 and negative values become NaN.
uint8_t narrow_code(const NarrowFormat& format, float value);
/// Returns the largest finite value.
float narrow_largest(const NarrowFormat& format);

/// A float of at most 8 bits. Arithmetic is done in float and rounds once when stored.
template <int kExponentBits, int kMantissaBits, int kBias, Specials kSpecials>
struct NarrowFloat {
  static constexpr NarrowFormat kFormat = {kExponentBits, kMantissaBits, kBias, kSpecials};
  uint8_t bits = 0;
  constexpr NarrowFloat() = default;
  explicit NarrowFloat(float value) : bits(narrow_code(kFormat, value)) {}
  operator float() const { return narrow_value(kFormat, bits); }  // widening is exact
};
using float8_e5m2 = NarrowFloat<5, 2, 15, Specials::kIeee>;
using float8_e4m3fn = NarrowFloat<4, 3, 7, Specials::kAllOnes>;
using float8_e4m3 = NarrowFloat<4, 3, 7, Specials::kIeee>;
using float8_e3m4 = NarrowFloat<3, 4, 3, Specials::kIeee>;
using float8_e4m3b11fnuz = NarrowFloat<4, 3, 11, Specials::kNegativeZero>;
using float8_e5m2fnuz = NarrowFloat<5, 2, 16, Specials::kNegativeZero>;
using float8_e4m3fnuz = NarrowFloat<4, 3, 8, Specials::kNegativeZero>;
using float8_e8m0fnu = NarrowFloat<8, 0, 127, Specials::kUnsigned>;
using float4_e2m1fn = NarrowFloat<2, 1, 1, Specials::kNone>;

/// An integer of 2 or 4 bits in a byte. Behaves as an integer of 8 bits that wraps when it is created; bits past the
/// width are ignored.
template <int kWidth, bool kSigned>
struct NarrowInteger {
  using Byte = std::conditional_t<kSigned, int8_t, uint8_t>;
  static constexpr int kBits = kWidth;
  Byte bits = 0;
  constexpr NarrowInteger() = default;
  template <typename I>
    requires std::is_integral_v<I>
  constexpr explicit NarrowInteger(I value) : bits(wrapped(static_cast<uint8_t>(value))) {}
  constexpr operator Byte() const { return wrapped(static_cast<uint8_t>(bits)); }  // widening is exact

 private:
  static constexpr Byte wrapped(uint8_t value) {
    return static_cast<Byte>(static_cast<Byte>(value << (8 - kWidth)) >> (8 - kWidth));
  }
};
using int2 = NarrowInteger<2, true>;
using int4 = NarrowInteger<4, true>;
using uint2 = NarrowInteger<2, false>;
using uint4 = NarrowInteger<4, false>;

template <typename T>
inline constexpr bool is_narrow_float_twin = false;
template <int kExponentBits, int kMantissaBits, int kBias, Specials kSpecials>
inline constexpr bool is_narrow_float_twin<NarrowFloat<kExponentBits, kMantissaBits, kBias, kSpecials>> = true;

template <typename T>
inline constexpr bool is_narrow_integer_twin = false;
template <int kWidth, bool kSigned>
inline constexpr bool is_narrow_integer_twin<NarrowInteger<kWidth, kSigned>> = true;

}  // namespace hilo

/// Lets generic code query the range of every integer in the same way.
template <int kWidth, bool kSigned>
class std::numeric_limits<hilo::NarrowInteger<kWidth, kSigned>> {
  using T = hilo::NarrowInteger<kWidth, kSigned>;

 public:
  static constexpr bool is_specialized = true, is_signed = kSigned, is_integer = true, is_exact = true;
  static constexpr int digits = kSigned ? kWidth - 1 : kWidth;
  static constexpr T max() { return T((1 << digits) - 1); }
  static constexpr T min() { return T(kSigned ? -(1 << digits) : 0); }
  static constexpr T lowest() { return min(); }
};
