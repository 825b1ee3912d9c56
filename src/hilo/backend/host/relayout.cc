// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/host/relayout.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "hilo/base/stop.h"

namespace hilo {
namespace {

constexpr int64_t kTile = 32;  // elements per side: its lines of both arrays stay in the L1 cache

/// A dimension of a copy. Strides are in elements.
struct Axis {
  int64_t count, to, from;
};

/// Returns the dimensions of the copy. The last one is the innermost of `to`; before it is the innermost of `from`
/// among the others. Dimensions that are contiguous in both are merged.
std::vector<Axis> axes_of(std::span<const int64_t> extents, std::span<const int64_t> to,
                          std::span<const int64_t> from) {
  std::vector<Axis> all, axes;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] != 1) all.push_back({extents[d], to[d], from[d]});
  }
  std::ranges::sort(all, std::ranges::greater(), &Axis::to);
  for (const Axis& axis : all) {
    const bool joins =
        !axes.empty() && axes.back().to == axis.to * axis.count && axes.back().from == axis.from * axis.count;
    if (joins) axes.back() = {axes.back().count * axis.count, axis.to, axis.from};
    else axes.push_back(axis);
  }
  while (axes.size() < 2) axes.insert(axes.begin(), {1, 0, 0});
  const auto nearest =
      std::ranges::min_element(axes.begin(), axes.end() - 1, {}, [](const Axis& axis) { return std::abs(axis.from); });
  std::rotate(nearest, nearest + 1, axes.end() - 1);
  return axes;
}

/// Copies elements of kWidth bytes in a plane, tile by tile.
template <size_t kWidth>
void copy_plane(const Axis& rows, const Axis& columns, std::byte* to, const std::byte* from, const StopFlag& stop) {
  if (columns.from == 1 && columns.to == 1) {
    for (int64_t i = 0; i < rows.count; ++i)
      std::memcpy(to + i * rows.to * int64_t{kWidth}, from + i * rows.from * int64_t{kWidth},
                  static_cast<size_t>(columns.count) * kWidth);
    return;
  }
  for (int64_t i0 = 0; i0 < rows.count && !stop.raised(); i0 += kTile) {
    for (int64_t j0 = 0; j0 < columns.count; j0 += kTile) {
      for (int64_t i = i0; i < std::min(i0 + kTile, rows.count); ++i) {
        for (int64_t j = j0; j < std::min(j0 + kTile, columns.count); ++j)
          std::memcpy(to + (i * rows.to + j * columns.to) * int64_t{kWidth},
                      from + (i * rows.from + j * columns.from) * int64_t{kWidth}, kWidth);
      }
    }
  }
}

template <size_t kWidth>
void copy_planes(std::span<const Axis> axes, std::byte* to, const std::byte* from) {
  const std::span<const Axis> outer = axes.first(axes.size() - 2);
  std::vector<int64_t> index(outer.size());
  const StopFlag stop;
  for (bool more = true; more && !stop.raised();) {
    copy_plane<kWidth>(axes[axes.size() - 2], axes.back(), to, from, stop);
    more = false;
    for (size_t d = outer.size(); d-- > 0;) {
      to += outer[d].to * int64_t{kWidth};
      from += outer[d].from * int64_t{kWidth};
      more = ++index[d] < outer[d].count;
      if (more) break;
      to -= outer[d].to * index[d] * int64_t{kWidth};
      from -= outer[d].from * index[d] * int64_t{kWidth};
      index[d] = 0;
    }
  }
}

/// Strides are in elements, one per dimension.
void copy_box(const Shape& shape, std::byte* to, std::span<const int64_t> to_strides, const std::byte* from,
              std::span<const int64_t> from_strides) {
  const std::vector<Axis> axes = axes_of(shape.dimensions(), to_strides, from_strides);
  switch (element_size_bytes(shape.element_type())) {
    case 1: return copy_planes<1>(axes, to, from);
    case 2: return copy_planes<2>(axes, to, from);
    case 4: return copy_planes<4>(axes, to, from);
    case 8: return copy_planes<8>(axes, to, from);
    default: return copy_planes<16>(axes, to, from);
  }
}

}  // namespace

void copy_to_row_major(const Shape& shape, const std::byte* from, std::byte* to) {
  if (shape.byte_size() == 0) return;
  if (shape.has_default_layout()) std::memcpy(to, from, shape.byte_size());
  else copy_box(shape, to, row_major_strides(shape.dimensions()), from, strides_of(shape));
}

void copy_from_strides(const Shape& shape, const std::byte* from, std::span<const int64_t> strides, std::byte* to) {
  if (shape.byte_size() == 0) return;
  if (std::ranges::equal(strides, strides_of(shape))) std::memcpy(to, from, shape.byte_size());
  else copy_box(shape, to, strides_of(shape), from, strides);
}

StatusOr<const std::byte*> dense_row_major(const HostData& data, AlignedBuffer& copy) {
  const Shape& shape = data.shape;
  const Shape dense = shape.with_default_layout();
  if (data.strides.empty() || shape.element_count() == 0 || std::ranges::equal(data.strides, strides_of(dense)))
    return data.data;
  HILO_ASSIGN_OR_RETURN(copy, allocate_buffer(shape.byte_size()));
  copy_from_strides(dense, data.data, data.strides, copy.data());
  return static_cast<const std::byte*>(copy.data());
}

}  // namespace hilo
