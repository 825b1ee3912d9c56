// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/move/scatter_places.h -- the positions of a scatter's updates in its arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hilo/backend/cpu/abi/scatter.h"
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

  /// Calls f(call) for all updates in their order, until the work must stop. `call` has its arrays, rows and pieces
  /// set; this function sets its index vectors and positions, at most `most_windows` at once.
  template <typename F>
  void each(const void* indices, ScatterCall call, int64_t most_windows, F f) const {
    const Batch& inner = batch_.back();
    call.components = components_.data();
    call.index_stride = inner.index_stride;
    call.stride = inner.stride;
    const ScatterPlace origin = call.first;
    std::vector<int64_t> position(batch_.size(), 0);
    const int64_t window = std::max<int64_t>(call.run * call.piece_count, 1);
    const int64_t most = std::clamp<int64_t>(kPollInterval / window, 1, most_windows);
    const StopFlag stop;
    do {
      if (stop.raised()) return;
      const Batch at = offsets_of(position);
      call.count = std::min(most, inner.extent - position.back());
      call.indices = static_cast<const std::byte*>(indices) + at.index_stride * index_bytes_;
      call.first = {origin.array + at.stride.array, origin.update + at.stride.update};
      f(call);
      position.back() += call.count;
    } while (advance(position));
  }

 private:
  /// A dimension of the indices, except that of the index vectors; or several that are contiguous in memory.
  struct Batch {
    int64_t extent, index_stride;
    ScatterPlace stride;
  };

  void set_rows(const Shape& array, std::span<const int64_t> window_sizes);
  void add_components(const hlo::ScatterAttributes& attributes, const Shape& array, const Shape& indices,
                      std::span<const int64_t> window_sizes);
  void add_batches(const hlo::ScatterAttributes& attributes, const Shape& array, const Shape& indices,
                   const Shape& updates);
  void add_batch(const Batch& batch);
  void add_pieces(std::span<const int64_t> sizes, std::span<const int64_t> array_strides,
                  std::span<const int64_t> update_strides);
  /// Returns the offsets of the index vector at `position`, and of its window, from the first ones.
  Batch offsets_of(std::span<const int64_t> position) const;
  /// Advances to the next position after the last dimension is done. Returns false after the last one.
  bool advance(std::span<int64_t> position) const;

  static constexpr int64_t kPollInterval = 1 << 22;  // elements of windows between checks of the stop word

  std::vector<Batch> batch_;  // never empty
  std::vector<ScatterComponent> components_;
  std::vector<ScatterPlace> pieces_ = {{0, 0}};
  int64_t run_ = 1, rows_ = 1, row_size_ = 1, index_bytes_ = 1;
  bool any_ = true, slides_ = false;
};

}  // namespace hilo::cpu
