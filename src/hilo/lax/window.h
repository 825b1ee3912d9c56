// SPDX-License-Identifier: Apache-2.0
// lax/window.h -- reductions of windows that slide over arrays, and running reductions: jax.lax.reduce_window, cumsum,
// associative_scan and the like.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hilo/array/arguments.h"
#include "hilo/array/array.h"
#include "hilo/lax/padding.h"

namespace hilo::lax {

using hilo::Named, hilo::OptionalDimensions;

/// A function of two arrays; of scalars for reducers.
using BinaryFunction = std::function<Array(const Array&, const Array&)>;

/// Reduces every window of `operand` by `computation`, beginning with `init_value`. What lies in padding or between
/// dilated elements takes no part.
///   Shapes     one window size a dimension; strides and dilations too, by default all 1
///   Types      init_value has the operand's; `computation` takes and gives scalars of it
///   Errors     INVALID_ARGUMENT for lists of another length, sizes, strides or dilations below 1
///   Gradient   sums and extremes as in JAX; other reducers of up to 64 elements too, larger ones in forward mode
///   Example    reduce_window(x, -INFINITY, lax::max, {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID")   pooling by maximum, NHWC
Array reduce_window(const Operand& operand, const Operand& init_value, const BinaryFunction& computation,
                    std::vector<int64_t> window_dimensions, std::vector<int64_t> window_strides, const Padding& padding,
                    std::vector<int64_t> base_dilation = {}, std::vector<int64_t> window_dilation = {});

struct ReduceWindowOptions {
  OptionalDimensions window_strides = std::nullopt;
  Padding padding = "VALID";
  OptionalDimensions base_dilation = std::nullopt, window_dilation = std::nullopt;
};
template <int = 0>
Array reduce_window(const Operand& operand, const Operand& init_value, const BinaryFunction& computation,
                    const Dimensions& window_dimensions, const ReduceWindowOptions& options = {}) {
  const auto list = [](const OptionalDimensions& given) { return given ? *given : Dimensions(); };
  return lax::reduce_window(operand, init_value, computation, window_dimensions, list(options.window_strides),
                            options.padding, list(options.base_dilation), list(options.window_dilation));
}
/// The same with the windows by name: reduce_window(x, 0.0f, lax::add, {.window_dimensions = {2, 2}}).
struct ReduceWindowByName {
  std::vector<int64_t> window_dimensions;
  OptionalDimensions window_strides = std::nullopt;
  Padding padding = "VALID";
  OptionalDimensions base_dilation = std::nullopt, window_dilation = std::nullopt;
};
Array reduce_window(const Operand& operand, const Operand& init_value, const BinaryFunction& computation,
                    const ReduceWindowByName& o);
/// The shape of its result.
Dimensions reduce_window_shape_tuple(const Dimensions& operand_shape, const Dimensions& window_dimensions,
                                     const Dimensions& window_strides, const PaddingPairs& padding,
                                     const OptionalDimensions& base_dilation = std::nullopt,
                                     const OptionalDimensions& window_dilation = std::nullopt);

// Running reductions along `axis`; element i of the result is the reduction of elements 0..i, if `reverse` of i..n-1.
//   Types      numbers (no complex ones for cummax and cummin, floats for cumlogsumexp)
//   Errors     INVALID_ARGUMENT for an axis out of range; negative ones count from the end
struct CumulativeOptions {
  int64_t axis = 0;
  bool reverse = false;
};
#define HILO_CUMULATIVE(name)                                                                        \
  Array name(const Operand& operand, const CumulativeOptions& options = {});                         \
  template <std::integral Integer>                                                                   \
  Array name(const Operand& operand, Integer axis, bool reverse = false) {                           \
    return name(operand, CumulativeOptions{.axis = static_cast<int64_t>(axis), .reverse = reverse}); \
  }
HILO_CUMULATIVE(cumsum)
HILO_CUMULATIVE(cumprod)
HILO_CUMULATIVE(cummax)
HILO_CUMULATIVE(cummin)
/// log(cumsum(exp(x))) without overflow.
HILO_CUMULATIVE(cumlogsumexp)
#undef HILO_CUMULATIVE

/// Running combinations of slices along `axis` by an associative function, in logarithmic depth.
///   Example    associative_scan(lax::add, x) is cumsum(x)
Array associative_scan(const BinaryFunction& fn, const Operand& elems, bool reverse = false, int64_t axis = 0);
/// The same of several arrays that are combined together; `fn` gets and gives one slice list of each.
std::vector<Array> associative_scan(
    const std::function<std::vector<Array>(const std::vector<Array>&, const std::vector<Array>&)>& fn,
    const std::vector<Array>& elems, bool reverse = false, int64_t axis = 0);

}  // namespace hilo::lax
