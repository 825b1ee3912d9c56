// SPDX-License-Identifier: Apache-2.0
// lax/sorting.h -- sort, of several arrays by several keys, and the largest and smallest elements.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "hilo/array/array.h"

namespace hilo::lax {

// Options of sort.
struct SortOptions {
  int64_t dimension = -1;
  bool is_stable = true;  ///< equal elements keep their order
  int64_t num_keys = 1;   ///< number of leading arrays that are keys; the others are reordered with them
};
/// Sorts in ascending order along an axis: jax.lax.sort. -0 equals 0, NaN comes last, complex numbers are ordered by
/// real part, then by imaginary part.
/// Errors     INVALID_ARGUMENT for an axis out of range, different shapes, or more keys than arrays
/// Example    sort(numpy::array({3, 1, 2}))  // [1 2 3]
///            sort(std::vector<Array>{numpy::array({3, 1, 2}), numpy::array({10, 20, 30})})[1]  // [20 30 10]
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
/// Sorts a fixed number of arrays: auto [x, y] = sort<2>({x, y}, {.num_keys = 2}).
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
/// Sorts the keys, and reorders the values accordingly.
std::pair<Array, Array> sort_key_val(const Operand& keys, const Operand& values, const SortKeyValOptions& options = {});
template <int = 0>
std::pair<Array, Array> sort_key_val(const Operand& keys, const Operand& values, int64_t dimension,
                                     bool is_stable = true) {
  return sort_key_val(keys, values, SortKeyValOptions{.dimension = dimension, .is_stable = is_stable});
}

struct TopK {
  Array values, indices;
};
struct TopKOptions {
  int64_t axis = -1;
};
/// Returns the k largest elements of each row along `axis` in descending order, and their indices: jax.lax.top_k.
/// Types      integers and floats; indices are s32. NaN counts as greater than all numbers, -0 as less than 0. Of equal
///            elements the first comes first.
/// Errors     INVALID_ARGUMENT for k out of 0..size
/// Example    const auto [values, indices] = top_k(numpy::array({1.0, 4.0, 2.0}), 2);
///            values   // [4. 2.]
///            indices  // [1 2]
TopK top_k(const Operand& x, int64_t k, const TopKOptions& options = {});
template <int = 0>
TopK top_k(const Operand& x, int64_t k, int64_t axis) {
  return top_k(x, k, TopKOptions{.axis = axis});
}

struct ApproxTopKOptions {
  int64_t reduction_dimension = -1;
  double recall_target = 0.95;  ///< ignored; the result is exact
  int64_t reduction_input_size_override = -1;
  bool aggregate_to_topk = true;
};
/// Return the k largest (smallest) elements along an axis, in order, and their indices. The result is exact.
/// Types      floats
/// Errors     INVALID_ARGUMENT for k out of 1..size; UNIMPLEMENTED without aggregate_to_topk
/// Differs    from JAX: XLA may miss some of the elements
TopK approx_max_k(const Operand& operand, int64_t k, const ApproxTopKOptions& options = {});
TopK approx_min_k(const Operand& operand, int64_t k, const ApproxTopKOptions& options = {});

}  // namespace hilo::lax
