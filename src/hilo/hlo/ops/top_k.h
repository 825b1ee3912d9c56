// SPDX-License-Identifier: Apache-2.0
// hlo/ops/top_k.h -- topk: the k greatest or least elements of each row, in order, and where they stand.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Rows lie along the last dimension. Floats in total order (-NaN < -inf < ... < -0 < 0 < ... < inf < NaN); of equal
/// elements the first comes first. Results: the elements, and s32 positions.
struct TopKAttributes : Attributes {
  int64_t k = 0;
  bool largest = true;
};

const OpDef& top_k_op();

/// The bits of an element as a number that sorts as the elements do. `bits` has those of the element's width, above them
/// anything.
constexpr uint64_t total_order_key(ElementType type, uint64_t bits) {
  const int width = element_type_info(type).bits;
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1, sign = uint64_t{1} << (width - 1);
  bits &= mask;
  if (is_signed_integer(type)) return bits ^ sign;
  if (!is_floating(type) || type == ElementType::kF8E8M0Fnu) return bits;  // whose codes have no sign
  return (bits & sign) != 0 ? ~bits & mask : bits | sign;
}

}  // namespace hilo::hlo
