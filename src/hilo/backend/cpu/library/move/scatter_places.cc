// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/move/scatter_places.h"

#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/indexed_access.h"

namespace hilo::cpu {

ScatterPlaces::ScatterPlaces(const hlo::ScatterAttributes& a, const Shape& array, const Shape& indices,
                             const Shape& updates)
    : index_bytes_(element_size_bytes(indices.element_type())) {
  const std::vector<int64_t> window =
      hlo::other_dimensions(array.rank(), a.inserted_window_dims, a.input_batching_dims);
  std::vector<int64_t> window_sizes(array.rank(), 1);
  for (size_t k = 0; k < window.size(); ++k) window_sizes[window[k]] = updates.dimension(a.update_window_dims[k]);
  any_ = updates.element_count() != 0 && std::ranges::equal(window_sizes, array.dimensions(), std::less_equal());
  if (!any_) return;
  set_rows(array, window_sizes);
  add_components(a, array, indices, window_sizes);
  add_batches(a, array, indices, updates);
  add_pieces(hlo::select_values(window_sizes, window), hlo::select_values(strides_of(array), window),
             hlo::select_values(strides_of(updates), a.update_window_dims));
}

void ScatterPlaces::set_rows(const Shape& array, std::span<const int64_t> window_sizes) {
  for (size_t d = 0; d < window_sizes.size() && window_sizes[d] == 1; ++d) rows_ *= array.dimension(d);
  row_size_ = array.element_count() / rows_;
}

void ScatterPlaces::add_components(const hlo::ScatterAttributes& a, const Shape& array, const Shape& indices,
                                   std::span<const int64_t> window_sizes) {
  const std::vector<int64_t> array_strides = strides_of(array), index_strides = strides_of(indices);
  const int64_t component_stride = a.index_vector_dim < indices.rank() ? index_strides[a.index_vector_dim] : 0;
  for (size_t k = 0; k < a.scatter_dims_to_operand_dims.size(); ++k) {
    const size_t d = a.scatter_dims_to_operand_dims[k];
    slides_ |= window_sizes[d] > 1 && window_sizes[d] < array.dimension(d);
    components_.push_back({static_cast<int64_t>(k) * component_stride, array_strides[d],
                           static_cast<uint64_t>(array.dimension(d) - window_sizes[d])});
  }
}

/// The updates' scatter dimensions correspond to those of the indices.
void ScatterPlaces::add_batches(const hlo::ScatterAttributes& a, const Shape& array, const Shape& indices,
                                const Shape& updates) {
  const std::vector<int64_t> array_strides = strides_of(array), update_strides = strides_of(updates),
                             index_strides = strides_of(indices);
  const std::vector<int64_t> scatter_dims = hlo::other_dimensions(updates.rank(), a.update_window_dims);
  size_t next = 0;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d == a.index_vector_dim) continue;
    const auto batching = std::ranges::find(a.scatter_indices_batching_dims, d);
    const bool is_batching = batching != a.scatter_indices_batching_dims.end();
    const size_t number = batching - a.scatter_indices_batching_dims.begin();
    const int64_t array_stride = is_batching ? array_strides[a.input_batching_dims[number]] : 0;
    add_batch({indices.dimension(d), index_strides[d], {array_stride, update_strides[scatter_dims[next++]]}});
  }
  if (batch_.empty()) batch_.push_back({1, 0, {0, 0}});
}

void ScatterPlaces::add_batch(const Batch& batch) {
  if (!batch_.empty()) {
    Batch& outer = batch_.back();
    if (outer.index_stride == batch.extent * batch.index_stride &&
        outer.stride.array == batch.extent * batch.stride.array &&
        outer.stride.update == batch.extent * batch.stride.update) {
      outer = {outer.extent * batch.extent, batch.index_stride, batch.stride};
      return;
    }
  }
  batch_.push_back(batch);
}

/// Trailing dimensions that are contiguous on both sides are merged into one run.
void ScatterPlaces::add_pieces(std::span<const int64_t> sizes, std::span<const int64_t> array_strides,
                               std::span<const int64_t> update_strides) {
  size_t k = sizes.size();
  while (k > 0 && (sizes[k - 1] == 1 || (array_strides[k - 1] == run_ && update_strides[k - 1] == run_)))
    run_ *= sizes[--k];
  for (; k > 0; --k) {
    std::vector<ScatterPlace> grown;
    for (int64_t i = 0; i < sizes[k - 1]; ++i) {
      for (const ScatterPlace& piece : pieces_)
        grown.push_back({piece.array + i * array_strides[k - 1], piece.update + i * update_strides[k - 1]});
    }
    pieces_ = std::move(grown);
  }
}

}  // namespace hilo::cpu
