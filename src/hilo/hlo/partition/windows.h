// SPDX-License-Identifier: Apache-2.0
// hlo/partition/windows.h -- stretches of a dimension that reach over the borders of its parts.
#pragma once

#include <span>

#include "hilo/hlo/partition/device_program.h"

namespace hilo::hlo {

/// An array of which each device has a part along the dimension in question.
struct CutArray {
  Expr part;
  int64_t size = 0;  ///< of the whole dimension
};

/// What each device wants: elements [begins[k], begins[k] + size) for the device of part k, as far as they lie in [low, high)
/// of the array. What stands in the others' places nobody knows.
struct WantedWindow {
  size_t array = 0;
  std::vector<int64_t> begins;
  int64_t size = 0, low = 0, high = 0;
};

/// Devices send each other what they miss, each time to one and from one; what two windows want of one device goes once. Where
/// more would go than a gathering sends, the arrays are gathered. Arrays are alike but in `dimension`, which `by` cuts.
/// Example    f32[1024] in 4 parts, windows of 258 from -1, 255, 511, 767 on: two collective-permutes of 1 element
Exprs fetch_windows(DeviceProgram& program, std::span<const CutArray> arrays, int64_t dimension, const Atoms& by,
                    std::span<const WantedWindow> windows);

/// A stretch of an array that every device has whole; `wanted.array` isn't looked at.
Expr window_of_whole(DeviceProgram& program, Expr whole, int64_t dimension, const Atoms& by,
                     const WantedWindow& wanted);

/// The window with `fill`, a scalar, where its elements don't lie in [low, high).
Expr fill_outside(DeviceProgram& program, Expr window, int64_t dimension, const Atoms& by, const WantedWindow& wanted,
                  Expr fill);

/// Whether element i along the dimension of `shape`, counted from the number of this device's part in `begins` on, lies in
/// [low, high): predicates of the shape.
Expr lies_in(DeviceProgram& program, const Shape& shape, int64_t dimension, Expr begin, int64_t low, int64_t high);

/// `size` elements from a place on, which is known when the program runs; the place is clamped.
Expr slice_at(Expr array, int64_t dimension, Expr start, int64_t size);
/// The array with other elements from a place on.
Expr put_at(Expr array, Expr update, int64_t dimension, Expr start);
/// More elements before and behind.
Expr pad_ends(Expr array, int64_t dimension, int64_t low, int64_t high, Expr fill);

}  // namespace hilo::hlo
