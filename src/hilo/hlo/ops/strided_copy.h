// SPDX-License-Identifier: Apache-2.0
// hlo/ops/strided_copy.h -- copies a box of elements between arrays with any strides: the kernel of ops that move data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hilo::hlo {

/// Copies every element of the box `extents`: to[sum(index * to_strides)] = from[sum(index * from_strides)]. Strides
/// are in elements; they may be zero (broadcast) or negative (reverse). `to` and `from` point to the element at index
/// 0. Precondition: all three spans have one entry per dimension, and all elements are inside their arrays.
void strided_copy(std::span<const int64_t> extents, int element_size, std::byte* to,
                  std::span<const int64_t> to_strides, const std::byte* from, std::span<const int64_t> from_strides);

}  // namespace hilo::hlo
