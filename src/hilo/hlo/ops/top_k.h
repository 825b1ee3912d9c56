// SPDX-License-Identifier: Apache-2.0
// hlo/ops/top_k.h -- topk: the k largest or smallest elements of each row, in order, and their positions.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Rows are along the last dimension. Floats are in total order (-NaN < -inf < ... < -0 < 0 < ... < inf < NaN); of
/// equal elements the first comes first. Results: the elements, and s32 positions.
struct TopKAttributes : Attributes {
  int64_t k = 0;
  bool largest = true;
};

/// The order of a type's elements in terms of their bits.
enum class BitOrder : uint8_t { kUnsigned, kSigned, kFloating };

constexpr BitOrder bit_order(ElementType type) {
  if (is_signed_integer(type)) return BitOrder::kSigned;
  const bool has_sign = is_floating(type) && type != ElementType::kF8E8M0Fnu;
  return has_sign ? BitOrder::kFloating : BitOrder::kUnsigned;
}

/// Maps the bits of an element to a number with the same order. `mask` has the bits of the element's width, `sign` the
/// highest of them; the bits of `bits` above are ignored.
template <BitOrder kOrder, typename Bits>
constexpr Bits ordered_bits(Bits bits, Bits mask, Bits sign) {
  bits = static_cast<Bits>(bits & mask);
  if constexpr (kOrder == BitOrder::kSigned) return static_cast<Bits>(bits ^ sign);
  else if constexpr (kOrder == BitOrder::kUnsigned) return bits;
  else return static_cast<Bits>((bits & sign) != 0 ? ~bits & mask : bits | sign);
}

/// The bits of a type's elements: all of them, and the sign bit.
struct ElementBits {
  uint64_t mask, sign;
};

constexpr ElementBits element_bits(ElementType type) {
  const int width = element_type_info(type).bits;
  return {width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1, uint64_t{1} << (width - 1)};
}

constexpr uint64_t total_order_key(ElementType type, uint64_t bits) {
  const auto [mask, sign] = element_bits(type);
  switch (bit_order(type)) {
    case BitOrder::kUnsigned: return ordered_bits<BitOrder::kUnsigned>(bits, mask, sign);
    case BitOrder::kSigned: return ordered_bits<BitOrder::kSigned>(bits, mask, sign);
    case BitOrder::kFloating: return ordered_bits<BitOrder::kFloating>(bits, mask, sign);
  }
  return bits;
}

}  // namespace hilo::hlo
