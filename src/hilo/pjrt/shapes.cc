// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace hilo::pjrt {
namespace {

struct TypeRow {
  PJRT_Buffer_Type theirs;
  ElementType ours;
};
constexpr TypeRow kTypes[] = {
#define HILO_PJRT_TYPE(name, enumerator) {PJRT_Buffer_Type_##name, ElementType::k##enumerator},
#include "hilo/pjrt_abi/element_types.inc"
    {PJRT_Buffer_Type_TOKEN, ElementType::kToken},
};

/// Returns the order of dimensions for strides in bytes.
StatusOr<std::vector<int64_t>> order_of(const Shape& shape, const PJRT_Buffer_MemoryLayout_Strides& strides) {
  const size_t rank = shape.rank();
  if (strides.num_byte_strides != rank)
    return invalid_argument(fmt::format("layout: got {} strides for {}", strides.num_byte_strides, shape.to_string()));
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return strides.byte_strides[i]; });
  const std::vector<int64_t> dense = strides_of(shape.with_layout(order));
  for (size_t i = 0; i < rank; ++i) {
    if (shape.dimensions()[i] > 1 && strides.byte_strides[i] != dense[i] * element_size_bytes(shape.element_type()))
      return unimplemented(fmt::format("layout: strides of {} that leave gaps", shape.to_string()));
  }
  return order;
}

}  // namespace

StatusOr<ElementType> element_type(PJRT_Buffer_Type type) {
  for (const TypeRow& row : kTypes) {
    if (row.theirs == type) return row.ours;
  }
  return unimplemented(fmt::format("element type {} of PJRT is not supported", static_cast<uint32_t>(type)));
}

PJRT_Buffer_Type buffer_type(ElementType type) {
  for (const TypeRow& row : kTypes) {
    if (row.ours == type) return row.theirs;
  }
  return PJRT_Buffer_Type_INVALID;
}

StatusOr<Shape> with_layout(const Shape& shape, const PJRT_Buffer_MemoryLayout* layout) {
  if (layout == nullptr || !shape.is_array()) return shape;
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> order, order_of(shape, layout->strides));
    return shape.with_layout(order);
  }
  if (layout->tiled.num_tiles != 0) return unimplemented("layout: tiles are not implemented");
  const std::span<const int64_t> order(layout->tiled.minor_to_major, layout->tiled.minor_to_major_size);
  std::vector<int64_t> sorted(order.begin(), order.end());
  std::ranges::sort(sorted);
  bool fits = std::ssize(order) == shape.rank();
  for (size_t i = 0; fits && i < sorted.size(); ++i) fits = sorted[i] == static_cast<int64_t>(i);
  if (fits) return shape.with_layout(order);
  return invalid_argument(fmt::format("layout: got minor_to_major {}; wanted each dimension of {} once",
                                      dimensions_to_string(order), shape.to_string()));
}

StatusOr<Shape> shape_of(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                         const PJRT_Buffer_MemoryLayout* layout) {
  HILO_ASSIGN_OR_RETURN(const ElementType element, element_type(type));
  if (element == ElementType::kToken) return unimplemented("buffers of tokens are not implemented");
  if (dims == nullptr && num_dims != 0) return invalid_argument("'dims' is null");
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::make_array(element, {dims, num_dims}));
  return with_layout(shape, layout);
}

}  // namespace hilo::pjrt
