// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/pooling.h"

#include <fmt/format.h>

#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/ops.h"

namespace hilo::nn {
namespace {

/// Adds a batch axis in front of the spatial dimensions if none exists.
Array with_batch(const Array& x, size_t spatial) {
  const auto least = static_cast<int64_t>(spatial) + 1;
  if (x.ndim() < least)
    or_throw(invalid_argument(fmt::format("pooling: got {}; wanted at least {} dimensions: {} of the window, features",
                                          x.aval_shape().to_string(), least, spatial)));
  return x.ndim() == least ? numpy::expand_dims(x, 0) : x;
}

/// Extends `list` by neutral values for the dimensions of batches and features.
template <typename T>
std::vector<T> around(const std::vector<T>& list, const T& alone, int64_t rank) {
  std::vector<T> all(rank, alone);
  std::copy(list.begin(), list.end(), all.end() - std::ssize(list) - 1);
  return all;
}

Array pooled(const Array& inputs, const Array& initial, const lax::BinaryFunction& reducer,
             const std::vector<int64_t>& window_shape, const std::vector<int64_t>& strides,
             const lax::Padding& padding) {
  const Array x = with_batch(inputs, window_shape.size());
  const std::vector<int64_t> ones(window_shape.size(), 1);
  const std::vector<int64_t>& steps = strides.empty() ? ones : strides;
  if (steps.size() != window_shape.size() || (padding.pairs() && padding.pairs()->size() != window_shape.size()))
    or_throw(invalid_argument(fmt::format(
        "pooling: got {} strides{} for a window of {} dimensions", steps.size(),
        padding.pairs() ? fmt::format(" and {} pairs of padding", padding.pairs()->size()) : "", window_shape.size())));
  const lax::Padding all =
      padding.pairs() ? lax::Padding(around(*padding.pairs(), std::pair<int64_t, int64_t>(0, 0), x.ndim())) : padding;
  const Array out = lax::reduce_window(x, initial, reducer, around(window_shape, int64_t{1}, x.ndim()),
                                       around(steps, int64_t{1}, x.ndim()), all);
  return x.ndim() == inputs.ndim() ? out : numpy::squeeze(out, 0);
}

}  // namespace

Array max_pool(const Operand& inputs, const std::vector<int64_t>& window_shape, const std::vector<int64_t>& strides,
               const lax::Padding& padding) {
  const UserLocation here(inputs.location());
  const Array& x = inputs.array();
  return pooled(x, ops::lowest(x.dtype()), ops::max, window_shape, strides, padding);
}

Array min_pool(const Operand& inputs, const std::vector<int64_t>& window_shape, const std::vector<int64_t>& strides,
               const lax::Padding& padding) {
  const UserLocation here(inputs.location());
  const Array& x = inputs.array();
  return pooled(x, ops::highest(x.dtype()), ops::min, window_shape, strides, padding);
}

Array avg_pool(const Operand& inputs, const std::vector<int64_t>& window_shape, const std::vector<int64_t>& strides,
               const lax::Padding& padding, bool count_include_pad) {
  const UserLocation here(inputs.location());
  const Array& x = inputs.array();
  if (!is_floating(x.dtype()))
    or_throw(invalid_argument(fmt::format("avg_pool: got {}; wanted floats", x.aval_shape().to_string())));
  const Array zero = ops::scalar(0, x.dtype());
  const Array sum = pooled(x, zero, ops::add, window_shape, strides, padding);
  double volume = 1;
  for (int64_t size : window_shape) volume *= static_cast<double>(size);
  if (count_include_pad) return ops::div(sum, ops::full_like(sum, volume));
  return ops::div(sum, pooled(ops::full_like(x, 1), zero, ops::add, window_shape, strides, padding));
}

}  // namespace hilo::nn
