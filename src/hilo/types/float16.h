// SPDX-License-Identifier: Apache-2.0
// types/float16.h -- IEEE half and bfloat16 as storage types: two bytes, converted to and from float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace hilo {

/// Rounds to nearest, ties to even; NaN stays a quiet NaN with its sign.
constexpr uint16_t float_to_bfloat16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x0040u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

constexpr float bfloat16_bits_to_float(uint16_t bits) {  ///< exact
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Rounds to nearest, ties to even, with gradual underflow; values above 65520 become infinity.
constexpr uint16_t float_to_half_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude >= 0x38800000u) {  // a normal half
    const uint32_t rebased = magnitude - 0x38000000u;
    return static_cast<uint16_t>(sign | ((rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13));
  }
  if (magnitude < 0x33000000u) return static_cast<uint16_t>(sign);  // less than half of the smallest denormal
  const uint32_t shift = 126u - (magnitude >> 23);
  const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  const uint32_t kept = mantissa >> shift;
  const uint32_t rest = mantissa & ((1u << shift) - 1u);
  const uint32_t half = 1u << (shift - 1u);
  return static_cast<uint16_t>(sign | (kept + ((rest > half || (rest == half && (kept & 1u))) ? 1u : 0u)));
}

constexpr float half_bits_to_float(uint16_t bits) {  ///< exact
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  uint32_t shift = 0;
  while (!(mantissa & 0x400u)) {
    mantissa <<= 1;
    ++shift;
  }
  return std::bit_cast<float>(sign | ((113u - shift) << 23) | ((mantissa & 0x3ffu) << 13));
}

/// The upper half of a float. Arithmetic is done in float and rounds once when stored.
struct bfloat16 {
  uint16_t bits = 0;
  constexpr bfloat16() = default;
  constexpr explicit bfloat16(float value) : bits(float_to_bfloat16_bits(value)) {}
  constexpr operator float() const { return bfloat16_bits_to_float(bits); }  // widening is exact
};

/// IEEE binary16. Arithmetic is done in float and rounds once when stored.
struct float16 {
  uint16_t bits = 0;
  constexpr float16() = default;
  constexpr explicit float16(float value) : bits(float_to_half_bits(value)) {}
  constexpr operator float() const { return half_bits_to_float(bits); }  // widening is exact
};

}  // namespace hilo
