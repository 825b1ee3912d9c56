// SPDX-License-Identifier: Apache-2.0
// numpy/creation.h -- new arrays: constants, ranges, grids, buffers.
#pragma once

#include <functional>
#include <iterator>

#include "hilo/array/indexer.h"
#include "hilo/numpy/array_like.h"

namespace hilo::numpy {

// Each declares zeros(shape), zeros(shape, int32) and zeros(shape, {.dtype = int32}). The default type is float.
#define HILO_FILLED(name)                                                                        \
  Array name(const Shape& shape, const DtypeOptions& options = {}, Line line = Line::current()); \
  template <int = 0>                                                                             \
  Array name(const Shape& shape, Dtype dtype, Line line = Line::current()) {                     \
    return name(shape, DtypeOptions{.dtype = dtype}, line);                                      \
  }
/// Returns an array of zeros. The default type is float.
/// Errors     INVALID_ARGUMENT for a negative extent
/// Example    zeros({2, 3})  // [[0. 0. 0.] [0. 0. 0.]]
///            zeros({3}, int32)  // [0 0 0]
HILO_FILLED(zeros)
/// Returns an array of ones. The default type is float.
/// Example    ones({2, 2})  // [[1. 1.] [1. 1.]]
HILO_FILLED(ones)
HILO_FILLED(empty)  ///< Same as zeros: memory is always initialized.
#undef HILO_FILLED
/// Returns an array filled with a value, which may be an array that broadcasts. The default type is that of the value.
/// Example    full({2, 2}, 7)  // [[7 7] [7 7]]
Array full(const Shape& shape, const Operand& fill_value, const DtypeOptions& options = {});
template <int = 0>
Array full(const Shape& shape, const Operand& fill_value, Dtype dtype) {
  return full(shape, fill_value, DtypeOptions{.dtype = dtype});
}

/// Options of the functions with _like: replace the type and the shape of the argument.
struct LikeOptions {
  Dtype dtype = std::nullopt;
  OptionalShape shape = std::nullopt;
};
#define HILO_LIKE(name)                                          \
  Array name(const Operand& a, const LikeOptions& options = {}); \
  template <int = 0>                                             \
  Array name(const Operand& a, Dtype dtype) {                    \
    return name(a, LikeOptions{.dtype = dtype});                 \
  }
/// Returns zeros with the shape and type of `a`.
/// Example    zeros_like(array({1, 2, 3}))  // [0 0 0]
HILO_LIKE(zeros_like)
/// Returns ones with the shape and type of `a`.
/// Example    ones_like(array({1.5, 2.5}))  // [1. 1.]
HILO_LIKE(ones_like)
/// Same as zeros_like: memory is always initialized.
HILO_LIKE(empty_like)
#undef HILO_LIKE
/// Returns an array with the shape and type of `a`, filled with a value.
/// Example    full_like(array({1, 2}), 9)  // [9 9]
Array full_like(const Operand& a, const Operand& fill_value, const LikeOptions& options = {});
template <int = 0>
Array full_like(const Operand& a, const Operand& fill_value, Dtype dtype) {
  return full_like(a, fill_value, LikeOptions{.dtype = dtype});
}
/// Returns a copy of `a`.
Array copy(const Operand& a);

/// Returns 0, 1, ..., up to and excluding `stop`; an empty array for a negative `stop`.
/// Types      integers from integers, floats from floats
/// Errors     INVALID_ARGUMENT for pred, a step of 0, or an argument without a known value (a tracer)
/// Example    arange(5)  // [0 1 2 3 4]
///            arange(1, 10, 3)  // [1 4 7]
///            arange(0.0, 1.0, 0.25)  // [0. 0.25 0.5 0.75]
Array arange(const Operand& stop, Dtype dtype = std::nullopt);
/// Returns start, start + step, ..., up to and excluding `stop`.
Array arange(const Operand& start, const Operand& stop, Dtype dtype = std::nullopt);
Array arange(const Operand& start, const Operand& stop, const Operand& step, Dtype dtype = std::nullopt);
template <int = 0>
Array arange(const Operand& stop, const DtypeOptions& options) {
  return arange(stop, options.dtype);
}
template <int = 0>
Array arange(const Operand& start, const Operand& stop, const DtypeOptions& options) {
  return arange(start, stop, options.dtype);
}
template <int = 0>
Array arange(const Operand& start, const Operand& stop, const Operand& step, const DtypeOptions& options) {
  return arange(start, stop, step, options.dtype);
}

struct LinspaceOptions {
  int64_t num = 50;  ///< number of points, if not passed by position
  bool endpoint = true;
  Dtype dtype = std::nullopt;
  int64_t axis = 0;
};
/// Returns `num` evenly spaced points from start to stop, both included. start and stop broadcast; the points are along
/// `axis`.
/// Types      float by default; for an integer type the points are rounded down
/// Errors     INVALID_ARGUMENT for a negative `num`
/// Example    linspace(0, 1, 5)  // [0. 0.25 0.5 0.75 1. ]
///            linspace(0, 1, 4, {.endpoint = false})  // [0. 0.25 0.5 0.75]
Array linspace(const Operand& start, const Operand& stop, const LinspaceOptions& options = {});
template <int = 0>
Array linspace(const Operand& start, const Operand& stop, int64_t num, LinspaceOptions options = {}) {
  options.num = num;
  return linspace(start, stop, options);
}
template <int = 0>
Array linspace(const Operand& start, const Operand& stop, int64_t num, Dtype dtype) {
  return linspace(start, stop, num, LinspaceOptions{.dtype = dtype});
}
struct PointsAndStep {
  Array samples, step;
};
/// Returns linspace(start, stop) and the distance between two points; NaN for a single point. JAX's retstep=True.
PointsAndStep linspace_with_step(const Operand& start, const Operand& stop, const LinspaceOptions& options = {});
template <int = 0>
PointsAndStep linspace_with_step(const Operand& start, const Operand& stop, int64_t num, LinspaceOptions options = {}) {
  options.num = num;
  return linspace_with_step(start, stop, options);
}
struct LogspaceOptions {
  int64_t num = 50;
  bool endpoint = true;
  double base = 10.0;
  Dtype dtype = std::nullopt;
  int64_t axis = 0;
};
/// Returns `num` points evenly spaced on a log scale: base to the power of linspace(start, stop).
/// Example    logspace(0, 2, 3)  // [ 1. 10. 100.]
Array logspace(const Operand& start, const Operand& stop, const LogspaceOptions& options = {});
template <int = 0>
Array logspace(const Operand& start, const Operand& stop, int64_t num, LogspaceOptions options = {}) {
  options.num = num;
  return logspace(start, stop, options);
}
/// Returns `num` points from start to stop in geometric progression.
/// Example    geomspace(1, 1000, 4)  // [ 1. 10. 100. 1000.]
Array geomspace(const Operand& start, const Operand& stop, const LinspaceOptions& options = {});
template <int = 0>
Array geomspace(const Operand& start, const Operand& stop, int64_t num, LinspaceOptions options = {}) {
  options.num = num;
  return geomspace(start, stop, options);
}

struct EyeOptions {
  std::optional<int64_t> M = std::nullopt;
  int64_t k = 0;
  Dtype dtype = std::nullopt;
};
/// Returns a matrix of N rows and M columns (default N) with ones on the k-th diagonal and zeros elsewhere.
/// Example    eye(2)  // [[1. 0.] [0. 1.]]
///            eye(2, 3, 1)  // [[0. 1. 0.] [0. 0. 1.]]
Array eye(int64_t N, const EyeOptions& options = {}, Line line = Line::current());
template <int = 0>
Array eye(int64_t N, Dtype dtype, Line line = Line::current()) {
  return eye(N, EyeOptions{.dtype = dtype}, line);
}
template <int = 0>
Array eye(int64_t N, std::optional<int64_t> M, int64_t k = 0, Dtype dtype = std::nullopt, Line line = Line::current()) {
  return eye(N, EyeOptions{.M = M, .k = k, .dtype = dtype}, line);
}
/// Returns the identity matrix.
/// Example    identity(2)  // [[1. 0.] [0. 1.]]
Array identity(int64_t n, const DtypeOptions& options = {}, Line line = Line::current());
template <int = 0>
Array identity(int64_t n, Dtype dtype, Line line = Line::current()) {
  return identity(n, DtypeOptions{.dtype = dtype}, line);
}
/// Returns a matrix with ones at and below the k-th diagonal and zeros above.
/// Example    tri(3)  // [[1. 0. 0.] [1. 1. 0.] [1. 1. 1.]]
Array tri(int64_t N, const EyeOptions& options = {}, Line line = Line::current());
template <int = 0>
Array tri(int64_t N, std::optional<int64_t> M, int64_t k = 0, Dtype dtype = std::nullopt, Line line = Line::current()) {
  return tri(N, EyeOptions{.M = M, .k = k, .dtype = dtype}, line);
}
/// Returns the Vandermonde matrix: row i has the powers N-1, ..., 0 of x[i], or 0, ..., N-1 if `increasing`.
/// Example    vander(array({1, 2, 3}))  // [[1 1 1] [4 2 1] [9 3 1]]
Array vander(const Operand& x, std::optional<int64_t> N = std::nullopt, bool increasing = false);

/// Returns a window of M points with values in [0, 1].
Array bartlett(int64_t M, Line line = Line::current());
Array blackman(int64_t M, Line line = Line::current());
Array hamming(int64_t M, Line line = Line::current());
Array hanning(int64_t M, Line line = Line::current());
Array kaiser(int64_t M, const Operand& beta);

/// Calls `f` once with the coordinates of all elements of the shape, an array for each axis, and returns its result.
/// Example    fromfunction([](const Array& i, const Array& j) { return i + j; }, {2, 3}, int32)  // [[0 1 2] [1 2 3]]
template <typename F>
auto fromfunction(const F& f, const Shape& shape, Dtype dtype = std::nullopt);
template <typename F>
auto fromfunction(const F& f, const Shape& shape, const DtypeOptions& options) {
  return numpy::fromfunction(f, shape, options.dtype);
}

/// Returns the coordinates of all elements along each axis.
/// Shapes     [rank, dimensions...]
/// Example    indices({2, 2})  // [[[0 0] [1 1]] [[0 1] [0 1]]]
Array indices(const Shape& dimensions, Dtype dtype = std::nullopt, Line line = Line::current());
/// Returns indices(dimensions) as one array for each axis, with extent 1 along the other axes.
std::vector<Array> indices_sparse(const Shape& dimensions, Dtype dtype = std::nullopt, Line line = Line::current());
struct MeshgridOptions {
  bool copy = true;
  bool sparse = false;
  const char* indexing = "xy";
};
/// A range of evenly spaced points, as Python's start:stop:5j: range(start, stop, 5i) has 5 points from start to stop.
struct Points {
  double start, stop;
  int64_t num;
};
/// A range along one axis of a grid: start:stop:step, or a number of points.
class GridRange {
 public:
  GridRange(const Range& range) : is_points_(false), range_(range), points_() {}  // implicit: both convert
  GridRange(const Points& points) : is_points_(true), points_(points) {}
  /// Returns the numbers of the range.
  /// Errors    INVALID_ARGUMENT for a range without a stop
  Array numbers(const char* function) const;

 private:
  bool is_points_;
  Range range_;
  Points points_;
};
/// Returns coordinate grids from coordinate vectors. With "xy" the first two axes are swapped (shape [len(x1), len(x0),
/// ...]); "ij" keeps the order.
/// Example    meshgrid({array({1, 2, 3}), array({4, 5})})[0]  // [[1 2 3] [1 2 3]]
std::vector<Array> meshgrid(const std::vector<Array>& xi, const MeshgridOptions& options = {},
                            Line line = Line::current());
template <std::convertible_to<Array>... More>
ArrayTuple<1 + sizeof...(More)> meshgrid(const Array& first, const More&... more) {
  return meshgrid(std::vector<Array>{first, Array(more)...});
}
ArrayTuple<2> meshgrid(const Array& x1, const Array& x2, const MeshgridOptions& options);
ArrayTuple<3> meshgrid(const Array& x1, const Array& x2, const Array& x3, const MeshgridOptions& options);
/// Reshapes vectors so that they index an outer product: the i-th result varies along axis i. A mask is replaced by the
/// positions where it is true.
/// Example    ix_({array({0, 2}), array({1, 3})})[0].shape()  // (2, 1)
std::vector<Array> ix_(const std::vector<Array>& args, Line line = Line::current());
template <typename... Arrays>
  requires(std::convertible_to<Arrays, Array> && ...)
std::vector<Array> ix_(const Arrays&... args) {
  return ix_(std::vector<Array>{Array(args)...});
}
/// Returns dense coordinate grids: mgrid({range(0, 2), range(0, 3)}) is NumPy's mgrid[0:2, 0:3]. ogrid returns the same
/// grids with extent 1 along other axes. A range with an imaginary step has that number of points, its end included.
/// Example    mgrid({range(0, 2), range(0, 3)}).shape()  // (2, 2, 3)
Array mgrid(const std::vector<GridRange>& ranges, Line line = Line::current());
std::vector<Array> ogrid(const std::vector<GridRange>& ranges, Line line = Line::current());
template <std::convertible_to<GridRange>... More>
Array mgrid(const GridRange& first, const More&... more) {
  return mgrid(std::vector<GridRange>{first, GridRange(more)...});
}
template <std::convertible_to<GridRange>... More>
ArrayTuple<1 + sizeof...(More)> ogrid(const GridRange& first, const More&... more) {
  return ogrid(std::vector<GridRange>{first, GridRange(more)...});
}

/// Interprets bytes as elements, from byte `offset` on: `count` elements, or all if -1.
/// Errors    INVALID_ARGUMENT if the number of bytes is not a multiple of the element size, or too small
Array frombuffer(std::span<const std::byte> buffer, ElementType dtype = ElementType::kF32, int64_t count = -1,
                 int64_t offset = 0, Line line = Line::current());
Array frombuffer(std::string_view buffer, ElementType dtype = ElementType::kF32, int64_t count = -1, int64_t offset = 0,
                 Line line = Line::current());
struct FromstringOptions {
  ElementType dtype = ElementType::kF32;
  int64_t count = -1;  ///< maximum number of elements; -1 for all
  const char* sep = " ";
};
/// Parses the numbers in a text, separated by `sep`.
/// Example    fromstring("1 2 3")  // [1. 2. 3.]
Array fromstring(std::string_view string, const FromstringOptions& options = {}, Line line = Line::current());
template <int = 0>
Array fromstring(std::string_view string, ElementType dtype, int64_t count = -1, const char* sep = " ",
                 Line line = Line::current()) {
  return fromstring(string, FromstringOptions{.dtype = dtype, .count = count, .sep = sep}, line);
}

// ---- index expressions ----------------------------------------------------------------------------------------------
/// One argument of r_ and c_: an array, a number or a range.
class Part {
 public:
  template <std::convertible_to<Array> T>
  Part(const T& array) : array_(array), range_(Range()) {}  // implicit: arrays, numbers and ranges convert
  Part(const Range& range) : range_(range) {}
  Part(const Points& points) : range_(points) {}
  const std::optional<Array>& array() const { return array_; }
  const GridRange& range() const { return range_; }  ///< for a part that is not an array

 private:
  std::optional<Array> array_;
  GridRange range_;
};
namespace detail {
/// Joins the parts along an axis. Each has at least `rank` axes; its own axes begin at `at` (-1: they are the last).
Array row(const char* function, std::vector<Part> parts, int64_t axis, int64_t rank, int64_t at, Line line);
Array row(std::string_view directive, std::vector<Part> parts, Line line);
}  // namespace detail
/// Joins arrays, numbers and ranges along the first axis. A text in front, "axis,rank,place", specifies the axis, the
/// minimum rank of the parts, and the position of their own axes.
/// Example    r_(array({1, 2}), 0, range(3, 6))  // [1 2 0 3 4 5]
template <typename... Parts>
  requires(std::convertible_to<Parts, Part> && ...)
Array r_(const Parts&... parts) {
  return detail::row("r_", {Part(parts)...}, 0, 1, -1, Line::current());
}
template <typename... Parts>
  requires(std::convertible_to<Parts, Part> && ...)
Array r_(const char* directive, const Parts&... parts) {
  return detail::row(directive, {Part(parts)...}, Line::current());
}
/// Joins vectors as the columns of a matrix; joins other arrays along the last axis.
/// Example    c_(array({1, 2}), array({3, 4}))  // [[1 3] [2 4]]
template <typename... Parts>
  requires(std::convertible_to<Parts, Part> && ...)
Array c_(const Parts&... parts) {
  return detail::row("c_", {Part(parts)...}, -1, 2, 0, Line::current());
}
/// Returns an index as a value: s_(range(2, 5)), index_exp(0, range(2, 5)). s_ of one index returns that index.
template <std::convertible_to<Indexer> Index>
Indexer s_(const Index& index) {
  return index;
}
template <std::convertible_to<Indexer>... Indices>
  requires(sizeof...(Indices) > 1)
std::vector<Indexer> s_(const Indices&... indices) {
  return {Indexer(indices)...};
}
template <std::convertible_to<Indexer>... Indices>
std::vector<Indexer> index_exp(const Indices&... indices) {
  return {Indexer(indices)...};
}

template <typename F>
auto fromfunction(const F& f, const Shape& shape, Dtype dtype) {
  const Array grid = indices(shape, dtype ? *dtype : default_float());
  if constexpr (std::invocable<F, Array>) return f(grid[0]);
  else if constexpr (std::invocable<F, Array, Array>) return f(grid[0], grid[1]);
  else if constexpr (std::invocable<F, Array, Array, Array>) return f(grid[0], grid[1], grid[2]);
  else return f(grid[0], grid[1], grid[2], grid[3]);
}

/// Returns the elements of a C++ range as a vector: `count` of them, or all.
/// Errors    INVALID_ARGUMENT if the range has fewer elements
/// Example   fromiter(std::vector<int>{3, 1, 2}, int32)  // [3 1 2]
template <typename Range, typename Element = std::remove_cvref_t<decltype(*std::begin(std::declval<Range&>()))>>
  requires Number<Element>
Array fromiter(Range&& iterable, Dtype dtype, int64_t count = -1, Line line = Line::current()) {
  std::vector<std::conditional_t<std::same_as<Element, bool>, uint8_t, Element>> elements;
  for (const Element& element : iterable) {
    if (count >= 0 && std::ssize(elements) == count) break;
    elements.push_back(element);
  }
  if (count > std::ssize(elements))
    hilo::or_throw(hilo::invalid_argument("fromiter: the range has " + std::to_string(elements.size()) +
                                          " elements; wanted " + std::to_string(count)));
  return numpy::array(elements, ArrayOptions{.dtype = dtype.value_or(element_type_of<Element>)}, line);
}

}  // namespace hilo::numpy

namespace hilo {

/// Returns a range of points for numpy::mgrid, ogrid and r_: range(0, 1, 5i), with std::complex_literals, has 5 points
/// from 0 to 1.
template <std::same_as<std::complex<double>> Step>
numpy::Points range(double start, double stop, Step step) {
  return {start, stop, static_cast<int64_t>(std::abs(step))};
}

}  // namespace hilo
