// SPDX-License-Identifier: Apache-2.0
// numpy/numpy.h -- the functions of jax.numpy that hilo has, by their names there.
#pragma once

#include <optional>

#include "hilo/numpy/indexing.h"
#include "hilo/numpy/operators.h"

namespace hilo::numpy {

using Shape = std::vector<int64_t>;
/// One axis, several, or (by default) all of them: sum(x), sum(x, 0), sum(x, {0, 1}).
class Axes {
 public:
  Axes(std::nullopt_t = std::nullopt) {}                       // NOLINT: axes convert as in NumPy
  Axes(int64_t axis) : axes_(std::vector<int64_t>{axis}) {}    // NOLINT
  Axes(int axis) : axes_(std::vector<int64_t>{axis}) {}        // NOLINT
  Axes(std::initializer_list<int64_t> axes) : axes_(axes) {}   // NOLINT
  Axes(std::vector<int64_t> axes) : axes_(std::move(axes)) {}  // NOLINT
  explicit operator bool() const { return axes_.has_value(); }
  const std::vector<int64_t>& operator*() const { return *axes_; }

 private:
  std::optional<std::vector<int64_t>> axes_;
};
/// The type of a new array; by default floats are f32, integers s32, with jax_enable_x64 f64 and s64. Without it s64, u64,
/// f64 and c128 become their halves, and who asks for them is warned once.
using Dtype = std::optional<ElementType>;
/// The line of a call that takes no Operand; nobody gives it.
using Line = std::source_location;

// ---- creation -------------------------------------------------------------------------------------------------------
Array zeros(const Shape& shape, Dtype type = std::nullopt, Line line = Line::current());
Array ones(const Shape& shape, Dtype type = std::nullopt, Line line = Line::current());
Array full(const Shape& shape, const Operand& value);
Array full(const Shape& shape, const Operand& value, ElementType type);
Array zeros_like(const Operand& x);
Array ones_like(const Operand& x);
/// 0, 1, ..., n-1; nothing for a negative n. By default integers.
/// Errors    INVALID_ARGUMENT for pred
Array arange(int64_t n, Dtype type = std::nullopt, Line line = Line::current());
/// `count` points from start to stop, both included; integers are those below the points.
/// Errors    INVALID_ARGUMENT for a negative count
Array linspace(double start, double stop, int64_t count, Dtype type = std::nullopt, Line line = Line::current());
Array eye(int64_t n, Dtype type = std::nullopt, Line line = Line::current());
/// A vector or matrix from numbers, floats by default.
Array array(std::initializer_list<double> values, Dtype type = std::nullopt, Line line = Line::current());
Array array(std::initializer_list<std::initializer_list<double>> rows, Dtype type = std::nullopt,
            Line line = Line::current());

// ---- elementwise: broadcasting and promotion as jax.numpy -----------------------------------------------------------
// cos(x), exp(x), ...: the rows of numpy/ufuncs.inc.
#define HILO_UFUNC(name, op) Array name(const Operand& x);
#include "hilo/numpy/ufuncs.inc"
Array abs(const Operand& x);
Array add(const Operand& x, const Operand& y);
Array arctan2(const Operand& y, const Operand& x);
Array ceil(const Operand& x);
Array clip(const Operand& x, const Operand& low, const Operand& high);
Array divide(const Operand& x, const Operand& y);
Array floor(const Operand& x);
Array isnan(const Operand& x);
Array logical_and(const Operand& x, const Operand& y);
Array logical_not(const Operand& x);
Array logical_or(const Operand& x, const Operand& y);
Array maximum(const Operand& x, const Operand& y);
Array minimum(const Operand& x, const Operand& y);
Array multiply(const Operand& x, const Operand& y);
Array negative(const Operand& x);
/// x^y. Integers wrap, and look at the lowest 6 bits of an exponent that is an array. At y = 0 the derivative with respect
/// to x is 0 for integers y, NaN at x = 0 for floats y.
/// Errors    INVALID_ARGUMENT for an integer x and a negative C++ number y
Array power(const Operand& x, const Operand& y);
Array remainder(const Operand& x, const Operand& y);  ///< sign of y, as Python's %; 0 for an integer y = 0
Array round(const Operand& x);                        ///< ties to even
Array sign(const Operand& x);
Array square(const Operand& x);
Array subtract(const Operand& x, const Operand& y);
/// x where condition, else y.
Array where(const Operand& condition, const Operand& x, const Operand& y);

// ---- shape ----------------------------------------------------------------------------------------------------------
/// One extent may be -1: it follows from the others.
/// Errors    INVALID_ARGUMENT if the shapes don't have equally many elements
Array reshape(const Operand& x, const Shape& shape);
Array ravel(const Operand& x);
/// Errors    INVALID_ARGUMENT if `axes` isn't each axis once
Array transpose(const Operand& x, const Axes& axes = std::nullopt);
Array expand_dims(const Operand& x, int64_t axis);
Array squeeze(const Operand& x, const Axes& axes = std::nullopt);
Array broadcast_to(const Operand& x, const Shape& shape);
Array concatenate(const std::vector<Array>& arrays, int64_t axis = 0, Line line = Line::current());
Array stack(const std::vector<Array>& arrays, int64_t axis = 0, Line line = Line::current());
Array flip(const Operand& x, const Axes& axes = std::nullopt);
/// x[start:stop:step] along one axis; negative positions count from the end.
Array slice(const Operand& x, int64_t start, int64_t stop, int64_t step = 1, int64_t axis = 0);
Array astype(const Operand& x, ElementType type);
/// x[i, indices[i]] for every i: one element of each row.
Array take_along_rows(const Operand& x, const Operand& indices);

// ---- reductions -----------------------------------------------------------------------------------------------------
Array sum(const Operand& x, const Axes& axes = std::nullopt, bool keepdims = false);
Array prod(const Operand& x, const Axes& axes = std::nullopt, bool keepdims = false);
Array mean(const Operand& x, const Axes& axes = std::nullopt, bool keepdims = false);
Array var(const Operand& x, const Axes& axes = std::nullopt, bool keepdims = false);
/// Errors    INVALID_ARGUMENT where a result would be the extreme of nothing
Array max(const Operand& x, const Axes& axes = std::nullopt, bool keepdims = false);
Array min(const Operand& x, const Axes& axes = std::nullopt, bool keepdims = false);
Array all(const Operand& x, const Axes& axes = std::nullopt, bool keepdims = false);
Array any(const Operand& x, const Axes& axes = std::nullopt, bool keepdims = false);
/// Running sums and products along `axis`, by default of the flattened array; booleans count in s32 (s64 with x64).
Array cumsum(const Operand& x, std::optional<int64_t> axis = std::nullopt);
Array cumprod(const Operand& x, std::optional<int64_t> axis = std::nullopt);
/// The index of the greatest element along `axis`, s32 (s64 with x64); the first of equals, and NaN counts as greatest.
/// Errors    INVALID_ARGUMENT for an axis of extent 0
Array argmax(const Operand& x, int64_t axis = -1);
Array argmin(const Operand& x, int64_t axis = -1);

// ---- linear algebra and sorting -------------------------------------------------------------------------------------
Array matmul(const Operand& x, const Operand& y);
Array dot(const Operand& x, const Operand& y);
/// Ascending along `axis`; NaN last.
Array sort(const Operand& x, int64_t axis = -1);
Array argsort(const Operand& x, int64_t axis = -1);

}  // namespace hilo::numpy
