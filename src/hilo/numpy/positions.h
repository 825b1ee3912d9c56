// SPDX-License-Identifier: Apache-2.0
// numpy/positions.h -- overloads for options that NumPy passes by position. For users: hilo.h includes it.
#pragma once

#include <string>
#include <vector>

#include "hilo/numpy/numpy.h"

namespace hilo::numpy {

/// Passes `side` by position.
/// Example    searchsorted(array({1, 2, 2, 3}), 2, "right")  // 3
template <int = 0>
Array searchsorted(const Operand& a, const Operand& v, const char* side) {
  return searchsorted(a, v, SearchOptions{.side = side});
}

/// Promotes the weak Python type of a number with another type.
/// Example    promote_types(1.0, bfloat16)  // bfloat16
template <Number T>
ElementType promote_types(T a, ElementType b) {
  return numpy::result_type(a, b);
}
template <Number T>
ElementType promote_types(ElementType a, T b) {
  return numpy::result_type(a, b);
}
template <Number T, Number U>
ElementType promote_types(T a, U b) {
  return numpy::result_type(a, b);
}

/// Passes one or both bounds by position; `none` for an absent bound.
/// Example    clip(array({-1, 5}), 0)  // [0 5]
///            clip(array({-1, 5}), none, 1)  // [-1 1]
template <int = 0>
Array clip(const Operand& arr, const Operand& min) {
  return clip(arr, ClipOptions{.min = min.array()});
}
template <int = 0>
Array clip(const Operand& arr, std::nullopt_t, const Operand& max) {
  return clip(arr, ClipOptions{.max = max.array()});
}
template <int = 0>
Array clip(const Operand& arr, const Operand& min, std::nullopt_t) {
  return clip(arr, ClipOptions{.min = min.array()});
}

/// Passes the replacements by position.
/// Example    nan_to_num(x, true, 0.0)
template <std::same_as<bool> Copy>
Array nan_to_num(const Operand& x, Copy copy, const std::optional<Array>& nan = std::nullopt,
                 const std::optional<Array>& posinf = std::nullopt, const std::optional<Array>& neginf = std::nullopt) {
  return nan_to_num(x, NanToNumOptions{.copy = copy, .nan = nan, .posinf = posinf, .neginf = neginf});
}

/// Passes distances or coordinates, one for all axes or one for each.
/// Example    gradient(f, 0.1), gradient(f, x, y), gradient(f, 0.1, {.axis = 0})
template <std::convertible_to<Array> First, std::convertible_to<Array>... More>
OneOrMore gradient(const Operand& f, const First& first, const More&... more) {
  return detail::gradient(f, std::vector<Array>{Array(first), Array(more)...}, {});
}
template <int = 0>
OneOrMore gradient(const Operand& f, const Operand& distance, const GradientOptions& options) {
  return detail::gradient(f, {distance.array()}, options);
}

/// Passes the bins by position.
/// Example    histogram2d(x, y, {3, 4}), histogram2d(x, y, 3, {.density = true})
template <int = 0>
Histogram2d histogram2d(const Operand& x, const Operand& y, const ColumnBins& bins, HistogramddOptions options = {}) {
  options.bins = bins;
  return histogram2d(x, y, options);
}

struct PolyintOptions {
  int64_t m = 1;
  std::optional<Array> k = std::nullopt;
};
/// Passes the order and the constants by name.
/// Example    polyint(p, {.m = 2, .k = numpy::array({1, 2})})
template <int = 0>
Array polyint(const Operand& p, const PolyintOptions& options) {
  return polyint(p, options.m, options.k);
}
template <int = 0>
Array polyint(const Operand& p, int64_t m, const PolyintOptions& options) {
  return polyint(p, m, options.k);
}

namespace detail {
/// Returns axes as einsum's letters: {0, 1, 2} -> "abc".
inline std::string einsum_letters(const std::vector<int64_t>& axes) {
  std::string out;
  for (const int64_t axis : axes) {
    if (axis < 0 || axis >= 26)
      or_throw(
          invalid_argument(at_user_line("einsum") + ": axes are numbered from 0 to 25; got " + std::to_string(axis)));
    out += static_cast<char>('a' + axis);
  }
  return out;
}
}  // namespace detail
/// Takes subscripts as numbers: einsum(x, {0, 1}, y, {1, 2}, {0, 2}) is einsum("ab,bc->ac", x, y).
template <int = 0>
Array einsum(const Operand& x, const std::vector<int64_t>& x_axes, const Operand& y,
             const std::vector<int64_t>& y_axes) {
  return einsum(detail::einsum_letters(x_axes) + "," + detail::einsum_letters(y_axes), x, y, EinsumOptions{});
}
template <int = 0>
Array einsum(const Operand& x, const std::vector<int64_t>& x_axes, const Operand& y, const std::vector<int64_t>& y_axes,
             const std::vector<int64_t>& result) {
  const std::string operands = detail::einsum_letters(x_axes) + "," + detail::einsum_letters(y_axes);
  return einsum(operands + "->" + detail::einsum_letters(result), x, y, EinsumOptions{});
}
template <int = 0>
Array einsum(const Operand& x, const std::vector<int64_t>& axes, const std::vector<int64_t>& result) {
  return einsum(detail::einsum_letters(axes) + "->" + detail::einsum_letters(result), x, EinsumOptions{});
}

}  // namespace hilo::numpy
