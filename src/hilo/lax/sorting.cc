// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/sorting.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "hilo/array/refuse.h"
#include "hilo/hlo/ops/sort.h"
#include "hilo/hlo/ops/top_k.h"
#include "hilo/lax/axes.h"
#include "hilo/lax/reducer.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/staging_trace.h"

namespace hilo::lax {
namespace {

using hlo::ComparisonDirection;
using hlo::ComparisonType;

/// Replaces zeros and NaNs by one representative each, so that the total order is the order of sort.
Array canonical(const Array& x) {
  if (!is_floating(x.dtype())) return x;
  const Array zero = ops::full_like(x, 0), nan = ops::full_like(x, std::numeric_limits<double>::quiet_NaN());
  return ops::select(ops::ne(x, x), nan, ops::select(ops::eq(x, zero), zero, x));
}

/// Returns the keys to compare, in pairs of x's and y's: complex numbers have two.
std::vector<std::pair<Array, Array>> keys_of(std::span<const Array> both, int64_t num_keys) {
  std::vector<std::pair<Array, Array>> keys;
  for (int64_t k = 0; k < num_keys; ++k) {
    const Array &x = both[2 * k], &y = both[static_cast<size_t>(2 * k) + 1];
    if (is_complex(x.dtype())) {
      keys.emplace_back(canonical(ops::real(x)), canonical(ops::real(y)));
      keys.emplace_back(canonical(ops::imag(x)), canonical(ops::imag(y)));
    } else {
      keys.emplace_back(canonical(x), canonical(y));
    }
  }
  return keys;
}

/// Whether x comes before y: by the first key; if equal, by the next one.
Array before(std::span<const Array> both, int64_t num_keys) {
  const std::vector<std::pair<Array, Array>> keys = keys_of(both, num_keys);
  const auto compare = [&](const std::pair<Array, Array>& key, ComparisonDirection direction) {
    return ops::compare(key.first, key.second, direction,
                        is_floating(key.first.dtype()) ? ComparisonType::kTotalOrder : ComparisonType::kDefault);
  };
  Array result = compare(keys.back(), ComparisonDirection::kLt);
  for (size_t k = keys.size() - 1; k-- > 0;) {
    const Array less = compare(keys[k], ComparisonDirection::kLt), equal = compare(keys[k], ComparisonDirection::kEq);
    result = ops::bitwise_or(less, ops::bitwise_and(equal, result));
  }
  return result;
}

/// Returns the comparator over (x0, y0, x1, y1, ...).
hlo::ComputationPtr comparator(const std::vector<Array>& arrays, int64_t num_keys) {
  std::vector<Aval> avals;
  for (const Array& array : arrays) avals.insert(avals.end(), 2, Aval{Shape::scalar(array.dtype()), false});
  const FlatFunction f = [&](std::span<const Array> both) { return std::vector<Array>{before(both, num_keys)}; };
  return stage(f, avals, "sort", "compare", CapturePlace::kNone).computation;
}

std::vector<Array> sorted(const char* function, std::vector<Array> arrays, const SortOptions& options) {
  if (arrays.empty() || options.num_keys < 1 || options.num_keys > std::ssize(arrays))
    refuse(function, fmt::format("got {} keys of {} arrays", options.num_keys, arrays.size()));
  std::vector<bool> was_pred;
  for (Array& array : arrays) {
    was_pred.push_back(array.dtype() == ElementType::kPred);
    if (was_pred.back()) array = ops::convert_element_type(array, ElementType::kU8);
  }
  hlo::SortAttributes attributes;
  attributes.dimensions = {canonical_axis(function, options.dimension, arrays[0].ndim())};
  attributes.is_stable = options.is_stable;
  attributes.to_apply = comparator(arrays, options.num_keys);
  arrays = bind({hlo::Opcode::kSort, std::move(arrays), hlo::shared_attributes(std::move(attributes)), std::nullopt});
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (was_pred[i]) arrays[i] = ops::convert_element_type(arrays[i], ElementType::kPred);
  }
  return arrays;
}

/// Returns the permutation that moves dimension `at` to the end, and its inverse.
std::pair<std::vector<int64_t>, std::vector<int64_t>> to_the_end(int64_t rank, int64_t at) {
  std::vector<int64_t> last = ops::all_dimensions(rank), back = last;
  std::rotate(last.begin() + at, last.begin() + at + 1, last.end());
  std::rotate(back.begin() + at, back.end() - 1, back.end());
  return {last, back};
}

TopK approximate(const char* function, const Operand& operand, int64_t k, const ApproxTopKOptions& options,
                 bool greatest) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const int64_t at = canonical_axis(function, options.reduction_dimension, x.ndim());
  if (!is_floating(x.dtype())) refuse(function, "wanted floats; got " + x.aval_shape().to_string());
  if (k < 1 || k > x.shape(at)) refuse(function, fmt::format("k must be 1 to {}; got {}", x.shape(at), k));
  if (!options.aggregate_to_topk)
    or_throw(
        unimplemented(at_user_line(function) +
                      ": aggregate_to_topk = false. Hint: the result is exact, there is nothing left to aggregate"));
  const TopK found = top_k(greatest ? x : ops::neg(x), k, at);
  return greatest ? found : TopK{ops::neg(found.values), found.indices};
}

}  // namespace

std::vector<Array> sort(const std::vector<Array>& operand, const SortOptions& options, std::source_location line) {
  const UserLocation here(line);
  return sorted("sort", operand, options);
}

Array sort(const Operand& operand, const SortOptions& options) {
  const UserLocation here(operand.location());
  return sorted("sort", {operand.array()}, options)[0];
}

std::pair<Array, Array> sort_key_val(const Operand& keys, const Operand& values, const SortKeyValOptions& options) {
  const UserLocation here(keys.location());
  const std::vector<Array> both = sorted("sort_key_val", {keys.array(), values.array()},
                                         {.dimension = options.dimension, .is_stable = options.is_stable});
  return {both[0], both[1]};
}

TopK top_k(const Operand& x, int64_t k, const TopKOptions& options) {
  const UserLocation here(x.location());
  const Array& array = x.array();
  const int64_t rank = array.ndim(), at = canonical_axis("top_k", options.axis, rank);
  hlo::TopKAttributes attributes;
  attributes.k = k;
  const auto [last, back] = to_the_end(rank, at);
  const std::vector<Array> found = bind(
      {hlo::Opcode::kTopK, {ops::transpose(array, last)}, hlo::shared_attributes(std::move(attributes)), std::nullopt});
  return {ops::transpose(found[0], back), ops::transpose(found[1], back)};
}

TopK approx_max_k(const Operand& operand, int64_t k, const ApproxTopKOptions& options) {
  return approximate("approx_max_k", operand, k, options, true);
}
TopK approx_min_k(const Operand& operand, int64_t k, const ApproxTopKOptions& options) {
  return approximate("approx_min_k", operand, k, options, false);
}

}  // namespace hilo::lax
