// SPDX-License-Identifier: Apache-2.0
// numpy/rows.h -- for (Array row : x): iterates over the slices of an array along its first axis.
#pragma once

#include <cstddef>
#include <iterator>

#include "hilo/array/array.h"

namespace hilo {

/// An iterator over the slices of an array along its first axis.
class RowIterator {
 public:
  using value_type = Array;
  using difference_type = std::ptrdiff_t;

  RowIterator() = default;
  RowIterator(const Array& x, int64_t row) : x_(x), row_(row) {}
  Array operator*() const { return x_[row_]; }
  RowIterator& operator++() {
    ++row_;
    return *this;
  }
  RowIterator operator++(int) { return {x_, row_++}; }
  bool operator==(const RowIterator& other) const { return row_ == other.row_; }

 private:
  Array x_;
  int64_t row_ = 0;
};

/// Iterates over the slices of `x` along its first axis. Under jit, each slice is an operation of the program.
/// Errors    INVALID_ARGUMENT for a scalar, which has no axis
/// Example   for (Array row : x) total += row;
inline RowIterator begin(const Array& x) { return {x, 0}; }
inline RowIterator end(const Array& x) { return {x, x.shape(0)}; }

}  // namespace hilo
