// SPDX-License-Identifier: Apache-2.0
// lax/sorting.h -- sort, of several arrays by several keys, and the greatest and least elements.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "hilo/array/array.h"

namespace hilo::lax {

// Ascending along an axis: -0 equals 0, NaN comes last, complex numbers go by their real parts, then their imaginary ones.
//   Errors    INVALID_ARGUMENT for an axis out of range, shapes that differ, or more keys than arrays
struct SortOptions {
  int64_t dimension = -1;
  bool is_stable = true;  ///< what is equal keeps its order
  int64_t num_keys = 1;   ///< so many of the arrays decide, the first one first; the others are reordered with them
};
Array sort(const Operand& operand, const SortOptions& options = {});
std::vector<Array> sort(const std::vector<Array>& operand, const SortOptions& options = {},
                        std::source_location line = std::source_location::current());
template <int = 0>
Array sort(const Operand& operand, int64_t dimension, bool is_stable = true, int64_t num_keys = 1) {
  return sort(operand, SortOptions{.dimension = dimension, .is_stable = is_stable, .num_keys = num_keys});
}
template <int = 0>
std::vector<Array> sort(const std::vector<Array>& operand, int64_t dimension, bool is_stable = true,
                        int64_t num_keys = 1) {
  return sort(operand, SortOptions{.dimension = dimension, .is_stable = is_stable, .num_keys = num_keys});
}
/// The same of as many arrays as the compiler knows: auto [x, y] = sort<2>({x, y}, {.num_keys = 2}).
template <size_t N>
std::array<Array, N> sort(const std::array<Array, N>& operand, const SortOptions& options = {},
                          std::source_location line = std::source_location::current()) {
  const std::vector<Array> sorted = sort(std::vector<Array>(operand.begin(), operand.end()), options, line);
  std::array<Array, N> out;
  std::copy(sorted.begin(), sorted.end(), out.begin());
  return out;
}
struct SortKeyValOptions {
  int64_t dimension = -1;
  bool is_stable = true;
};
/// The keys sorted, and the values reordered as they.
std::pair<Array, Array> sort_key_val(const Operand& keys, const Operand& values, const SortKeyValOptions& options = {});
template <int = 0>
std::pair<Array, Array> sort_key_val(const Operand& keys, const Operand& values, int64_t dimension,
                                     bool is_stable = true) {
  return sort_key_val(keys, values, SortKeyValOptions{.dimension = dimension, .is_stable = is_stable});
}

/// The k greatest elements of each row along `axis`, in falling order, and where they stand.
///   Types      integers and floats -> the same, s32. NaN counts as greater than all numbers, -0 as less than 0; of equal
///              elements the first comes first
///   Errors     INVALID_ARGUMENT for k out of 0..extent
///   Example    top_k(numpy::array({1.0, 4.0, 2.0}), 2) gives {[4, 2], [1, 2]}
struct TopK {
  Array values, indices;
};
struct TopKOptions {
  int64_t axis = -1;
};
TopK top_k(const Operand& x, int64_t k, const TopKOptions& options = {});
template <int = 0>
TopK top_k(const Operand& x, int64_t k, int64_t axis) {
  return top_k(x, k, TopKOptions{.axis = axis});
}

struct ApproxTopKOptions {
  int64_t reduction_dimension = -1;
  double recall_target = 0.95;  ///< hilo finds them all
  int64_t reduction_input_size_override = -1;
  bool aggregate_to_topk = true;
};
/// The k greatest (least) elements along an axis, in order, and where they stand. XLA may miss some; hilo doesn't.
///   Types      floats
///   Errors     INVALID_ARGUMENT for k out of 1..extent; UNIMPLEMENTED without aggregate_to_topk
TopK approx_max_k(const Operand& operand, int64_t k, const ApproxTopKOptions& options = {});
TopK approx_min_k(const Operand& operand, int64_t k, const ApproxTopKOptions& options = {});

}  // namespace hilo::lax
