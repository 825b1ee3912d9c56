// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/sort_key.h -- the values of elements as unsigned keys in the same order.
#pragma once

#include <limits>

#include "hilo/hlo/ops/top_k.h"

namespace hilo::cpu {

/// An order of the elements of one operand.
struct SortKey {
  size_t operand = 0;
  ElementType type{};
  bool descending = false;
  bool equal_zeros = false;  ///< -0 and +0 compare equal
  bool equal_nans = false;   ///< all NaN compare equal, after every number
  bool loose_nans = false;   ///< NaN compares false with every number, which isn't an order
};

/// Returns the bits of an element as an unsigned number that sorts ascending.
template <typename Bits>
Bits ordered_key(const SortKey& key, Bits bits) {
  constexpr Bits kAll = std::numeric_limits<Bits>::max(), kSign = static_cast<Bits>(kAll ^ (kAll >> 1));
  if (is_floating(key.type)) {
    const int mantissa = key.type == ElementType::kF64   ? 52
                         : key.type == ElementType::kF32 ? 23
                         : key.type == ElementType::kF16 ? 10
                                                         : 7;
    const Bits infinity = static_cast<Bits>((kSign - 1) >> mantissa << mantissa);
    const Bits magnitude = static_cast<Bits>(bits & static_cast<Bits>(~kSign));
    if (key.equal_zeros && magnitude == 0) bits = 0;
    if (key.equal_nans && magnitude > infinity) bits = static_cast<Bits>(kSign - 1);
    bits = hlo::ordered_bits<hlo::BitOrder::kFloating>(bits, kAll, kSign);
  } else if (is_signed_integer(key.type)) {
    bits = hlo::ordered_bits<hlo::BitOrder::kSigned>(bits, kAll, kSign);
  }
  return key.descending ? static_cast<Bits>(~bits) : bits;
}

}  // namespace hilo::cpu
