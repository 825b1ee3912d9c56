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
// clang-format off: a row a type
constexpr TypeRow kTypes[] = {
    {PJRT_Buffer_Type_PRED, ElementType::kPred},
    {PJRT_Buffer_Type_S2, ElementType::kS2},
    {PJRT_Buffer_Type_S4, ElementType::kS4},
    {PJRT_Buffer_Type_S8, ElementType::kS8},
    {PJRT_Buffer_Type_S16, ElementType::kS16},
    {PJRT_Buffer_Type_S32, ElementType::kS32},
    {PJRT_Buffer_Type_S64, ElementType::kS64},
    {PJRT_Buffer_Type_U2, ElementType::kU2},
    {PJRT_Buffer_Type_U4, ElementType::kU4},
    {PJRT_Buffer_Type_U8, ElementType::kU8},
    {PJRT_Buffer_Type_U16, ElementType::kU16},
    {PJRT_Buffer_Type_U32, ElementType::kU32},
    {PJRT_Buffer_Type_U64, ElementType::kU64},
    {PJRT_Buffer_Type_F16, ElementType::kF16},
    {PJRT_Buffer_Type_BF16, ElementType::kBf16},
    {PJRT_Buffer_Type_F32, ElementType::kF32},
    {PJRT_Buffer_Type_F64, ElementType::kF64},
    {PJRT_Buffer_Type_C64, ElementType::kC64},
    {PJRT_Buffer_Type_C128, ElementType::kC128},
    {PJRT_Buffer_Type_F8E5M2, ElementType::kF8E5M2},
    {PJRT_Buffer_Type_F8E4M3FN, ElementType::kF8E4M3Fn},
    {PJRT_Buffer_Type_F8E4M3, ElementType::kF8E4M3},
    {PJRT_Buffer_Type_F8E3M4, ElementType::kF8E3M4},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, ElementType::kF8E4M3B11Fnuz},
    {PJRT_Buffer_Type_F8E5M2FNUZ, ElementType::kF8E5M2Fnuz},
    {PJRT_Buffer_Type_F8E4M3FNUZ, ElementType::kF8E4M3Fnuz},
    {PJRT_Buffer_Type_F8E8M0FNU, ElementType::kF8E8M0Fnu},
    {PJRT_Buffer_Type_F4E2M1FN, ElementType::kF4E2M1Fn},
    {PJRT_Buffer_Type_TOKEN, ElementType::kToken},
};
// clang-format on
static_assert(std::size(kTypes) == kElementTypes.size() - 2);  // all but opaque and tuple

/// The order of dimensions that strides in bytes mean.
StatusOr<std::vector<int64_t>> order_of(const Shape& shape, const PJRT_Buffer_MemoryLayout_Strides& strides) {
  const auto rank = static_cast<size_t>(shape.rank());
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
  return unimplemented(fmt::format("element type {} of PJRT: hilo has none like it", static_cast<uint32_t>(type)));
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
  bool fits = static_cast<int64_t>(order.size()) == shape.rank();
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
