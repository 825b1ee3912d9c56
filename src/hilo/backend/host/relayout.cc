// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/host/relayout.h"

#include <algorithm>
#include <cstring>

#include "hilo/base/stop.h"

namespace hilo {
namespace {

constexpr int64_t kPollInterval = 1 << 20;  // elements between looks at the stop word

/// Copies the box element by element; strides are in bytes, one a dimension.
void copy_box(const Shape& shape, std::byte* to, std::span<const int64_t> to_strides, const std::byte* from,
              std::span<const int64_t> from_strides) {
  const int64_t width = element_size_bytes(shape.element_type());
  const int64_t count = shape.element_count();
  std::vector<int64_t> index(to_strides.size());
  int64_t to_place = 0, from_place = 0;
  const StopFlag stop;
  for (int64_t linear = 0; linear < count; ++linear) {
    if (linear % kPollInterval == 0 && stop.raised()) return;
    std::memcpy(to + to_place * width, from + from_place * width, static_cast<size_t>(width));
    for (size_t d = index.size(); d-- > 0;) {
      to_place += to_strides[d];
      from_place += from_strides[d];
      if (++index[d] < shape.dimension(static_cast<int64_t>(d))) break;
      to_place -= to_strides[d] * index[d];
      from_place -= from_strides[d] * index[d];
      index[d] = 0;
    }
  }
}

}  // namespace

void copy_to_row_major(const Shape& shape, const std::byte* from, std::byte* to) {
  if (shape.byte_size() == 0) return;
  if (shape.has_default_layout()) std::memcpy(to, from, static_cast<size_t>(shape.byte_size()));
  else copy_box(shape, to, row_major_strides(shape.dimensions()), from, strides_of(shape));
}

void copy_from_strides(const Shape& shape, const std::byte* from, std::span<const int64_t> strides, std::byte* to) {
  if (shape.byte_size() == 0) return;
  if (std::ranges::equal(strides, strides_of(shape))) std::memcpy(to, from, static_cast<size_t>(shape.byte_size()));
  else copy_box(shape, to, strides_of(shape), from, strides);
}

StatusOr<const std::byte*> dense_row_major(const HostData& data, AlignedBuffer& room) {
  const Shape& shape = data.shape;
  const Shape dense = shape.with_default_layout();
  if (data.strides.empty() || shape.element_count() == 0 || std::ranges::equal(data.strides, strides_of(dense)))
    return data.data;
  HILO_ASSIGN_OR_RETURN(room, allocate_buffer(static_cast<size_t>(shape.byte_size())));
  copy_from_strides(dense, data.data, data.strides, room.data());
  return static_cast<const std::byte*>(room.data());
}

}  // namespace hilo
