// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/creation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "hilo/array/refuse.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"

namespace hilo::numpy {
namespace {

/// Returns the known value of an argument of arange, in the widest type of its kind.
double known_number(const Operand& x) {
  if (x.array().size() != 1)
    or_throw(invalid_argument(at_user_line("arange") + ": wanted scalars; got " + x.array().aval_shape().to_string()));
  return x.array().item<double>(x.location());
}

/// Returns the number of steps from start to stop.
int64_t steps_between(double start, double stop, double step) {
  const double count = std::ceil((stop - start) / step);
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

Array counted(const hilo::Shape& shape, const Array& start, const Array& step) {
  const Array i = ops::iota(shape, 0);
  return ops::add(spread_to(start, shape.dimensions()), ops::mul(i, spread_to(step, shape.dimensions())));
}

Array in_type(const Array& points, ElementType type) {
  return ops::convert_element_type(is_integer(type) && is_floating(points.dtype()) ? ops::floor(points) : points, type);
}

/// Returns 0, 1/div, 2/div, ..., shaped so that it broadcasts along a new leading axis of an array of this rank.
Array shares(int64_t count, double div, ElementType type, size_t rank) {
  const hilo::Shape line = shape_of(real_type_of(type), {count});
  const Array t = ops::convert_element_type(ops::div(ops::iota(line, 0), ops::full(line, div)), type);
  Shape dims(std::vector<int64_t>(rank + 1, 1));
  dims[0] = count;
  return ops::reshape(t, dims);
}

Array window(int64_t M, Line line, Array (*of)(const Array&, double)) {
  const UserLocation here(line);
  if (M <= 1) return ones({std::max<int64_t>(M, 0)});
  return of(arange(M, default_float()), static_cast<double>(M - 1));
}

Array wave(const Array& n, double last, double k) { return cos(n * (2 * pi * k / last)); }

}  // namespace

hilo::Shape shape_of(ElementType type, const Shape& shape) {
  StatusOr<hilo::Shape> result = hilo::Shape::make_array(type, shape);
  if (!result.ok()) or_throw(result.status().with_context(at_user_line("shape")));
  return *result;
}

Array zeros(const Shape& shape, const DtypeOptions& options, Line line) {
  const UserLocation here(line);
  return ops::full(shape_of(type_or("zeros", options.dtype, default_float()), shape), 0);
}
Array empty(const Shape& shape, const DtypeOptions& options, Line line) { return zeros(shape, options, line); }
Array ones(const Shape& shape, const DtypeOptions& options, Line line) {
  const UserLocation here(line);
  return ops::full(shape_of(type_or("ones", options.dtype, default_float()), shape), 1);
}
Array full(const Shape& shape, const Operand& fill_value, const DtypeOptions& options) {
  const UserLocation here(fill_value.location());
  const Dtype dtype = options.dtype;
  const Array& value = fill_value.array();
  const Array typed = dtype ? ops::convert_element_type(value, requested_type("full", *dtype)) : value;
  shape_of(typed.dtype(), shape);
  return with_weak_type(spread_to(typed, shape), dtype ? false : value.weak_type());
}

namespace {

Array filled_like(std::string_view function, const Operand& a, const Array& value, const LikeOptions& options) {
  const UserLocation here(a.location());
  const ElementType type = type_or(function, options.dtype, a.array().dtype());
  const Shape dims = options.shape ? *options.shape : Shape(a.array().shape());
  return with_weak_type(spread_to(ops::convert_element_type(value, type), dims),
                        !options.dtype && a.array().weak_type());
}

}  // namespace

Array full_like(const Operand& a, const Operand& fill_value, const LikeOptions& options) {
  return filled_like("full_like", a, fill_value, options);
}
Array zeros_like(const Operand& a, const LikeOptions& options) { return filled_like("zeros_like", a, 0, options); }
Array empty_like(const Operand& a, const LikeOptions& options) { return zeros_like(a, options); }
Array ones_like(const Operand& a, const LikeOptions& options) { return filled_like("ones_like", a, 1, options); }
Array copy(const Operand& a) {
  const UserLocation here(a.location());
  return ops::copy(a.array());
}

Array arange(const Operand& stop, Dtype dtype) { return arange(Operand(0, stop.location()), stop, dtype); }
Array arange(const Operand& start, const Operand& stop, Dtype dtype) {
  return arange(start, stop, Operand(1, start.location()), dtype);
}
Array arange(const Operand& start, const Operand& stop, const Operand& step, Dtype dtype) {
  const UserLocation here(start.location());
  const ElementType own = result_type(start, stop, step);
  const ElementType type = type_or("arange", dtype, own == ElementType::kPred ? default_integer() : own);
  if (type == ElementType::kPred)
    or_throw(invalid_argument(at_user_line("arange") + ": wanted a type of numbers; got pred"));
  const double from = known_number(start), by = known_number(step);
  if (by == 0) or_throw(invalid_argument(at_user_line("arange") + ": the step is 0"));
  const int64_t count = steps_between(from, known_number(stop), by);
  if (from == 0 && by == 1) return ops::iota(shape_of(type, {count}), 0);
  const bool whole = is_integer(type) && from == std::floor(from) && by == std::floor(by);
  const ElementType computed = whole || !is_integer(type) ? type : default_float();
  const hilo::Shape line = shape_of(computed, {count});
  // Known values have no derivative, as in JAX.
  return in_type(counted(line, ops::convert_element_type(stop_gradient(start.array()), computed),
                         ops::convert_element_type(stop_gradient(step.array()), computed)),
                 type);
}

PointsAndStep linspace_with_step(const Operand& start, const Operand& stop, const LinspaceOptions& options) {
  const UserLocation here(start.location());
  const int64_t num = options.num;
  if (num < 0)
    or_throw(invalid_argument(at_user_line("linspace") + ": the number of samples must not be negative; got " +
                              std::to_string(num)));
  const auto [a, b] = promote_inexact(start.array(), stop.array());
  const ElementType requested = type_or("linspace", options.dtype, a.dtype());
  const bool integral = is_integer(requested) || requested == ElementType::kPred;
  const ElementType computed = integral ? a.dtype() : promote_types(requested, a.dtype());
  const Array from = expand_dims(ops::convert_element_type(a, computed), 0);
  const Array to = expand_dims(ops::convert_element_type(b, computed), 0);
  const int64_t div = options.endpoint ? num - 1 : num, inner = options.endpoint ? num - 1 : num;
  Array step = ops::full_like(from, std::numeric_limits<double>::quiet_NaN());
  Array points = from;
  if (div > 0) {
    step = ops::div(ops::sub(to, from), ops::full_like(from, static_cast<double>(div)));
    const Array t = shares(inner, static_cast<double>(div), computed, static_cast<size_t>(a.ndim()));
    points = from * (1.0 - t) + to * t;
    if (options.endpoint) points = concatenate({points, to}, 0);
  } else if (num == 0) {
    points = slice(from, 0, 0);
  } else if (!options.endpoint) {
    step = ops::sub(to, from);
  }
  // Without a step, JAX returns a single NaN, whatever the shape of the ends.
  const bool has_step = div > 0 || (num > 0 && !options.endpoint);
  step = has_step ? squeeze(step, 0) : ops::full(hilo::Shape::scalar(computed), nan);
  return {moveaxis(in_type(points, requested), 0, options.axis), ops::convert_element_type(step, computed)};
}
Array linspace(const Operand& start, const Operand& stop, const LinspaceOptions& options) {
  const UserLocation here(start.location());
  return linspace_with_step(start, stop, options).samples;
}

Array logspace(const Operand& start, const Operand& stop, const LogspaceOptions& options) {
  const UserLocation here(start.location());
  const auto [a, b] = promote_inexact(start.array(), stop.array());
  const ElementType requested = type_or("logspace", options.dtype, a.dtype());
  const Array exponents = linspace(a, b, {.num = options.num, .endpoint = options.endpoint, .axis = options.axis});
  return in_type(power(ops::full_like(exponents, options.base), exponents), requested);
}

Array geomspace(const Operand& start, const Operand& stop, const LinspaceOptions& options) {
  const UserLocation here(start.location());
  const int64_t num = options.num;
  const auto [a, b] = promote_inexact(start.array(), stop.array());
  const ElementType requested = type_or("geomspace", options.dtype, a.dtype());
  const Array sign_of = is_complex(a.dtype()) ? a / abs(a) : sign(a);
  const Array logs = linspace(log10(a / sign_of), log10(b / sign_of), num, {.endpoint = options.endpoint});
  const Array ten = ops::full_like(logs, 10);
  Array points = power(ten, logs) * sign_of;
  // The ends are set to the arguments, exact to the last bit.
  if (num > 0) points = at(points, 0).set(a);
  if (options.endpoint && num > 1) points = at(points, -1).set(b);
  return moveaxis(in_type(points, requested), 0, options.axis);
}

Array eye(int64_t N, const EyeOptions& options, Line line) {
  const UserLocation here(line);
  const ElementType requested = type_or("eye", options.dtype, default_float());
  const int64_t M = options.M.value_or(N);
  const hilo::Shape matrix = shape_of(ElementType::kS32, {N, M});
  const int64_t k = std::clamp(options.k, -N, std::max<int64_t>(M, 0));  // diagonals beyond are all 0
  const Array rows = ops::add(ops::iota(matrix, 0), ops::full(matrix, static_cast<double>(k)));
  return ops::convert_element_type(ops::eq(rows, ops::iota(matrix, 1)), requested);
}
Array identity(int64_t n, const DtypeOptions& options, Line line) {
  return eye(n, EyeOptions{.dtype = options.dtype}, line);
}
Array tri(int64_t N, const EyeOptions& options, Line line) {
  const UserLocation here(line);
  const int64_t M = options.M.value_or(N);
  const hilo::Shape matrix = shape_of(ElementType::kS32, {N, M});
  const int64_t k = std::clamp(options.k, -N, std::max<int64_t>(M, 0));  // diagonals beyond change nothing
  const Array rows = ops::add(ops::iota(matrix, 0), ops::full(matrix, static_cast<double>(k)));
  return ops::convert_element_type(ops::ge(rows, ops::iota(matrix, 1)), type_or("tri", options.dtype, default_float()));
}
Array vander(const Operand& x, std::optional<int64_t> N, bool increasing) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (a.ndim() != 1)
    or_throw(invalid_argument(at_user_line("vander") + ": wanted a vector; got " + a.aval_shape().to_string()));
  const int64_t count = N.value_or(a.size());
  if (count < 0) or_throw(invalid_argument(at_user_line("vander") + ": N must be nonnegative"));
  const ElementType type = result_type(a);
  const Array exponents = ops::iota(shape_of(ElementType::kS32, {count}), 0);
  return ops::convert_element_type(power(expand_dims(a, 1), expand_dims(increasing ? exponents : flip(exponents), 0)),
                                   type);
}

Array bartlett(int64_t M, Line line) {
  return window(M, line, [](const Array& n, double last) { return 1.0 - abs(2.0 * n / last - 1.0); });
}
Array blackman(int64_t M, Line line) {
  return window(M, line,
                [](const Array& n, double last) { return 0.42 - 0.5 * wave(n, last, 1) + 0.08 * wave(n, last, 2); });
}
Array hamming(int64_t M, Line line) {
  return window(M, line, [](const Array& n, double last) { return 0.54 - 0.46 * wave(n, last, 1); });
}
Array hanning(int64_t M, Line line) {
  return window(M, line, [](const Array& n, double last) { return 0.5 * (1.0 - wave(n, last, 1)); });
}
Array kaiser(int64_t M, const Operand& beta) {
  const UserLocation here(beta.location());
  if (M <= 1) return ones({std::max<int64_t>(M, 0)});
  const double alpha = 0.5 * static_cast<double>(M - 1);
  const Array n = (arange(M, default_float()) - alpha) / alpha;
  return i0(beta.array() * sqrt(1.0 - square(n))) / i0(beta);
}

std::vector<Array> indices_sparse(const Shape& dimensions, Dtype dtype, Line line) {
  const UserLocation here(line);
  const ElementType type = type_or("indices", dtype, default_integer());
  std::vector<Array> grids;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    Shape thin(std::vector<int64_t>(dimensions.size(), 1));
    thin[d] = dimensions[d];
    grids.push_back(ops::reshape(ops::iota(shape_of(type, {dimensions[d]}), 0), thin));
  }
  return grids;
}
Array indices(const Shape& dimensions, Dtype dtype, Line line) {
  const UserLocation here(line);
  const ElementType type = type_or("indices", dtype, default_integer());
  if (dimensions.empty()) return zeros({0}, type);
  std::vector<Array> grids;
  for (const Array& thin : indices_sparse(dimensions, type)) grids.push_back(broadcast_to(thin, dimensions));
  return stack(grids);
}

std::vector<Array> meshgrid(const std::vector<Array>& xi, const MeshgridOptions& options, Line line) {
  const UserLocation here(line);
  const std::string_view indexing = options.indexing;
  if (indexing != "xy" && indexing != "ij")
    or_throw(invalid_argument(at_user_line("meshgrid") + ": indexing is \"xy\" or \"ij\"; got \"" +
                              std::string(indexing) + "\""));
  std::vector<Array> vectors;
  for (const Array& x : xi) {
    if (x.ndim() > 1)
      or_throw(invalid_argument(at_user_line("meshgrid") + ": wanted vectors; got " + x.aval_shape().to_string()));
    vectors.push_back(ravel(x));
  }
  const bool swap = indexing == "xy" && vectors.size() >= 2;
  if (swap) std::swap(vectors[0], vectors[1]);
  Shape whole;
  for (const Array& v : vectors) whole.push_back(v.size());
  for (size_t d = 0; d < vectors.size(); ++d) {
    Shape thin(std::vector<int64_t>(vectors.size(), 1));
    thin[d] = vectors[d].size();
    vectors[d] = ops::reshape(vectors[d], thin);
    if (!options.sparse) vectors[d] = broadcast_to(vectors[d], whole);
  }
  if (swap) std::swap(vectors[0], vectors[1]);
  return vectors;
}

std::vector<Array> ix_(const std::vector<Array>& args, Line line) {
  const UserLocation here(line);
  std::vector<Array> out;
  for (size_t d = 0; d < args.size(); ++d) {
    if (args[d].ndim() != 1)
      or_throw(invalid_argument(at_user_line("ix_") + ": wanted vectors; got " + args[d].aval_shape().to_string()));
    const Array a = args[d].dtype() == ElementType::kPred ? nonzero(args[d])[0] : args[d];
    Shape thin(std::vector<int64_t>(args.size(), 1));
    thin[d] = a.size();
    out.push_back(ops::reshape(a, thin));
  }
  return out;
}

Array GridRange::numbers(const char* function) const {
  if (is_points_) return linspace(points_.start, points_.stop, points_.num);
  if (!range_.stop) or_throw(invalid_argument(at_user_line(function) + ": a range needs a stop"));
  return arange(range_.start.value_or(0), *range_.stop, range_.step.value_or(1));
}

namespace {

/// Returns the numbers of each range, in one type.
std::vector<Array> lines_of(const char* function, const std::vector<GridRange>& ranges) {
  std::vector<Array> lines;
  for (const GridRange& r : ranges) lines.push_back(r.numbers(function));
  const std::vector<TypeArgument> types(lines.begin(), lines.end());
  if (!lines.empty())
    for (Array& line : lines) line = ops::convert_element_type(line, result_type_of(types));
  return lines;
}

}  // namespace

Array mgrid(const std::vector<GridRange>& ranges, Line line) {
  const UserLocation here(line);
  return stack(meshgrid(lines_of("mgrid", ranges), {.indexing = "ij"}));
}
std::vector<Array> ogrid(const std::vector<GridRange>& ranges, Line line) {
  const UserLocation here(line);
  return meshgrid(lines_of("ogrid", ranges), {.sparse = true, .indexing = "ij"});
}

Array detail::row(const char* function, std::vector<Part> parts, int64_t axis, int64_t rank, int64_t at, Line line) {
  const UserLocation here(line);
  std::vector<Array> arrays;
  for (const Part& part : parts) {
    Array x = part.array() ? *part.array() : part.range().numbers(function);
    if (x.ndim() < rank) {
      const int64_t added = rank - x.ndim(), first = at < 0 ? at + added + 1 : at;
      std::vector<int64_t> shape(rank, 1);
      std::ranges::copy(x.shape(), shape.begin() + std::clamp<int64_t>(first, 0, added));
      x = reshape(x, shape);
    }
    arrays.push_back(x);
  }
  return concatenate(arrays, axis, std::nullopt, line);
}
Array detail::row(std::string_view directive, std::vector<Part> parts, Line line) {
  const UserLocation here(line);
  int64_t numbers[3] = {0, 1, -1};
  const char *at = directive.data(), *end = at + directive.size();
  for (int64_t& number : numbers) {
    while (at != end && *at == ' ') ++at;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc())
      or_throw(invalid_argument(at_user_line("r_") + ": wanted \"axis,rank,place\"; got \"" + std::string(directive) +
                                "\""));
    at = rest;
    if (at == end) break;
    ++at;
  }
  return row("r_", std::move(parts), numbers[0], numbers[1], numbers[2], line);
}

Array frombuffer(std::span<const std::byte> buffer, ElementType dtype, int64_t count, int64_t offset, Line line) {
  const UserLocation here(line);
  const int64_t width = element_size_bytes(dtype), size = std::ssize(buffer);
  if (offset < 0 || offset > size || width == 0)
    or_throw(invalid_argument(at_user_line("frombuffer") + ": offset " + std::to_string(offset) + " is not within " +
                              std::to_string(size) + " bytes"));
  const int64_t bytes = size - offset;
  if (count < 0 && bytes % width != 0)
    or_throw(invalid_argument(at_user_line("frombuffer") + ": buffer size must be a multiple of element size " +
                              std::to_string(width) + "; got " + std::to_string(bytes)));
  const int64_t elements = count < 0 ? bytes / width : count;
  if (elements > bytes / width)
    or_throw(invalid_argument(at_user_line("frombuffer") + ": buffer is smaller than requested size"));
  const auto part = buffer.subspan(static_cast<size_t>(offset), static_cast<size_t>(elements * width));
  const Literal literal = Literal::from_bytes(shape_of(dtype, {elements}), part);
  return ops::convert_element_type(Array::from_literal(literal), canonical_type(dtype));
}

Array fromstring(std::string_view string, const FromstringOptions& options, Line line) {
  const UserLocation here(line);
  const int64_t count = options.count;
  const std::string_view sep = options.sep;
  std::vector<double> values;
  const char *at = string.data(), *end = at + string.size();
  const auto skip = [&] {
    while (at != end && (std::isspace(static_cast<unsigned char>(*at)) != 0 || sep.find(*at) != std::string_view::npos))
      ++at;
  };
  for (skip(); at != end && (count < 0 || std::ssize(values) < count); skip()) {
    double value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc())
      or_throw(invalid_argument(at_user_line("fromstring") + ": no number at \"" +
                                std::string(at, std::min(end, at + 16)) + "\""));
    values.push_back(value);
    at = rest;
  }
  const Array wide = Array::from_vector(values, {std::ssize(values)});
  return ops::convert_element_type(wide, requested_type("fromstring", options.dtype));
}

ArrayTuple<2> meshgrid(const Array& x1, const Array& x2, const MeshgridOptions& options) {
  return meshgrid(std::vector<Array>{x1, x2}, options);
}
ArrayTuple<3> meshgrid(const Array& x1, const Array& x2, const Array& x3, const MeshgridOptions& options) {
  return meshgrid(std::vector<Array>{x1, x2, x3}, options);
}

Array frombuffer(std::string_view buffer, ElementType dtype, int64_t count, int64_t offset, Line line) {
  return frombuffer(std::as_bytes(std::span(buffer)), dtype, count, offset, line);
}

}  // namespace hilo::numpy
