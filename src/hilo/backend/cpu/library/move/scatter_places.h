// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/move/scatter_places.h -- the positions of a scatter's updates in its arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hilo/backend/cpu/abi/scatter.h"
#include "hilo/backend/cpu/runtime/scatter.h"
#include "hilo/base/stop.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/types/shape.h"

namespace hilo::cpu {

/// The windows of the updates as runs, and their index vectors in the form of a ScatterFunction.
class ScatterPlaces {
 public:
  /// Preconditions: shapes that scatter's shape rule accepts, in row-major order.
  ScatterPlaces(const hlo::ScatterAttributes& attributes, const Shape& array, const Shape& indices,
                const Shape& updates);

  /// Returns false if there is nothing to do: no updates, or windows larger than the array.
  bool any() const { return any_; }
  /// Returns the number of contiguous elements of a window's pieces.
  int64_t run() const { return run_; }
  /// Returns the pieces of a window. The first one's offsets are 0.
  std::span<const ScatterPlace> pieces() const { return pieces_; }
  /// Returns the number of parts of the array that no window crosses, in memory order, and the elements of each.
  int64_t rows() const { return rows_; }
  int64_t row_size() const { return row_size_; }
  const std::vector<ScatterComponent>& components() const { return components_; }
  /// Whether windows may overlap partially: along a dimension, they start anywhere and are longer than one element. The
  /// same piece of two windows may then be at different positions.
  bool slides() const { return slides_; }
  /// Return the distance between consecutive index vectors of a call, and between their windows.
  int64_t index_stride() const { return batch_.back().index_stride; }
  ScatterPlace stride() const { return batch_.back().stride; }

  /// Returns the dimensions of the indices; never empty.
  std::span<const runtime::ScatterBatch> batch() const { return batch_; }
  int64_t index_bytes() const { return index_bytes_; }

  /// Calls f(call) for all updates in their order, until the work must stop. As runtime::each_window.
  template <typename F>
  void each(const void* indices, ScatterCall call, int64_t most_windows, F f) const {
    call.components = components_.data();
    std::vector<int64_t> position(batch_.size());
    runtime::each_window(batch_, position, index_bytes_, indices, call, most_windows, StopFlag(), f);
  }

 private:
  using Batch = runtime::ScatterBatch;

  void set_rows(const Shape& array, std::span<const int64_t> window_sizes);
  void add_components(const hlo::ScatterAttributes& attributes, const Shape& array, const Shape& indices,
                      std::span<const int64_t> window_sizes);
  void add_batches(const hlo::ScatterAttributes& attributes, const Shape& array, const Shape& indices,
                   const Shape& updates);
  void add_batch(const Batch& batch);
  void add_pieces(std::span<const int64_t> sizes, std::span<const int64_t> array_strides,
                  std::span<const int64_t> update_strides);

  std::vector<Batch> batch_;  // never empty
  std::vector<ScatterComponent> components_;
  std::vector<ScatterPlace> pieces_ = {{0, 0}};
  int64_t run_ = 1, rows_ = 1, row_size_ = 1, index_bytes_ = 1;
  bool any_ = true, slides_ = false;
};

}  // namespace hilo::cpu
