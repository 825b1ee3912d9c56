// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/tridiagonal_solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/custom_solve.h"
#include "hilo/lax/matrix.h"
#include "hilo/lax/reductions.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::lax::linalg {
namespace {

using namespace hilo::ops;  // algebra over these wrappers

/// The diagonals of A as users pass them, [..., n].
struct Diagonals {
  Array below, middle, above;
};

/// The row of A that elimination has reached: its pivot, the next element, its right sides, and for scaled pivoting the
/// sum of the original row.
struct Rest {
  Array pivot, beside, sides, size;
};
/// The following row of A, unchanged.
struct Next {
  Array below, pivot, above, sides;
};
/// A finished row of U: its pivot, the two next elements, and its right sides.
struct Row {
  Array pivot, first, second, sides;
};

/// Broadcasts `x` over the right sides of `like`, which has one more axis.
Array over(const Array& x, const Array& like) {
  return ops::broadcast_in_dim(x, matrix::typed(like, x.dtype()), all_dimensions(x.ndim()));
}
/// Returns x - factor y.
Array less(const Array& x, const Array& factor, const Array& y) {
  return sub(x, mul(x.ndim() == factor.ndim() ? factor : over(factor, x), y));
}
Array choose(const Array& which, const Array& x, const Array& y) {
  return select(x.ndim() == which.ndim() ? which : over(which, x), x, y);
}
Array is_zero(const Array& x) { return ops::eq(x, ops::full_like(x, 0)); }
Array nothing_like(const Array& x) { return ops::full_like(x, 0); }

/// Performs one step of elimination. The larger of two pivots leads; if `scaled`, pivots are compared relative to their
/// rows.
std::pair<Rest, Row> eliminate(const Rest& now, const Next& next, bool scaled) {
  const Array below = abs(next.below), pivot = abs(now.pivot);
  const Array size = add(add(below, abs(next.pivot)), abs(next.above));
  const Array swap =
      scaled ? ops::gt(div(below, size), select(is_zero(pivot), pivot, div(pivot, now.size))) : ops::gt(below, pivot);
  const Array ratio = div(select(swap, now.pivot, next.below), select(swap, next.below, now.pivot));
  const Array factor = select(is_zero(below), nothing_like(ratio), ratio);
  const Row row = {select(swap, next.below, now.pivot), select(swap, next.pivot, now.beside),
                   select(swap, next.above, nothing_like(next.above)), choose(swap, next.sides, now.sides)};
  const Array left = less(select(swap, now.beside, next.pivot), factor, select(swap, next.pivot, now.beside));
  const Array beside = select(swap, neg(mul(factor, next.above)), next.above);
  const Array sides = less(choose(swap, now.sides, next.sides), factor, choose(swap, next.sides, now.sides));
  return {{left, beside, sides, select(swap, add(abs(left), abs(beside)), size)}, row};
}

/// A pivot, the right sides of its row, its next increment, and whether it grows further.
struct Growing {
  Array pivot, sides, step, on;
};

/// Returns the smallest float with a finite inverse.
double safe_least(ElementType type) {
  return type == ElementType::kF64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
}

/// Increases a pivot below 1 by `step`, twice that, ... until the quotients of the right sides don't overflow. If pivot
/// and right sides are tiny, both are scaled up.
std::pair<Array, Array> perturbed(const Array& pivot, const Array& sides, const Array& step) {
  const double least = safe_least(step.dtype());
  const auto constant = [&](double value) { return ops::full_like(step, value); };
  const Array most = reduce_max(abs(sides), {sides.ndim() - 1});
  const Array negative = ops::lt(div(constant(1), matrix::real_part(pivot)), constant(0));  // also true for -0
  const Array first = select(ops::lt(step, constant(least)), constant(least), step);
  const auto grow = [&](const Growing& g) {
    const Array size = abs(g.pivot), tiny = ops::lt(size, constant(least));
    const Array too_small = select(tiny, bitwise_or(is_zero(size), ops::gt(mul(most, constant(least)), size)),
                                   ops::gt(most, mul(size, constant(1 / least))));
    const Array moves = bitwise_and(g.on, too_small);
    const Array scales = bitwise_and(g.on, bitwise_and(tiny, bitwise_not(too_small)));
    const Array moved = add(g.pivot, ops::convert_element_type(g.step, g.pivot.dtype()));
    const Array scale = ops::convert_element_type(constant(1 / least), g.pivot.dtype());
    const Array next = select(moves, moved, select(scales, mul(g.pivot, scale), g.pivot));
    return Growing{next, choose(scales, mul(g.sides, over(scale, g.sides)), g.sides), add(g.step, g.step),
                   bitwise_and(moves, ops::lt(abs(next), constant(1)))};
  };
  const auto some_grow = [](const Growing& g) { return lax::reduce_or(g.on, all_dimensions(g.on.ndim())); };
  const Growing end = while_loop(
      some_grow, grow, Growing{pivot, sides, select(negative, neg(first), first), ops::lt(abs(pivot), constant(1))});
  return {end.pivot, end.sides};
}

/// Returns the largest element of U, times epsilon.
Array perturbation(const Row& rows) {
  Array most = abs(rows.pivot);
  for (const Array& x : {rows.first, rows.second}) most = ops::max(most, abs(x));
  const double epsilon = most.dtype() == ElementType::kF64 ? std::numeric_limits<double>::epsilon()
                                                           : std::numeric_limits<float>::epsilon();
  return matrix::scaled(reduce_max(most, {0}), epsilon);
}

Array nan_like(const Array& x) {
  const Array real = ops::full(matrix::typed(x, real_type_of(x.dtype())), std::numeric_limits<double>::quiet_NaN());
  return is_complex(x.dtype()) ? ops::complex(real, real) : real;
}

Array rows_of(const Array& x, int64_t begin, int64_t end) { return slice_along(x, 0, {begin, end, 1}); }
Array row_of(const Array& x, int64_t i) { return ops::reshape(rows_of(x, i, i + 1), x.shape().subspan(1)); }
Array behind(const Array& rows, const Array& last) {
  std::vector<int64_t> shape(last.shape().begin(), last.shape().end());
  shape.insert(shape.begin(), 1);
  const Array both[] = {rows, ops::reshape(last, shape)};
  return ops::concatenate(both, 0);
}

std::vector<int64_t> without_first(std::vector<int64_t> x) { return {x.begin() + 1, x.end()}; }

/// Returns U and the corresponding right sides. The axis of rows is the leading one.
Row eliminated(const Diagonals& a, const Array& b, bool scaled) {
  const int64_t n = b.shape(0);
  const Array last = rows_of(a.above, n - 1, n), ends[] = {rows_of(a.above, 0, n - 1), nothing_like(last)};
  const Array above = ops::concatenate(ends, 0);
  const Array pivot = row_of(a.middle, 0), beside = row_of(above, 0);
  const Rest first = {pivot, beside, row_of(b, 0), add(abs(pivot), abs(beside))};
  const Next others = {rows_of(a.below, 1, n), rows_of(a.middle, 1, n), rows_of(above, 1, n), rows_of(b, 1, n)};
  const auto step = [&](const Rest& now, const Next& next) { return eliminate(now, next, scaled); };
  const auto [end, rows] = scan(step, first, others, ScanOptions{});
  return {behind(rows.pivot, end.pivot), behind(rows.first, end.beside), behind(rows.second, nothing_like(end.beside)),
          behind(rows.sides, end.sides)};
}

/// Returns x of A x = b, with rows along the leading axis.
Array solved(const Diagonals& a, const Array& b, bool perturb) {
  const Row rows = eliminated(a, b, perturb);
  using Pair = std::pair<Array, Array>;
  const std::optional<Array> step = perturb ? std::optional(perturbation(rows)) : std::nullopt;
  const auto substitute = [&](const Pair& after, const Row& row) {
    Array sides = less(less(row.sides, row.first, after.first), row.second, after.second), pivot = row.pivot;
    if (step) std::tie(pivot, sides) = perturbed(pivot, sides, *step);
    const Array x = div(sides, over(pivot, sides));
    return std::pair(Pair(x, after.first), x);
  };
  const Array none = nothing_like(row_of(b, 0));
  const Array x = scan(substitute, Pair(none, none), rows, ScanOptions{.reverse = true}).second;
  if (perturb) return x;
  const Array singular = lax::reduce_or(is_zero(rows.pivot), {0});
  const Array everywhere = ops::broadcast_in_dim(singular, rows.pivot.aval_shape().with_element_type(singular.dtype()),
                                                 without_first(all_dimensions(rows.pivot.ndim())));
  return choose(everywhere, nan_like(x), x);
}

/// Shifts x by one along the axis before the last `inner`: x[i - by] at position i, 0 at the boundary.
Array moved(const Array& x, int64_t by, int64_t inner) {
  std::vector<hlo::PaddingDimension> padding(x.ndim());
  hlo::PaddingDimension& rows = padding[padding.size() - 1 - static_cast<size_t>(inner)];
  rows.low = by;
  rows.high = -by;
  return ops::pad(x, ops::scalar(0, x.dtype()), padding);
}

/// dl[0] and du[n - 1] don't belong to the matrix and are ignored.
Diagonals transposed(const Diagonals& a) { return {moved(a.above, 1, 0), a.middle, moved(a.below, -1, 0)}; }

Array product(const Diagonals& a, const Array& x) {
  const Diagonals t = transposed(a);
  const Array beside = add(moved(mul(over(t.above, x), x), 1, 1), moved(mul(over(t.below, x), x), -1, 1));
  return add(mul(over(a.middle, x), x), beside);
}

void check(const Diagonals& a, const Array& b) {
  const auto like_middle = [&](const Array& x) { return x.aval_shape() == a.middle.aval_shape(); };
  const int64_t rank = a.middle.ndim();
  const bool fits = rank >= 1 && like_middle(a.below) && like_middle(a.above) && b.ndim() == rank + 1 &&
                    b.dtype() == a.middle.dtype() && std::ranges::equal(b.shape().first(rank), a.middle.shape());
  if (fits) return;
  refuse("tridiagonal_solve", fmt::format("wanted dl, d, du of one shape [..., n] and b[..., n, k]; got {}, {}, {}, {}",
                                          a.below.aval_shape().to_string(), a.middle.aval_shape().to_string(),
                                          a.above.aval_shape().to_string(), b.aval_shape().to_string()));
}

}  // namespace

Array tridiagonal_solve(const Operand& dl, const Operand& d, const Operand& du, const Operand& b,
                        const TridiagonalSolveOptions& options) {
  const UserLocation here(d.location());
  const Diagonals a = {dl, d, du};
  check(a, b);
  const int64_t axis = a.middle.ndim() - 1;
  if (a.middle.shape(axis) == 0) return b;
  const auto solve_with = [=](const Diagonals& m) {
    return [=](const auto&, const Array& sides) {
      const auto first = [&](const Array& x) { return move_axis(x, axis, 0); };
      const Diagonals rows = {first(m.below), first(m.middle), first(m.above)};
      return move_axis(solved(rows, first(sides), options.perturb_singular), 0, axis);
    };
  };
  return custom_linear_solve([=](const Array& x) { return product(a, x); }, b.array(), solve_with(a),
                             solve_with(transposed(a)), d.location());
}

}  // namespace hilo::lax::linalg
