// SPDX-License-Identifier: Apache-2.0
// hlo/partition/windows.h -- ranges of a dimension that cross the borders of shards.
#pragma once

#include <span>

#include "hilo/hlo/partition/device_program.h"

namespace hilo::hlo {

/// An array that is sharded along the dimension in question.
struct CutArray {
  Expr part;
  int64_t size = 0;  ///< of the whole dimension
};

/// The range that each device needs: elements [begins[k], begins[k] + size) for the device of shard k, limited to [low,
/// high) of the array. Elements outside of the limits are unspecified.
struct WindowRequest {
  size_t array = 0;
  std::vector<int64_t> begins;
  int64_t size = 0, low = 0, high = 0;
};

/// Returns the windows. Devices send missing elements to each other by collective-permutes; elements that several
/// windows need are sent once. If this sends more than an all-gather, the arrays are gathered. All arrays have equal
/// shapes except in `dimension`, which `by` shards.
/// Example   f32[1024] in 4 shards, windows of 258 from -1, 255, 511, 767 on: two collective-permutes of 1 element
Exprs fetch_windows(DeviceProgram& program, std::span<const CutArray> arrays, int64_t dimension, const Atoms& by,
                    std::span<const WindowRequest> windows);

/// Returns a window of an array that is whole on every device; `request.array` is ignored.
Expr window_of_whole(DeviceProgram& program, Expr whole, int64_t dimension, const Atoms& by,
                     const WindowRequest& request);

/// Returns the window with `fill`, a scalar, in elements outside of [low, high).
Expr fill_outside(DeviceProgram& program, Expr window, int64_t dimension, const Atoms& by, const WindowRequest& request,
                  Expr fill);

/// Returns predicates of `shape`: whether begin + i is in [low, high) for element i along the dimension.
Expr is_in_range(DeviceProgram& program, const Shape& shape, int64_t dimension, Expr begin, int64_t low, int64_t high);

/// Returns `size` elements from a run-time index on; the index is clamped.
Expr slice_at(Expr array, int64_t dimension, Expr start, int64_t size);
/// Returns the array with `update` written at an index.
Expr put_at(Expr array, Expr update, int64_t dimension, Expr start);
/// Pads a dimension at both ends.
Expr pad_ends(Expr array, int64_t dimension, int64_t low, int64_t high, Expr fill);

}  // namespace hilo::hlo
