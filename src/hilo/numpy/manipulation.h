// SPDX-License-Identifier: Apache-2.0
// numpy/manipulation.h -- shapes, order, joining, splitting, padding, diagonals.
#pragma once

#include <functional>
#include <utility>

#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

namespace detail {
Array roll(const Operand& a, const Array& shift, const Axes& axis);
Array repeat(const Operand& a, const Array& repeats, std::optional<int64_t> axis,
             std::optional<int64_t> total_repeat_length);
}  // namespace detail

// ---- shape ----------------------------------------------------------------------------------------------------------
struct OrderOptions {
  const char* order = "C";  ///< of the elements: "C", the last axis runs fastest, or "F", the first
};
/// One extent may be -1: it follows from the others.
/// Errors    INVALID_ARGUMENT if the shapes don't have equally many elements
Array reshape(const Operand& x, const Shape& shape, const OrderOptions& options = {});
Array ravel(const Operand& x, const OrderOptions& options = {});   ///< flat
Array squeeze(const Operand& x, const Axes& axis = std::nullopt);  ///< without axes of extent 1
Array expand_dims(const Operand& x, const Axes& axis);             ///< more axes of extent 1
/// An axis, or several, by name: squeeze(x, {.axis = 1}).
struct AxisOption {
  Named named = Named();
  Axes axis = std::nullopt;
};
template <int = 0>
Array squeeze(const Operand& x, const AxisOption& options) {
  return squeeze(x, options.axis);
}
template <int = 0>
Array expand_dims(const Operand& x, const AxisOption& options) {
  return expand_dims(x, options.axis);
}
Array broadcast_to(const Operand& x, const Shape& shape);  ///< repeated along axes of extent 1
std::vector<Array> broadcast_arrays(const std::vector<Array>& args, Line line = Line::current());
template <std::convertible_to<Array>... More>
ArrayTuple<1 + sizeof...(More)> broadcast_arrays(const Array& first, const More&... more) {
  return broadcast_arrays(std::vector<Array>{first, Array(more)...});
}
/// The common shape of all of these. Errors    INVALID_ARGUMENT naming two that don't fit
Shape broadcast_shapes(std::initializer_list<Shape> shapes);
inline Shape broadcast_shapes(std::initializer_list<int64_t> a, std::initializer_list<int64_t> b) {
  return broadcast_shapes({Shape(a), Shape(b)});
}
inline Shape broadcast_shapes() { return {}; }
template <std::convertible_to<Shape>... More>
Shape broadcast_shapes(const Shape& first, const More&... more) {
  return broadcast_shapes(std::initializer_list<Shape>{first, Shape(more)...});
}
/// At least one, two, three axes: a vector becomes a row [1, n], in three dimensions [1, n, 1].
Array atleast_1d(const Operand& x);
Array atleast_2d(const Operand& x);
Array atleast_3d(const Operand& x);
/// The elements in row-major order, again and again until the shape is full.
Array resize(const Operand& a, const Shape& new_shape);

// ---- order of axes and elements -------------------------------------------------------------------------------------
/// Errors    INVALID_ARGUMENT if `axes` isn't each axis once
Array transpose(const Operand& x, const Axes& axes = std::nullopt);  ///< the axes in this order, or turned round
Array permute_dims(const Operand& x, const Axes& axes);              ///< transpose
Array matrix_transpose(const Operand& x);                            ///< the last two axes in the other order
Array swapaxes(const Operand& a, int64_t axis1, int64_t axis2);      ///< two axes change places
Array moveaxis(const Operand& a, const Axes& source, const Axes& destination);  ///< axes go elsewhere
Array rollaxis(const Operand& a, int64_t axis, int64_t start = 0);              ///< an axis goes before that one
Array flip(const Operand& x, const Axes& axis = std::nullopt);                  ///< the other way round along axes
template <int = 0>
Array flip(const Operand& x, const AxisOption& options) {
  return flip(x, options.axis);
}
Array fliplr(const Operand& x);  ///< along axis 1
Array flipud(const Operand& x);  ///< along axis 0
/// Turned `k` times by 90 degrees from the first of the two axes towards the second.
Array rot90(const Operand& m, int64_t k = 1, std::pair<int64_t, int64_t> axes = {0, 1});
/// Elements that leave at one end come in at the other; without an axis of the flattened array. `shift` is one number or one
/// an axis.
Array roll(const Operand& a, const Axes& shift, const Axes& axis = std::nullopt);
template <int = 0>
Array roll(const Operand& a, const Axes& shift, const AxisOption& options) {
  return roll(a, shift, options.axis);
}
/// The same by a number that is an array, known or not.
template <std::same_as<Array> Shift>
Array roll(const Operand& a, const Shift& shift, const Axes& axis = std::nullopt) {
  return detail::roll(a, shift, axis);
}
/// x[start:stop:step] along one axis; negative positions count from the end.
Array slice(const Operand& x, int64_t start, int64_t stop, int64_t step = 1, int64_t axis = 0);

// ---- joining and splitting ------------------------------------------------------------------------------------------
struct ConcatenateOptions {
  std::optional<int64_t> axis = 0;  ///< none: the flattened arrays
  Dtype dtype = std::nullopt;
};
struct ConcatOptions {
  std::optional<int64_t> axis = 0;
};
struct StackOptions {
  int64_t axis = 0;
  Dtype dtype = std::nullopt;
};
/// Along an axis; types are promoted. Without one the flattened arrays.
Array concatenate(const Arrays& arrays, const ConcatenateOptions& options = {}, Line line = Line::current());
template <int = 0>
Array concatenate(const Arrays& arrays, std::optional<int64_t> axis, Dtype dtype = std::nullopt,
                  Line line = Line::current()) {
  return concatenate(arrays, ConcatenateOptions{.axis = axis, .dtype = dtype}, line);
}
Array concat(const Arrays& arrays, const ConcatOptions& options = {}, Line line = Line::current());
template <int = 0>
Array concat(const Arrays& arrays, std::optional<int64_t> axis, Line line = Line::current()) {
  return concat(arrays, ConcatOptions{.axis = axis}, line);
}
/// Along a new axis.
Array stack(const Arrays& arrays, const StackOptions& options = {}, Line line = Line::current());
template <int = 0>
Array stack(const Arrays& arrays, int64_t axis, Dtype dtype = std::nullopt, Line line = Line::current()) {
  return stack(arrays, StackOptions{.axis = axis, .dtype = dtype}, line);
}
/// Don't compile: the arrays are one list.
template <std::same_as<Array> A, std::same_as<Array> B, typename... Rest>
Array concatenate(const A& a, const B&, const Rest&...) {
  static_assert(kNever<A>, "the arrays are one list: concatenate({x, y}), concatenate({x, y}, 1)");
  return a;
}
template <std::same_as<Array> A, std::same_as<Array> B, typename... Rest>
Array stack(const A& a, const B&, const Rest&...) {
  static_assert(kNever<A>, "the arrays are one list: stack({x, y}), stack({x, y}, 1)");
  return a;
}
struct UnstackOptions {
  int64_t axis = 0;
};
std::vector<Array> unstack(const Operand& x, const UnstackOptions& options = {});
template <int = 0>
std::vector<Array> unstack(const Operand& x, int64_t axis) {
  return unstack(x, UnstackOptions{.axis = axis});
}
#define HILO_STACKED(name)                                                                      \
  Array name(const Arrays& tup, const DtypeOptions& options = {}, Line line = Line::current()); \
  template <int = 0>                                                                            \
  Array name(const Arrays& tup, Dtype dtype, Line line = Line::current()) {                     \
    return name(tup, DtypeOptions{.dtype = dtype}, line);                                       \
  }
HILO_STACKED(hstack)
HILO_STACKED(vstack)
HILO_STACKED(dstack)
#undef HILO_STACKED
Array column_stack(const Arrays& tup, Line line = Line::current());
/// A matrix of blocks, row by row.
Array block(const std::vector<Array>& row, Line line = Line::current());
Array block(const std::vector<std::vector<Array>>& rows, Line line = Line::current());
inline Array block(const Operand& array) { return array; }  ///< one block is what it is
Array append(const Operand& arr, const Operand& values, std::optional<int64_t> axis = std::nullopt);
template <int = 0>
Array append(const Operand& arr, const Operand& values, const ConcatOptions& options) {
  return append(arr, values, options.axis);
}
/// Into equal parts (a number), or before these positions (a list).
/// Errors    INVALID_ARGUMENT where split can't make equal parts; array_split's first parts are longer then
std::vector<Array> split(const Operand& ary, const Axes& indices_or_sections, int64_t axis = 0);
std::vector<Array> array_split(const Operand& ary, const Axes& indices_or_sections, int64_t axis = 0);
template <int = 0>
std::vector<Array> split(const Operand& ary, const Axes& indices_or_sections, const UnstackOptions& options) {
  return split(ary, indices_or_sections, options.axis);
}
template <int = 0>
std::vector<Array> array_split(const Operand& ary, const Axes& indices_or_sections, const UnstackOptions& options) {
  return array_split(ary, indices_or_sections, options.axis);
}
/// The same before positions in an array, whose values must be known.
template <std::same_as<Array> Positions>
std::vector<Array> split(const Operand& ary, const Positions& indices, int64_t axis = 0) {
  return split(ary, Axes(indices.template to_vector<int64_t>()), axis);
}
template <std::same_as<Array> Positions>
std::vector<Array> array_split(const Operand& ary, const Positions& indices, int64_t axis = 0) {
  return array_split(ary, Axes(indices.template to_vector<int64_t>()), axis);
}
/// The same with a number that the compiler knows: auto [a, b, c] = split<3>(x, axis).
template <size_t N>
ArrayTuple<N> split(const Operand& ary, const UnstackOptions& options = {}) {
  return numpy::exactly<N>("split", split(ary, Axes(static_cast<int64_t>(N)), options.axis));
}
template <size_t N>
ArrayTuple<N> split(const Operand& ary, std::integral auto axis) {
  return numpy::split<N>(ary, UnstackOptions{.axis = axis});
}
template <size_t N>
ArrayTuple<N> array_split(const Operand& ary, const UnstackOptions& options = {}) {
  return numpy::exactly<N>("array_split", array_split(ary, Axes(static_cast<int64_t>(N)), options.axis));
}
template <size_t N>
ArrayTuple<N> unstack(const Operand& x, const UnstackOptions& options = {}) {
  return numpy::exactly<N>("unstack", unstack(x, options));
}
std::vector<Array> hsplit(const Operand& ary, const Axes& indices_or_sections);
std::vector<Array> vsplit(const Operand& ary, const Axes& indices_or_sections);
std::vector<Array> dsplit(const Operand& ary, const Axes& indices_or_sections);

// ---- repeating and padding ------------------------------------------------------------------------------------------
Array tile(const Operand& A, const Axes& reps);
/// Each element so many times; without an axis of the flattened array.
struct RepeatOptions {
  std::optional<int64_t> axis = std::nullopt;
  std::optional<int64_t> total_repeat_length = std::nullopt;  ///< more repeat the last element, fewer are left out
};
Array repeat(const Operand& a, int64_t repeats, std::optional<int64_t> axis = std::nullopt);
Array repeat(const Operand& a, int64_t repeats, const RepeatOptions& options);
/// Each element its own number of times, or all the one number there is. Numbers without a value need
/// `total_repeat_length`, how long the result is: what is missing repeats the last element.
template <std::same_as<Array> Repeats>
Array repeat(const Operand& a, const Repeats& repeats, std::optional<int64_t> axis = std::nullopt,
             std::optional<int64_t> total_repeat_length = std::nullopt) {
  return detail::repeat(a, repeats, axis, total_repeat_length);
}
template <std::same_as<Array> Repeats>
Array repeat(const Operand& a, const Repeats& repeats, const RepeatOptions& options) {
  return detail::repeat(a, repeats, options.axis, options.total_repeat_length);
}

/// How much to add {before, after}: of all axes, or of each.
class PadWidth {
 public:
  PadWidth(int width) : pairs_{{width, width}} {}  // widths convert
  PadWidth(int64_t width) : pairs_{{width, width}} {}
  PadWidth(std::initializer_list<int64_t> pair) : pairs_{std::vector<int64_t>(pair)} {}
  PadWidth(std::initializer_list<std::initializer_list<int64_t>> pairs) : pairs_(pairs.begin(), pairs.end()) {}
  PadWidth(std::vector<std::vector<int64_t>> pairs) : pairs_(std::move(pairs)) {}
  const std::vector<std::vector<int64_t>>& pairs() const { return pairs_; }

 private:
  std::vector<std::vector<int64_t>> pairs_;
};
/// What stands at the ends: one value, {before, after}, or such a pair for each axis.
class PadEnds : public std::optional<Array> {
 public:
  using std::optional<Array>::optional;
  PadEnds(std::initializer_list<Array> ends);  // it converts
  PadEnds(std::initializer_list<std::initializer_list<Array>> pairs);
};
struct PadOptions {
  const char* mode = "constant";
  PadEnds constant_values = std::nullopt;              ///< of mode constant
  PadEnds end_values = std::nullopt;                   ///< of linear_ramp
  std::optional<PadWidth> stat_length = std::nullopt;  ///< of maximum, mean, median, minimum: how many count
  const char* reflect_type = "even";                   ///< of reflect and symmetric: or "odd"
};
/// mode       constant, edge, empty (zeros), linear_ramp, maximum, mean, median, minimum, reflect, symmetric, wrap
/// Errors     INVALID_ARGUMENT for another mode, a negative width, or an empty axis that has nothing to repeat
Array pad(const Operand& array, const PadWidth& pad_width, const PadOptions& options = {});
/// The same beside a mode by position.
struct PadValues {
  PadEnds constant_values = std::nullopt, end_values = std::nullopt;
  std::optional<PadWidth> stat_length = std::nullopt;
  const char* reflect_type = "even";
};
template <int = 0>
Array pad(const Operand& array, const PadWidth& pad_width, const char* mode, const PadValues& values = {}) {
  return pad(array, pad_width,
             PadOptions{.mode = mode,
                        .constant_values = values.constant_values,
                        .end_values = values.end_values,
                        .stat_length = values.stat_length,
                        .reflect_type = values.reflect_type});
}

// ---- diagonals and triangles ----------------------------------------------------------------------------------------
/// The matrix with vector v on its k-th diagonal, or the k-th diagonal of matrix v.
Array diag(const Operand& v, int64_t k = 0);
Array diagflat(const Operand& v, int64_t k = 0);
/// Which diagonal, by name: triu(m, {.k = 1}).
struct DiagonalNumber {
  int64_t k = 0;
};
template <int = 0>
Array diag(const Operand& v, const DiagonalNumber& options) {
  return diag(v, options.k);
}
template <int = 0>
Array diagflat(const Operand& v, const DiagonalNumber& options) {
  return diagflat(v, options.k);
}
/// The k-th diagonal of the matrices along two axes, as the last axis.
Array diagonal(const Operand& a, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
struct FillDiagonalOptions {
  bool wrap = false;
  bool inplace = false;  ///< true is refused: an array never changes
};
Array fill_diagonal(const Operand& a, const Operand& val, const FillDiagonalOptions& options = {});
template <std::same_as<bool> Wrap>
Array fill_diagonal(const Operand& a, const Operand& val, Wrap wrap, const FillDiagonalOptions& options = {}) {
  return fill_diagonal(a, val, FillDiagonalOptions{.wrap = wrap, .inplace = options.inplace});
}
Array tril(const Operand& m, int64_t k = 0);
Array triu(const Operand& m, int64_t k = 0);
template <int = 0>
Array tril(const Operand& m, const DiagonalNumber& options) {
  return tril(m, options.k);
}
template <int = 0>
Array triu(const Operand& m, const DiagonalNumber& options) {
  return triu(m, options.k);
}
std::vector<Array> diag_indices(int64_t n, int64_t ndim = 2, Line line = Line::current());
std::vector<Array> diag_indices_from(const Operand& arr);
ArrayTuple<2> tril_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = std::nullopt,
                           Line line = Line::current());
ArrayTuple<2> triu_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = std::nullopt,
                           Line line = Line::current());
/// Where mask_func(ones of n x n, k) isn't zero: mask_indices(3, numpy::triu).
ArrayTuple<2> mask_indices(int64_t n, const std::function<Array(const Array&, int64_t)>& mask_func, int64_t k = 0,
                           Line line = Line::current());
ArrayTuple<2> tril_indices_from(const Operand& arr, int64_t k = 0);
ArrayTuple<2> triu_indices_from(const Operand& arr, int64_t k = 0);

}  // namespace hilo::numpy
