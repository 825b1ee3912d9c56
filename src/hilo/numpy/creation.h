// SPDX-License-Identifier: Apache-2.0
// numpy/creation.h -- new arrays.
#pragma once

#include <functional>
#include <iterator>

#include "hilo/array/indexer.h"
#include "hilo/numpy/array_like.h"

namespace hilo::numpy {

// zeros(shape), zeros(shape, int32), zeros(shape, {.dtype = int32}): floats where no type is asked for.
#define HILO_FILLED(name)                                                                        \
  Array name(const Shape& shape, const DtypeOptions& options = {}, Line line = Line::current()); \
  template <int = 0>                                                                             \
  Array name(const Shape& shape, Dtype dtype, Line line = Line::current()) {                     \
    return name(shape, DtypeOptions{.dtype = dtype}, line);                                      \
  }
HILO_FILLED(zeros)
HILO_FILLED(ones)
HILO_FILLED(empty)  ///< zeros, since no memory is without a value
#undef HILO_FILLED
Array full(const Shape& shape, const Operand& fill_value, const DtypeOptions& options = {});
template <int = 0>
Array full(const Shape& shape, const Operand& fill_value, Dtype dtype) {
  return full(shape, fill_value, DtypeOptions{.dtype = dtype});
}

/// What the functions with _like take: a type and a shape instead of those of the array.
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
HILO_LIKE(zeros_like)
HILO_LIKE(ones_like)
HILO_LIKE(empty_like)
#undef HILO_LIKE
Array full_like(const Operand& a, const Operand& fill_value, const LikeOptions& options = {});
template <int = 0>
Array full_like(const Operand& a, const Operand& fill_value, Dtype dtype) {
  return full_like(a, fill_value, LikeOptions{.dtype = dtype});
}
Array copy(const Operand& a);

/// 0, 1, ..., below stop; nothing for a negative stop. Integers from integers.
/// Errors    INVALID_ARGUMENT for pred, a step of 0, or a value that isn't known
Array arange(const Operand& stop, Dtype dtype = std::nullopt);
/// start, start + step, ..., below stop (above it for a negative step).
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
  int64_t num = 50;  ///< where it isn't given by position
  bool endpoint = true;
  Dtype dtype = std::nullopt;
  int64_t axis = 0;
};
/// `num` points from start to stop, both included; integers are those below the points. start and stop broadcast; the
/// points stand along `axis`.
/// Errors    INVALID_ARGUMENT for a negative count
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
/// linspace(..., retstep=True): the points and what is between two of them, NaN where there is one point.
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
/// base to the power of linspace(start, stop).
Array logspace(const Operand& start, const Operand& stop, const LogspaceOptions& options = {});
template <int = 0>
Array logspace(const Operand& start, const Operand& stop, int64_t num, LogspaceOptions options = {}) {
  options.num = num;
  return logspace(start, stop, options);
}
/// From start to stop in equal ratios.
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
/// Ones on the k-th diagonal of N rows and M (by default N) columns.
Array eye(int64_t N, const EyeOptions& options = {}, Line line = Line::current());
template <int = 0>
Array eye(int64_t N, Dtype dtype, Line line = Line::current()) {
  return eye(N, EyeOptions{.dtype = dtype}, line);
}
template <int = 0>
Array eye(int64_t N, std::optional<int64_t> M, int64_t k = 0, Dtype dtype = std::nullopt, Line line = Line::current()) {
  return eye(N, EyeOptions{.M = M, .k = k, .dtype = dtype}, line);
}
Array identity(int64_t n, const DtypeOptions& options = {}, Line line = Line::current());
template <int = 0>
Array identity(int64_t n, Dtype dtype, Line line = Line::current()) {
  return identity(n, DtypeOptions{.dtype = dtype}, line);
}
/// Ones at and below the k-th diagonal.
Array tri(int64_t N, const EyeOptions& options = {}, Line line = Line::current());
template <int = 0>
Array tri(int64_t N, std::optional<int64_t> M, int64_t k = 0, Dtype dtype = std::nullopt, Line line = Line::current()) {
  return tri(N, EyeOptions{.M = M, .k = k, .dtype = dtype}, line);
}
/// The powers N-1, ..., 0 (or 0, ..., N-1) of each element, a row each.
Array vander(const Operand& x, std::optional<int64_t> N = std::nullopt, bool increasing = false);

// Windows of M points, all in [0, 1].
Array bartlett(int64_t M, Line line = Line::current());
Array blackman(int64_t M, Line line = Line::current());
Array hamming(int64_t M, Line line = Line::current());
Array hanning(int64_t M, Line line = Line::current());
Array kaiser(int64_t M, const Operand& beta);

/// f of the positions: f(i, j) for every i, j of the shape, called once with arrays of all of them.
template <typename F>
auto fromfunction(const F& f, const Shape& shape, Dtype dtype = std::nullopt);
template <typename F>
auto fromfunction(const F& f, const Shape& shape, const DtypeOptions& options) {
  return numpy::fromfunction(f, shape, options.dtype);
}

/// The positions of a grid along each axis: [rank, ...].
Array indices(const Shape& dimensions, Dtype dtype = std::nullopt, Line line = Line::current());
/// The same, one array an axis, of extent 1 along the others.
std::vector<Array> indices_sparse(const Shape& dimensions, Dtype dtype = std::nullopt, Line line = Line::current());
struct MeshgridOptions {
  bool copy = true;
  bool sparse = false;
  const char* indexing = "xy";
};
/// Python's start:stop:5j, which range(start, stop, 5i) gives: 5 points from start to stop.
struct Points {
  double start, stop;
  int64_t num;
};
/// A range of a grid.
class GridRange {
 public:
  GridRange(const Range& range) : is_points_(false), range_(range), points_() {}  // both convert
  GridRange(const Points& points) : is_points_(true), points_(points) {}
  /// Its numbers.
  /// Errors    INVALID_ARGUMENT for a range that doesn't say where it stops
  Array numbers(const char* function) const;

 private:
  bool is_points_;
  Range range_;
  Points points_;
};
/// Grids of coordinates from vectors; "xy" puts the second vector first in the shape, "ij" keeps the order.
std::vector<Array> meshgrid(const std::vector<Array>& xi, const MeshgridOptions& options = {},
                            Line line = Line::current());
template <std::convertible_to<Array>... More>
ArrayTuple<1 + sizeof...(More)> meshgrid(const Array& first, const More&... more) {
  return meshgrid(std::vector<Array>{first, Array(more)...});
}
ArrayTuple<2> meshgrid(const Array& x1, const Array& x2, const MeshgridOptions& options);
ArrayTuple<3> meshgrid(const Array& x1, const Array& x2, const Array& x3, const MeshgridOptions& options);
/// Vectors made to index an outer product: x.at of the i-th varies along axis i. A mask stands for where it is true.
std::vector<Array> ix_(const std::vector<Array>& args, Line line = Line::current());
template <typename... Arrays>
  requires(std::convertible_to<Arrays, Array> && ...)
std::vector<Array> ix_(const Arrays&... args) {
  return ix_(std::vector<Array>{Array(args)...});
}
/// mgrid[0:2, 0:3]: mgrid({range(0, 2), range(0, 3)}); ogrid gives the same grids, of extent 1 along other axes. With an
/// imaginary step a range is that many points, its end included.
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

/// The elements that bytes hold, from byte `offset` on: all of them, or `count`.
/// Errors    INVALID_ARGUMENT where the bytes are no whole number of elements, or too few
Array frombuffer(std::span<const std::byte> buffer, ElementType dtype = ElementType::kF32, int64_t count = -1,
                 int64_t offset = 0, Line line = Line::current());
Array frombuffer(std::string_view buffer, ElementType dtype = ElementType::kF32, int64_t count = -1, int64_t offset = 0,
                 Line line = Line::current());
struct FromstringOptions {
  ElementType dtype = ElementType::kF32;
  int64_t count = -1;  ///< how many at most; -1: all
  const char* sep = " ";
};
/// The numbers in a text, with `sep` between them.
Array fromstring(std::string_view string, const FromstringOptions& options = {}, Line line = Line::current());
template <int = 0>
Array fromstring(std::string_view string, ElementType dtype, int64_t count = -1, const char* sep = " ",
                 Line line = Line::current()) {
  return fromstring(string, FromstringOptions{.dtype = dtype, .count = count, .sep = sep}, line);
}

// ---- what stands in brackets ----------------------------------------------------------------------------------------
/// One part of r_ and c_: an array, a number, a range.
class Part {
 public:
  template <std::convertible_to<Array> T>
  Part(const T& array) : array_(array), range_(Range()) {}  // they convert
  Part(const Range& range) : range_(range) {}
  Part(const Points& points) : range_(points) {}
  const std::optional<Array>& array() const { return array_; }
  const GridRange& range() const { return range_; }  ///< of what is no array

 private:
  std::optional<Array> array_;
  GridRange range_;
};
namespace detail {
/// The parts along an axis, each with at least `rank` axes of which its own begin at `at` (-1: they are the last).
Array row(const char* function, std::vector<Part> parts, int64_t axis, int64_t rank, int64_t at, Line line);
Array row(std::string_view directive, std::vector<Part> parts, Line line);
}  // namespace detail
/// Parts joined along the first axis: r_(x, 0, range(1, 5)). A text in front, "axis,rank,place", says another axis, the
/// least rank of the parts, and where their own axes stand in it.
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
/// Vectors as the columns of a matrix; other arrays joined along the last axis.
template <typename... Parts>
  requires(std::convertible_to<Parts, Part> && ...)
Array c_(const Parts&... parts) {
  return detail::row("c_", {Part(parts)...}, -1, 2, 0, Line::current());
}
/// An index as a value: s_(range(2, 5)), index_exp(0, range(2, 5)); s_ of one index is that index.
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

/// The elements of a range of C++, in order; `count` of them, or all.
/// Errors    INVALID_ARGUMENT where there are fewer
/// Example   fromiter(std::views::iota(0, 5), int32)
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

/// range(0, 1, 5i) with std::complex_literals: 5 points from 0 to 1, for numpy::mgrid, ogrid and r_.
template <std::same_as<std::complex<double>> Step>
numpy::Points range(double start, double stop, Step step) {
  return {start, stop, static_cast<int64_t>(std::abs(step))};
}

}  // namespace hilo
