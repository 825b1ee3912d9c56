// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/sort.h -- the sort op. Radix sort or merges of order-preserving keys if the comparator compares
// elements, one operand after the other or one function of all; otherwise a merge sort that calls the compiled
// comparator. A sort that isn't stable leaves equal elements in the same order as XLA.
#pragma once

#include <span>

#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/backend/cpu/runtime/sort_key.h"

namespace hilo::cpu::runtime {

/// Lines along the sorted dimension.
struct SortLines {
  int64_t length = 1, stride = 1, outer = 1, inner = 1;
  int64_t count() const { return outer * inner; }
  int64_t begin(int64_t line) const { return (line / inner) * length * stride + line % inner; }
};

/// Units: lines. Scratch: scratch_bytes().
struct SortProblem {
  SortKey key;
  SortLines lines;
  List<int64_t> widths;       ///< bytes of the elements of the operands
  bool has_function = false;  ///< whether Call::code has a function of elements that computes the keys
  bool is_stable = false;
  List<SortKey> more = {};  ///< of a stable sort: keys that decide between elements whose previous keys are equal

  /// Whether elements with equal keys have equal bits.
  bool is_alone() const {
    return !has_function && more.size == 0 && widths.size == 1 &&
           (!is_floating(key.type) || (!key.equal_zeros && !key.equal_nans));
  }
  /// `others`: the keys of `more`.
  size_t scratch_bytes(std::span<const SortKey> others = {}) const;
};

/// With a comparator, Call::code[0]. Units: lines. Scratch: scratch_bytes().
struct SortComparedProblem {
  SortLines lines;
  List<int64_t> widths;
  bool is_stable = false;

  size_t scratch_bytes() const {
    return 2 * Scratch::bytes_for<int64_t>(static_cast<size_t>(lines.length)) +
           Scratch::bytes_for<void*>(2 * widths.size);
  }
};

}  // namespace hilo::cpu::runtime
