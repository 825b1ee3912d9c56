// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/scatter_places.h"

#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/indexed_access.h"
#include "hilo/types/twins.h"

namespace hilo::cpu {

ScatterPlaces::ScatterPlaces(const hlo::ScatterAttributes& a, const Shape& array, const Shape& indices,
                             const Shape& updates) {
  const std::vector<int64_t> array_strides = strides_of(array), update_strides = strides_of(updates),
                             index_strides = strides_of(indices);
  const std::vector<int64_t> window =
      hlo::other_dimensions(array.rank(), a.inserted_window_dims, a.input_batching_dims);
  std::vector<int64_t> window_sizes(static_cast<size_t>(array.rank()), 1);
  for (size_t k = 0; k < window.size(); ++k)
    window_sizes[static_cast<size_t>(window[k])] = updates.dimension(a.update_window_dims[k]);
  bool fits = updates.element_count() != 0;
  for (size_t d = 0; d < window_sizes.size(); ++d)
    fits = fits && window_sizes[d] <= array.dimension(static_cast<int64_t>(d));
  set_rows(array, array_strides, window_sizes);
  const int64_t component_stride =
      a.index_vector_dim < indices.rank() ? index_strides[static_cast<size_t>(a.index_vector_dim)] : 0;
  for (size_t k = 0; fits && k < a.scatter_dims_to_operand_dims.size(); ++k) {
    const auto d = static_cast<size_t>(a.scatter_dims_to_operand_dims[k]);
    components_.push_back({static_cast<int64_t>(k) * component_stride, array_strides[d],
                           static_cast<uint64_t>(array.dimension(static_cast<int64_t>(d)) - window_sizes[d])});
  }
  // The update's scatter dimensions go along with those of the indices.
  const std::vector<int64_t> scatter_dims = hlo::other_dimensions(updates.rank(), a.update_window_dims);
  size_t next = 0;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d == a.index_vector_dim) continue;
    const auto batching = std::ranges::find(a.scatter_indices_batching_dims, d);
    const bool is_batching = batching != a.scatter_indices_batching_dims.end();
    const auto number = static_cast<size_t>(batching - a.scatter_indices_batching_dims.begin());
    add_batch({indices.dimension(d), index_strides[static_cast<size_t>(d)],
               update_strides[static_cast<size_t>(scatter_dims[next++])],
               is_batching ? array_strides[static_cast<size_t>(a.input_batching_dims[number])] : 0});
  }
  if (batch_.empty()) batch_.push_back({1, 0, 0, 0});
  add_pieces(hlo::select_values(window_sizes, window), hlo::select_values(array_strides, window),
             hlo::select_values(update_strides, a.update_window_dims));
  if (!fits) run_ = 0;
  visit_array_type(
      indices.element_type(),
      [&]<typename T>() {
        if constexpr (is_integral_element<T>) read_component_ = read_component<T>;
      },
      [] {});
}

void ScatterPlaces::set_rows(const Shape& array, std::span<const int64_t> strides,
                             std::span<const int64_t> window_sizes) {
  const std::span<const int64_t> sizes = array.dimensions();
  size_t slowest = 0;
  for (size_t d = 1; d < sizes.size(); ++d) {
    if (sizes[d] > 1 && (sizes[slowest] == 1 || strides[d] > strides[slowest])) slowest = d;
  }
  row_stride_ = array.element_count();
  if (sizes.empty() || window_sizes[slowest] != 1 || sizes[slowest] < 2) return;
  rows_ = sizes[slowest];
  row_stride_ = strides[slowest];
}

void ScatterPlaces::add_batch(const Batch& batch) {
  if (!batch_.empty()) {
    Batch& outer = batch_.back();
    const auto goes_on = [&](int64_t Batch::* stride) { return outer.*stride == batch.extent * batch.*stride; };
    if (goes_on(&Batch::index_stride) && goes_on(&Batch::update_stride) && goes_on(&Batch::array_stride)) {
      outer = {outer.extent * batch.extent, batch.index_stride, batch.update_stride, batch.array_stride};
      return;
    }
  }
  batch_.push_back(batch);
}

/// Trailing dimensions that are contiguous on both sides become one run.
void ScatterPlaces::add_pieces(std::span<const int64_t> sizes, std::span<const int64_t> array_strides,
                               std::span<const int64_t> update_strides) {
  size_t k = sizes.size();
  while (k > 0 && (sizes[k - 1] == 1 || (array_strides[k - 1] == run_ && update_strides[k - 1] == run_)))
    run_ *= sizes[--k];
  for (; k > 0; --k) {
    std::vector<Piece> grown;
    for (int64_t i = 0; i < sizes[k - 1]; ++i) {
      for (const Piece& piece : pieces_)
        grown.push_back({piece.array + i * array_strides[k - 1], piece.update + i * update_strides[k - 1]});
    }
    pieces_ = std::move(grown);
  }
}

int64_t ScatterPlaces::read_starts(const void* indices, std::span<const int64_t> position,
                                   std::span<int64_t> starts) const {
  int64_t index = 0, update = 0, array = 0;
  for (size_t d = 0; d < batch_.size(); ++d) {
    index += position[d] * batch_[d].index_stride;
    update += position[d] * batch_[d].update_stride;
    array += position[d] * batch_[d].array_stride;
  }
  const Batch& inner = batch_.back();
  for (int64_t& start : starts) {
    start = array;
    array += inner.array_stride;
  }
  for (const Component& component : components_)
    read_component_(indices, inner.index_stride, component, index + component.at, starts);
  return update;
}

template <typename Index>
void ScatterPlaces::read_component(const void* indices, int64_t stride, const Component& component, int64_t at,
                                   std::span<int64_t> starts) {
  const Index* index = static_cast<const Index*>(indices) + at;
  for (size_t t = 0; t < starts.size(); ++t) {
    const auto value = static_cast<int64_t>(index[static_cast<int64_t>(t) * stride]);
    // Negative ones, and those past int64, are beyond the last as unsigned numbers.
    const bool fits = static_cast<uint64_t>(value) <= component.last;
    starts[t] = fits ? starts[t] + value * component.array_stride : kOutside;
  }
}

bool ScatterPlaces::advance(std::span<int64_t> position) const {
  for (size_t d = position.size(); d-- > 0;) {
    if (position[d] < batch_[d].extent) return true;
    position[d] = 0;
    if (d > 0) ++position[d - 1];
  }
  return false;
}

}  // namespace hilo::cpu
