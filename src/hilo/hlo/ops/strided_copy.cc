// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/strided_copy.h"

#include <cstring>
#include <vector>

namespace hilo::hlo {
namespace {

/// Copies a line along one dimension; steps are in bytes. Size is a constant, so that memcpy becomes one move.
template <int Size>
void copy_line(int64_t count, std::byte* to, int64_t to_step, const std::byte* from, int64_t from_step) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, Size);
}

void copy_line(int size, int64_t count, std::byte* to, int64_t to_step, const std::byte* from, int64_t from_step) {
  if (to_step == size && from_step == size) {
    std::memcpy(to, from, static_cast<size_t>(count) * static_cast<size_t>(size));
  } else if (size == 1) {
    copy_line<1>(count, to, to_step, from, from_step);
  } else if (size == 2) {
    copy_line<2>(count, to, to_step, from, from_step);
  } else if (size == 4) {
    copy_line<4>(count, to, to_step, from, from_step);
  } else if (size == 8) {
    copy_line<8>(count, to, to_step, from, from_step);
  } else {
    copy_line<16>(count, to, to_step, from, from_step);
  }
}

}  // namespace

void strided_copy(std::span<const int64_t> extents, int element_size, std::byte* to,
                  std::span<const int64_t> to_strides, const std::byte* from, std::span<const int64_t> from_strides) {
  for (int64_t extent : extents) {
    if (extent == 0) return;
  }
  if (extents.empty()) return copy_line(element_size, 1, to, element_size, from, element_size);
  const size_t last = extents.size() - 1;
  std::vector<int64_t> index(extents.size(), 0);
  while (true) {
    copy_line(element_size, extents[last], to, to_strides[last] * element_size, from,
              from_strides[last] * element_size);
    size_t d = last;
    for (; d > 0; --d) {  // advances to the next line in the outer dimensions
      const size_t outer = d - 1;
      to += to_strides[outer] * element_size;
      from += from_strides[outer] * element_size;
      if (++index[outer] < extents[outer]) break;
      to -= to_strides[outer] * element_size * extents[outer];
      from -= from_strides[outer] * element_size * extents[outer];
      index[outer] = 0;
    }
    if (d == 0) return;
  }
}

}  // namespace hilo::hlo
