// SPDX-License-Identifier: Apache-2.0
// numpy/manipulation.h -- shapes, the order of axes and elements, joining, splitting, padding, diagonals.
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
  /// order of the elements: "C" (the last axis varies fastest) or "F" (the first axis varies fastest)
  const char* order = "C";
};
/// Returns the elements in a new shape. One extent may be -1: it is inferred from the others.
/// Errors     INVALID_ARGUMENT if the number of elements differs
/// Example    reshape(arange(6), {2, 3})  // [[0 1 2] [3 4 5]]
///            reshape(arange(6), {-1, 2}).shape()  // (3, 2)
Array reshape(const Operand& x, const Shape& shape, const OrderOptions& options = {});
/// Flattens an array to one axis.
/// Example    ravel(array({{1, 2}, {3, 4}}))  // [1 2 3 4]
Array ravel(const Operand& x, const OrderOptions& options = {});
/// Removes axes of extent 1: all of them, or those in `axis`.
/// Example    squeeze(zeros({1, 3, 1})).shape()  // (3,)
Array squeeze(const Operand& x, const Axes& axis = std::nullopt);
/// Inserts axes of extent 1 at the positions in `axis`.
/// Example    expand_dims(array({1, 2, 3}), 0).shape()  // (1, 3)
///            expand_dims(array({1, 2, 3}), {0, -1}).shape()  // (1, 3, 1)
Array expand_dims(const Operand& x, const Axes& axis);
/// Passes one or more axes by name: squeeze(x, {.axis = 1}).
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
/// Broadcasts an array to a shape: repeats it along axes of extent 1 and along new leading axes.
/// Errors     INVALID_ARGUMENT if the shapes don't broadcast
/// Example    broadcast_to(array({1, 2, 3}), {2, 3})  // [[1 2 3] [1 2 3]]
Array broadcast_to(const Operand& x, const Shape& shape);
/// Broadcasts arrays against each other.
std::vector<Array> broadcast_arrays(const std::vector<Array>& args, Line line = Line::current());
template <std::convertible_to<Array>... More>
ArrayTuple<1 + sizeof...(More)> broadcast_arrays(const Array& first, const More&... more) {
  return broadcast_arrays(std::vector<Array>{first, Array(more)...});
}
/// Returns the common shape of broadcasting.
/// Errors     INVALID_ARGUMENT with two shapes that don't broadcast
/// Example    broadcast_shapes({3, 1}, {4})[0]  // 3
Shape broadcast_shapes(std::initializer_list<Shape> shapes);
inline Shape broadcast_shapes(std::initializer_list<int64_t> a, std::initializer_list<int64_t> b) {
  return broadcast_shapes({Shape(a), Shape(b)});
}
inline Shape broadcast_shapes() { return {}; }
template <std::convertible_to<Shape>... More>
Shape broadcast_shapes(const Shape& first, const More&... more) {
  return broadcast_shapes(std::initializer_list<Shape>{first, Shape(more)...});
}
/// Returns the array with at least one axis (two, three): a vector becomes [1, n] in two dimensions, and [1, n, 1] in
/// three.
Array atleast_1d(const Operand& x);
Array atleast_2d(const Operand& x);
Array atleast_3d(const Operand& x);
/// Returns an array of a new size. The elements are repeated in row-major order to fill it.
Array resize(const Operand& a, const Shape& new_shape);

// ---- order of axes and elements -------------------------------------------------------------------------------------
/// Permutes axes; by default reverses their order.
/// Errors     INVALID_ARGUMENT if `axes` is not a permutation of all axes
/// Example    transpose(array({{1, 2, 3}, {4, 5, 6}}))  // [[1 4] [2 5] [3 6]]
///            transpose(zeros({2, 3, 4}), {1, 0, 2}).shape()  // (3, 2, 4)
Array transpose(const Operand& x, const Axes& axes = std::nullopt);
Array permute_dims(const Operand& x, const Axes& axes);          ///< same as transpose
Array matrix_transpose(const Operand& x);                        ///< last two axes exchanged
Array swapaxes(const Operand& a, int64_t axis1, int64_t axis2);  ///< axes axis1 and axis2 exchanged
/// Moves axes to new positions; the other axes keep their order.
/// Example    moveaxis(zeros({2, 3, 4}), 0, -1).shape()  // (3, 4, 2)
Array moveaxis(const Operand& a, const Axes& source, const Axes& destination);
Array rollaxis(const Operand& a, int64_t axis, int64_t start = 0);  ///< `axis` moved in front of position `start`
/// Reverses the order of elements along axes, by default along all.
/// Example    flip(array({{1, 2}, {3, 4}}), 0)  // [[3 4] [1 2]]
Array flip(const Operand& x, const Axes& axis = std::nullopt);
template <int = 0>
Array flip(const Operand& x, const AxisOption& options) {
  return flip(x, options.axis);
}
Array fliplr(const Operand& x);  ///< order reversed along axis 1
Array flipud(const Operand& x);  ///< order reversed along axis 0
/// Rotates by 90 degrees, `k` times, in the plane of two axes, from the first one towards the second.
Array rot90(const Operand& m, int64_t k = 1, std::pair<int64_t, int64_t> axes = {0, 1});
/// Shifts elements along axes, cyclically. Without an axis, shifts the flattened array. `shift` is one number, or one
/// for each axis.
/// Example    roll(arange(5), 2)  // [3 4 0 1 2]
Array roll(const Operand& a, const Axes& shift, const Axes& axis = std::nullopt);
template <int = 0>
Array roll(const Operand& a, const Axes& shift, const AxisOption& options) {
  return roll(a, shift, options.axis);
}
/// Shifts by a number that is an array, which may be traced.
template <std::same_as<Array> Shift>
Array roll(const Operand& a, const Shift& shift, const Axes& axis = std::nullopt) {
  return detail::roll(a, shift, axis);
}
/// Returns x[start:stop:step] along one axis; negative positions count from the end.
/// Example    slice(arange(6), 1, 5, 2)  // [1 3]
///            slice(arange(6), -2, 6)  // [4 5]
Array slice(const Operand& x, int64_t start, int64_t stop, int64_t step = 1, int64_t axis = 0);

// ---- joining and splitting ------------------------------------------------------------------------------------------
struct ConcatenateOptions {
  std::optional<int64_t> axis = 0;  ///< axis to join along; nullopt joins the flattened arrays
  Dtype dtype = std::nullopt;
};
struct ConcatOptions {
  std::optional<int64_t> axis = 0;
};
struct StackOptions {
  int64_t axis = 0;
  Dtype dtype = std::nullopt;
};
/// Joins arrays along an existing axis, with type promotion. Without an axis, joins the flattened arrays.
/// Errors     INVALID_ARGUMENT if the shapes differ in another axis
/// Example    concatenate({array({1, 2}), array({3})})  // [1 2 3]
///            concatenate({ones({2, 1}), zeros({2, 2})}, 1)  // [[1. 0. 0.] [1. 0. 0.]]
Array concatenate(const Arrays& arrays, const ConcatenateOptions& options = {}, Line line = Line::current());
template <int = 0>
Array concatenate(const Arrays& arrays, std::optional<int64_t> axis, Dtype dtype = std::nullopt,
                  Line line = Line::current()) {
  return concatenate(arrays, ConcatenateOptions{.axis = axis, .dtype = dtype}, line);
}
/// Same as concatenate.
Array concat(const Arrays& arrays, const ConcatOptions& options = {}, Line line = Line::current());
template <int = 0>
Array concat(const Arrays& arrays, std::optional<int64_t> axis, Line line = Line::current()) {
  return concat(arrays, ConcatOptions{.axis = axis}, line);
}
/// Joins arrays of equal shape along a new axis.
/// Example    stack({array({1, 2}), array({3, 4})})  // [[1 2] [3 4]]
///            stack({array({1, 2}), array({3, 4})}, 1)  // [[1 3] [2 4]]
Array stack(const Arrays& arrays, const StackOptions& options = {}, Line line = Line::current());
template <int = 0>
Array stack(const Arrays& arrays, int64_t axis, Dtype dtype = std::nullopt, Line line = Line::current()) {
  return stack(arrays, StackOptions{.axis = axis, .dtype = dtype}, line);
}
// Fail to compile with a readable message: the arrays are passed as one list.
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
/// Assembles a matrix from blocks, row by row.
/// Example    block({{array({1}), array({2, 3})}, {array({4, 5, 6})}})  // [[1 2 3] [4 5 6]]
Array block(const std::vector<Array>& row, Line line = Line::current());
Array block(const std::vector<std::vector<Array>>& rows, Line line = Line::current());
inline Array block(const Operand& array) { return array; }  ///< a single block, unchanged
/// Appends values along an axis; without one, both arrays are flattened.
Array append(const Operand& arr, const Operand& values, std::optional<int64_t> axis = std::nullopt);
template <int = 0>
Array append(const Operand& arr, const Operand& values, const ConcatOptions& options) {
  return append(arr, values, options.axis);
}
/// Splits an array along an axis: into n equal parts (a number), or before each position (a list).
/// Errors     INVALID_ARGUMENT if the parts of split would differ in length
/// Example    split(arange(6), 3)  // [[0 1], [2 3], [4 5]]
///            split(arange(6), {2, 3})  // [[0 1], [2], [3 4 5]]
std::vector<Array> split(const Operand& ary, const Axes& indices_or_sections, int64_t axis = 0);
/// Splits an array as split does. If the extent is not a multiple of n, the first parts are longer by 1.
std::vector<Array> array_split(const Operand& ary, const Axes& indices_or_sections, int64_t axis = 0);
template <int = 0>
std::vector<Array> split(const Operand& ary, const Axes& indices_or_sections, const UnstackOptions& options) {
  return split(ary, indices_or_sections, options.axis);
}
template <int = 0>
std::vector<Array> array_split(const Operand& ary, const Axes& indices_or_sections, const UnstackOptions& options) {
  return array_split(ary, indices_or_sections, options.axis);
}
/// Splits before positions in an array, whose values must be known.
template <std::same_as<Array> Positions>
std::vector<Array> split(const Operand& ary, const Positions& indices, int64_t axis = 0) {
  return split(ary, Axes(indices.template to_vector<int64_t>()), axis);
}
template <std::same_as<Array> Positions>
std::vector<Array> array_split(const Operand& ary, const Positions& indices, int64_t axis = 0) {
  return array_split(ary, Axes(indices.template to_vector<int64_t>()), axis);
}
/// Splits into a number of parts known at compile time: auto [a, b, c] = split<3>(x, axis).
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
/// Repeats the whole array along each axis.
/// Example    tile(array({1, 2}), {2, 2})  // [[1 2 1 2] [1 2 1 2]]
Array tile(const Operand& A, const Axes& reps);
struct RepeatOptions {
  std::optional<int64_t> axis = std::nullopt;
  /// length of the result; longer results repeat the last element, shorter ones are truncated
  std::optional<int64_t> total_repeat_length = std::nullopt;
};
/// Repeats each element `repeats` times along an axis; without one, flattens the array first.
/// Example    repeat(array({1, 2}), 3)  // [1 1 1 2 2 2]
///            repeat(array({{1, 2}, {3, 4}}), 2, 1)  // [[1 1 2 2] [3 3 4 4]]
Array repeat(const Operand& a, int64_t repeats, std::optional<int64_t> axis = std::nullopt);
Array repeat(const Operand& a, int64_t repeats, const RepeatOptions& options);
/// Repeats each element by its own count, or all by one count. Traced counts require `total_repeat_length`, the length
/// of the result. If they sum to less, the last element fills the rest.
template <std::same_as<Array> Repeats>
Array repeat(const Operand& a, const Repeats& repeats, std::optional<int64_t> axis = std::nullopt,
             std::optional<int64_t> total_repeat_length = std::nullopt) {
  return detail::repeat(a, repeats, axis, total_repeat_length);
}
template <std::same_as<Array> Repeats>
Array repeat(const Operand& a, const Repeats& repeats, const RepeatOptions& options) {
  return detail::repeat(a, repeats, options.axis, options.total_repeat_length);
}

/// The number of elements to add {before, after}: for all axes, or for each.
class PadWidth {
 public:
  PadWidth(int width) : pairs_{{width, width}} {}  // implicit: widths convert
  PadWidth(int64_t width) : pairs_{{width, width}} {}
  PadWidth(std::initializer_list<int64_t> pair) : pairs_{std::vector<int64_t>(pair)} {}
  PadWidth(std::initializer_list<std::initializer_list<int64_t>> pairs) : pairs_(pairs.begin(), pairs.end()) {}
  PadWidth(std::vector<std::vector<int64_t>> pairs) : pairs_(std::move(pairs)) {}
  const std::vector<std::vector<int64_t>>& pairs() const { return pairs_; }

 private:
  std::vector<std::vector<int64_t>> pairs_;
};
/// The values at the ends: one value, {before, after}, or such a pair for each axis.
class PadEnds : public std::optional<Array> {
 public:
  using std::optional<Array>::optional;
  PadEnds(std::initializer_list<Array> ends);  // implicit
  PadEnds(std::initializer_list<std::initializer_list<Array>> pairs);
};
struct PadOptions {
  const char* mode = "constant";
  PadEnds constant_values = std::nullopt;  ///< values of mode constant; default 0
  PadEnds end_values = std::nullopt;       ///< values of mode linear_ramp; default 0
  /// number of elements used by the modes maximum, mean, median and minimum; default all
  std::optional<PadWidth> stat_length = std::nullopt;
  const char* reflect_type = "even";  ///< "even" or "odd", for the modes reflect and symmetric
};
/// Pads an array at both ends of its axes.
/// mode       constant, edge, empty (zeros), linear_ramp, maximum, mean, median, minimum, reflect, symmetric or wrap
/// Errors     INVALID_ARGUMENT for an unknown mode, a negative width, or an empty axis in a mode that repeats elements
/// Example    pad(array({1, 2}), {1, 2})  // [0 1 2 0 0]
///            pad(array({1, 2, 3}), 1, "edge")  // [1 1 2 3 3]
Array pad(const Operand& array, const PadWidth& pad_width, const PadOptions& options = {});
/// The options of pad if the mode is passed by position.
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
/// Returns the k-th diagonal of a matrix, or a matrix with vector `v` on its k-th diagonal.
/// Example    diag(array({1, 2}))  // [[1 0] [0 2]]
///            diag(array({{1, 2}, {3, 4}}))  // [1 4]
Array diag(const Operand& v, int64_t k = 0);
/// Returns a matrix with the flattened `v` on its k-th diagonal.
Array diagflat(const Operand& v, int64_t k = 0);
/// Passes the diagonal by name: triu(m, {.k = 1}).
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
/// Returns the diagonals of the matrices in two axes, as the last axis.
/// Example    diagonal(array({{1, 2, 3}, {4, 5, 6}}), 1)  // [2 6]
Array diagonal(const Operand& a, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
struct FillDiagonalOptions {
  bool wrap = false;
  bool inplace = false;  ///< true is rejected: arrays are immutable
};
/// Returns a copy with the main diagonal replaced by `val`.
Array fill_diagonal(const Operand& a, const Operand& val, const FillDiagonalOptions& options = {});
template <std::same_as<bool> Wrap>
Array fill_diagonal(const Operand& a, const Operand& val, Wrap wrap, const FillDiagonalOptions& options = {}) {
  return fill_diagonal(a, val, FillDiagonalOptions{.wrap = wrap, .inplace = options.inplace});
}
/// Returns the lower triangle: elements above the k-th diagonal are set to 0.
/// Example    tril(ones({3, 3}))  // [[1. 0. 0.] [1. 1. 0.] [1. 1. 1.]]
Array tril(const Operand& m, int64_t k = 0);
/// Returns the upper triangle: elements below the k-th diagonal are set to 0.
/// Example    triu(ones({3, 3}), 1)  // [[0. 1. 1.] [0. 0. 1.] [0. 0. 0.]]
Array triu(const Operand& m, int64_t k = 0);
template <int = 0>
Array tril(const Operand& m, const DiagonalNumber& options) {
  return tril(m, options.k);
}
template <int = 0>
Array triu(const Operand& m, const DiagonalNumber& options) {
  return triu(m, options.k);
}
/// Returns the indices of the main diagonal of an array with `ndim` axes of extent n.
std::vector<Array> diag_indices(int64_t n, int64_t ndim = 2, Line line = Line::current());
/// Returns the indices of the main diagonal of `arr`.
std::vector<Array> diag_indices_from(const Operand& arr);
/// Returns the row and column indices of the lower triangle of an n x m matrix.
ArrayTuple<2> tril_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = std::nullopt,
                           Line line = Line::current());
/// Returns the row and column indices of the upper triangle of an n x m matrix.
ArrayTuple<2> triu_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = std::nullopt,
                           Line line = Line::current());
/// Returns the indices where mask_func(ones({n, n}), k) is not zero: mask_indices(3, numpy::triu).
ArrayTuple<2> mask_indices(int64_t n, const std::function<Array(const Array&, int64_t)>& mask_func, int64_t k = 0,
                           Line line = Line::current());
/// Returns the indices of the lower triangle of `arr`.
ArrayTuple<2> tril_indices_from(const Operand& arr, int64_t k = 0);
/// Returns the indices of the upper triangle of `arr`.
ArrayTuple<2> triu_indices_from(const Operand& arr, int64_t k = 0);

}  // namespace hilo::numpy
