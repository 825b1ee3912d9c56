// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/scatter_places.h -- where the updates of a scatter go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "hilo/hlo/ops/scatter.h"
#include "hilo/types/shape.h"

namespace hilo::cpu {

/// Reads index vectors a block at a time, one component after the other.
class ScatterPlaces {
 public:
  /// Preconditions: shapes that scatter's shape rule admits.
  ScatterPlaces(const hlo::ScatterAttributes& attributes, const Shape& array, const Shape& indices,
                const Shape& updates);

  /// Contiguous elements of a run; 0 if there are no updates.
  int64_t run() const { return run_; }
  /// Elements of a window.
  int64_t window() const { return run_ * static_cast<int64_t>(pieces_.size()); }
  /// Parts of the array that no window crosses, one after the other in memory.
  int64_t rows() const { return rows_; }

  /// Calls f(offset in the array, offset in the updates) for every run in the rows [row_begin, row_end) of windows that
  /// are in bounds, in the order of their indices.
  template <typename F>
  void each(const void* indices, int64_t row_begin, int64_t row_end, F f) const {
    if (run_ == 0) return;
    const int64_t begin = row_begin * row_stride_, update_stride = batch_.back().update_stride;
    const auto size = static_cast<uint64_t>(row_end * row_stride_ - begin);
    const auto is_here = [=](int64_t start) { return static_cast<uint64_t>(start - begin) < size; };
    const Piece *const first = pieces_.data(), *const last = first + pieces_.size();
    int64_t starts[kBlock];
    std::vector<int64_t> position(batch_.size(), 0);
    do {
      const int64_t count = std::min(kBlock, batch_.back().extent - position.back());
      int64_t from = read_starts(indices, position, std::span(starts, static_cast<size_t>(count)));
      for (int64_t t = 0; t < count; ++t, from += update_stride) {
        if (!is_here(starts[t])) continue;
        f(starts[t], from);
        for (const Piece* piece = first + 1; piece < last; ++piece) f(starts[t] + piece->array, from + piece->update);
      }
      position.back() += count;
    } while (advance(position));
  }

 private:
  static constexpr int64_t kBlock = 256;
  /// Of a window that isn't in bounds: so far below zero that no other components lift it there.
  static constexpr int64_t kOutside = std::numeric_limits<int64_t>::min() / 2;

  /// A dimension of the indices, but that of the index vectors; or some that are one in memory.
  struct Batch {
    int64_t extent, index_stride, update_stride, array_stride;
  };
  /// A component of the index vectors.
  struct Component {
    int64_t at, array_stride;  ///< its offset in the vector; of its dimension
    uint64_t last;             ///< start that is in bounds
  };
  /// One stretch of a window that is contiguous in array and update: its offsets from the window's start. The first's are 0.
  struct Piece {
    int64_t array, update;
  };
  using ReadComponent = void (*)(const void* indices, int64_t stride, const Component& component, int64_t at,
                                 std::span<int64_t> starts);

  void set_rows(const Shape& array, std::span<const int64_t> strides, std::span<const int64_t> window_sizes);
  void add_batch(const Batch& batch);
  void add_pieces(std::span<const int64_t> sizes, std::span<const int64_t> array_strides,
                  std::span<const int64_t> update_strides);
  /// The windows' starts from `position` on. The offset of their first update.
  int64_t read_starts(const void* indices, std::span<const int64_t> position, std::span<int64_t> starts) const;
  /// To the next position after the last dimension came forward. False after the last one.
  bool advance(std::span<int64_t> position) const;
  template <typename Index>
  static void read_component(const void* indices, int64_t stride, const Component& component, int64_t at,
                             std::span<int64_t> starts);

  std::vector<Batch> batch_;  // never empty
  std::vector<Component> components_;
  std::vector<Piece> pieces_ = {{0, 0}};
  ReadComponent read_component_ = nullptr;
  int64_t run_ = 1, rows_ = 1, row_stride_ = 1;
};

}  // namespace hilo::cpu
