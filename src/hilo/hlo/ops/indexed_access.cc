// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/indexed_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

Status check_array_dims(const IndexedAccess& access, const IndexedAccessNames& names, const Shape& array) {
  HILO_RETURN_IF_ERROR(
      check_unique_dimensions(names.removed_dims, access.removed_dims, array));  // gather_c6 c8, scatter_c9 c11
  HILO_RETURN_IF_ERROR(check_sorted(names.removed_dims, access.removed_dims));   // gather_c7, scatter_c10
  HILO_RETURN_IF_ERROR(
      check_unique_dimensions(names.array_batching, access.array_batching, array));  // gather_c6 c11, scatter_c9 c13
  HILO_RETURN_IF_ERROR(check_sorted(names.array_batching, access.array_batching));   // gather_c10, scatter_c12
  HILO_RETURN_IF_ERROR(
      check_disjoint(names.removed_dims, access.removed_dims, names.array_batching, access.array_batching));
  HILO_RETURN_IF_ERROR(
      check_unique_dimensions(names.index_map, access.index_map, array));  // gather_c18 c19, scatter_c20 c21
  HILO_RETURN_IF_ERROR(check_disjoint(names.index_map, access.index_map, names.array_batching, access.array_batching));
  // gather_c1, scatter_c2
  const size_t sum = access.window_dims.size() + access.removed_dims.size() + access.array_batching.size();
  if (sum != static_cast<size_t>(array.rank())) {
    return invalid_argument(fmt::format("{}, {} and {} have {} dimensions together; wanted {}, the rank of {}",
                                        names.window_dims, names.removed_dims, names.array_batching, sum, array.rank(),
                                        array.to_string()));
  }
  return ok_status();
}

Status check_index_vectors(const IndexedAccess& access, const IndexedAccessNames& names, const Shape& indices) {
  if (!is_integer(indices.element_type())) {
    return invalid_argument(fmt::format("indices are {}; wanted an integer element type", indices.to_string()));
  }
  // gather_c2, scatter_c22
  if (access.index_vector_dim < 0 || access.index_vector_dim > indices.rank()) {
    return invalid_argument(fmt::format("index_vector_dim: got {}, wanted 0 to {}, the rank of the indices {}",
                                        access.index_vector_dim, indices.rank(), indices.to_string()));
  }
  // gather_c3, scatter_c19
  const int64_t components = access.index_vector_dim < indices.rank() ? indices.dimension(access.index_vector_dim) : 1;
  if (std::ssize(access.index_map) != components) {
    return invalid_argument(fmt::format("{}: got {}, {} dimensions; an index vector of {} along dimension {} has {}",
                                        names.index_map, list_to_string(access.index_map), access.index_map.size(),
                                        indices.to_string(), access.index_vector_dim, components));
  }
  return ok_status();
}

Status check_batching(const IndexedAccess& access, const IndexedAccessNames& names, const Shape& array,
                      const Shape& indices) {
  HILO_RETURN_IF_ERROR(check_unique_dimensions(names.indices_batching, access.indices_batching,
                                               indices));            // gather_c13 c14, scatter_c14 c15
  if (contains(access.indices_batching, access.index_vector_dim)) {  // gather_c15, scatter_c16
    return invalid_argument(fmt::format("{}: got {}, which has index_vector_dim {}", names.indices_batching,
                                        list_to_string(access.indices_batching), access.index_vector_dim));
  }
  // gather_c16, scatter_c17
  HILO_RETURN_IF_ERROR(
      check_same_size(names.array_batching, access.array_batching, names.indices_batching, access.indices_batching));
  for (size_t i = 0; i < access.array_batching.size(); ++i) {  // gather_c17, scatter_c18
    const int64_t a = array.dimension(access.array_batching[i]), b = indices.dimension(access.indices_batching[i]);
    if (a == b) continue;
    return invalid_argument(fmt::format("batching dimensions differ; array {} dim {} = {}, indices {} dim {} = {}",
                                        array.to_string(), access.array_batching[i], a, indices.to_string(),
                                        access.indices_batching[i], b));
  }
  return ok_status();
}

}  // namespace

Status check_indexed_access(const IndexedAccess& access, const IndexedAccessNames& names, const Shape& array,
                            const Shape& indices) {
  HILO_RETURN_IF_ERROR(check_array_dims(access, names, array));
  HILO_RETURN_IF_ERROR(check_index_vectors(access, names, indices));
  return check_batching(access, names, array, indices);
}

std::vector<int64_t> batch_sizes_of(const IndexedAccess& access, const Shape& indices) {
  std::vector<int64_t> sizes(indices.dimensions().begin(), indices.dimensions().end());
  if (access.index_vector_dim < indices.rank()) sizes.erase(sizes.begin() + access.index_vector_dim);
  return sizes;
}

std::vector<int64_t> other_dimensions(int64_t rank, std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d) {
    if (!contains(a, d) && !contains(b, d)) others.push_back(d);
  }
  return others;
}

StartReader::StartReader(const IndexedAccess& access, const Literal& indices, int64_t array_rank)
    : access_(access),
      indices_(indices),
      array_rank_(array_rank),
      strides_(row_major_strides(indices.shape().dimensions())) {
  if (access.index_vector_dim == indices.shape().rank()) return;
  vector_stride_ = strides_[access.index_vector_dim];
  strides_.erase(strides_.begin() + access.index_vector_dim);
}

std::vector<int64_t> StartReader::start(std::span<const int64_t> batch) const {
  std::vector<int64_t> start(array_rank_, 0);
  const int64_t offset = offset_of(batch, strides_);
  for (size_t k = 0; k < access_.index_map.size(); ++k) {
    start[access_.index_map[k]] = value_at(offset + static_cast<int64_t>(k) * vector_stride_);
  }
  for (size_t i = 0; i < access_.array_batching.size(); ++i) {
    const int64_t dimension = access_.indices_batching[i];
    const int64_t position = dimension - (dimension > access_.index_vector_dim ? 1 : 0);
    start[access_.array_batching[i]] = batch[position];
  }
  return start;
}

int64_t StartReader::value_at(int64_t offset) const {
  return visit_array_type(
      indices_.shape().element_type(),
      [&]<typename T>() -> int64_t {
        if constexpr (!is_integral_element<T>) return 0;  // the shape rule accepts integers only
        else if constexpr (std::is_same_v<T, uint64_t>) {
          constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
          return static_cast<int64_t>(std::min(indices_.data<T>()[offset], kMax));
        } else return static_cast<int64_t>(indices_.data<T>()[offset]);
      },
      []() -> int64_t { return 0; });
}

WindowElements::WindowElements(const IndexedAccess& access, const Shape& array, const Literal& indices,
                               const Shape& windows)
    : access_(access),
      reader_(access, indices, array.rank()),
      window_(other_dimensions(array.rank(), access.removed_dims, access.array_batching)),
      batch_(other_dimensions(windows.rank(), access.window_dims)),
      last_(array.dimensions().begin(), array.dimensions().end()),
      strides_(row_major_strides(array.dimensions())) {
  std::vector<int64_t> sizes(array.rank(), 1);
  for (size_t i = 0; i < window_.size(); ++i) sizes[window_[i]] = windows.dimension(access.window_dims[i]);
  for (size_t d = 0; d < sizes.size(); ++d) last_[d] -= sizes[d];
}

std::vector<int64_t> WindowElements::start(std::span<const int64_t> index) const {
  return reader_.start(select_values(index, batch_));
}

int64_t WindowElements::element(std::vector<int64_t> start, std::span<const int64_t> index) const {
  for (size_t i = 0; i < window_.size(); ++i) start[window_[i]] += index[access_.window_dims[i]];
  return offset_of(start, strides_);
}

int64_t WindowElements::clamped(std::span<const int64_t> index) const {
  std::vector<int64_t> place = start(index);
  for (size_t d = 0; d < place.size(); ++d) place[d] = std::clamp<int64_t>(place[d], 0, last_[d]);
  return element(std::move(place), index);
}

/// XLA's rule: an update is dropped unless its whole window is in bounds.
std::optional<int64_t> WindowElements::in_bounds(std::span<const int64_t> index) const {
  std::vector<int64_t> place = start(index);
  for (size_t d = 0; d < place.size(); ++d) {
    if (place[d] < 0 || place[d] > last_[d]) return std::nullopt;
  }
  return element(std::move(place), index);
}

Int64List others(int64_t rank, const Int64List& some, const Int64List& more) {
  Int64List result;
  for (int64_t d = 0; d < rank; ++d) {
    if (!contains(some, d) && !contains(more, d)) result.push_back(d);
  }
  return result;
}

std::optional<size_t> place_in(const Int64List& list, int64_t value) {
  const auto found = std::ranges::find(list, value);
  if (found == list.end()) return std::nullopt;
  return static_cast<size_t>(found - list.begin());
}

}  // namespace hilo::hlo
