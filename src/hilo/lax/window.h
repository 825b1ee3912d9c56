// SPDX-License-Identifier: Apache-2.0
// lax/window.h -- reductions over sliding windows, and running reductions: jax.lax.reduce_window, cumsum,
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

/// A function of two arrays; for reducers, of two scalars.
using BinaryFunction = std::function<Array(const Array&, const Array&)>;

/// Reduces every window of `operand` by `computation`, starting from `init_value`: jax.lax.reduce_window. Padding and
/// the gaps between dilated elements are ignored.
/// Shapes     one window size per dimension; the same for strides and dilations, which are 1 by default
/// Types      init_value has the operand's type; `computation` maps scalars of it to such a scalar
/// Errors     INVALID_ARGUMENT for lists of another length, and for sizes, strides or dilations below 1
/// Gradient   sums and extremes as in JAX; other reducers with windows of up to 64 elements; larger ones in forward
///            mode only
/// Example    reduce_window(numpy::array({3, 1, 4, 1, 5}), 0, lax::max, {2}, {1}, "VALID")  // [3 4 4 5]
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
/// Arguments of reduce_window by name: reduce_window(x, 0.0f, lax::add, {.window_dimensions = {2, 2}}).
struct ReduceWindowByName {
  std::vector<int64_t> window_dimensions;
  OptionalDimensions window_strides = std::nullopt;
  Padding padding = "VALID";
  OptionalDimensions base_dilation = std::nullopt, window_dilation = std::nullopt;
};
Array reduce_window(const Operand& operand, const Operand& init_value, const BinaryFunction& computation,
                    const ReduceWindowByName& o);
/// Returns the shape of reduce_window's result.
Dimensions reduce_window_shape_tuple(const Dimensions& operand_shape, const Dimensions& window_dimensions,
                                     const Dimensions& window_strides, const PaddingPairs& padding,
                                     const OptionalDimensions& base_dilation = std::nullopt,
                                     const OptionalDimensions& window_dilation = std::nullopt);

// Running reductions along `axis`: element i of the result reduces elements 0..i, with `reverse` elements i..n-1.
// Types      numbers; cummax and cummin: no complex ones; cumlogsumexp: floats
// Errors     INVALID_ARGUMENT for an axis out of range; negative ones count from the end
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
/// Computes running sums along an axis: jax.lax.cumsum.
/// Example    cumsum(numpy::arange(5))  // [ 0 1 3 6 10]
///            cumsum(numpy::arange(5), {.reverse = true})  // [10 10 9 7 4]
HILO_CUMULATIVE(cumsum)
HILO_CUMULATIVE(cumprod)
HILO_CUMULATIVE(cummax)
HILO_CUMULATIVE(cummin)
/// Computes log(cumsum(exp(x))) without overflow.
HILO_CUMULATIVE(cumlogsumexp)
#undef HILO_CUMULATIVE

/// Combines slices along `axis` by an associative function, as running results, in logarithmic depth.
/// associative_scan(lax::add, x) equals cumsum(x).
Array associative_scan(const BinaryFunction& fn, const Operand& elems, bool reverse = false, int64_t axis = 0);
/// Combines slices of several arrays together; `fn` maps two lists of slices to one.
std::vector<Array> associative_scan(
    const std::function<std::vector<Array>(const std::vector<Array>&, const std::vector<Array>&)>& fn,
    const std::vector<Array>& elems, bool reverse = false, int64_t axis = 0);

}  // namespace hilo::lax
