// SPDX-License-Identifier: Apache-2.0
// hlo/ops/element_access.h -- index iteration and access to single elements, for reference kernels.
#pragma once

#include <cstring>

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

/// Advances `index` in the space `sizes`, row-major. After the last index, sets it to 0 and returns false.
inline bool next_index(std::span<const int64_t> sizes, std::span<int64_t> index) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}

/// Returns the number of indices in a space that is part of a valid array, so that the product fits.
inline int64_t count_of(std::span<const int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

/// Returns the offset of an index in elements.
inline int64_t offset_of(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
  return offset;
}

/// Returns values[p] for every p in `positions`.
inline std::vector<int64_t> select_values(std::span<const int64_t> values, std::span<const int64_t> positions) {
  std::vector<int64_t> selected;
  for (int64_t p : positions) selected.push_back(values[p]);
  return selected;
}

/// Returns the offsets of all indices over `dimensions` of a row-major `shape`, row-major in the order of `dimensions`.
inline std::vector<int64_t> offsets_over(const Shape& shape, std::span<const int64_t> dimensions) {
  const std::vector<int64_t> sizes = select_values(shape.dimensions(), dimensions);
  const std::vector<int64_t> strides = select_values(row_major_strides(shape.dimensions()), dimensions);
  std::vector<int64_t> offsets, index(sizes.size(), 0);
  if (count_of(sizes) == 0) return offsets;
  do offsets.push_back(offset_of(index, strides));
  while (next_index(sizes, index));
  return offsets;
}

/// Returns element `offset` of an array as a scalar literal of shape `scalar`.
inline Literal load_element(const Literal& array, int64_t offset, const Shape& scalar) {
  const size_t bytes = element_size_bytes(scalar.element_type());
  return Literal::from_bytes(scalar, array.bytes().subspan(static_cast<size_t>(offset) * bytes, bytes));
}

/// Copies a scalar literal to element `offset` of an array's bytes.
inline void store_element(std::span<std::byte> array, int64_t offset, const Literal& scalar) {
  const std::span<const std::byte> bytes = scalar.bytes();
  std::memcpy(array.data() + static_cast<size_t>(offset) * bytes.size(), bytes.data(), bytes.size());
}

/// Splits the result of a called computation with `count` results: the array itself, or the tuple's elements.
inline std::vector<Literal> split_results(Literal result, size_t count) {
  if (!result.is_tuple()) return {std::move(result)};
  std::vector<Literal> elements = std::move(result).release_elements();
  elements.resize(count);
  return elements;
}

/// Returns the only array, or the tuple of all.
inline Literal join_results(std::vector<Literal> results) {
  return results.size() == 1 ? std::move(results[0]) : Literal::tuple(std::move(results));
}

/// Returns `shape` with the row-major layout of literals.
inline Shape literal_shape(const Shape& shape) { return Shape::array(shape.element_type(), shape.dimensions()); }

}  // namespace hilo::hlo
