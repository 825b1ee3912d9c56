// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/qdwh.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/decompositions.h"
#include "hilo/lax/linalg.h"
#include "hilo/lax/matrix.h"

namespace hilo::lax::linalg {
namespace {

using namespace hilo::ops;  // algebra over these wrappers
using namespace hilo::lax::matrix;

/// Halley's iteration u (a + b u^H u) (1 + c u^H u)^-1.
struct Weights {
  double a, b, c;
};
constexpr Weights kHalley = {3, 1, 3};
/// For larger `c` the matrix 1 + c u^H u is too close to singular for a Cholesky decomposition.
constexpr double kMaxForCholesky = 100;

/// Returns the best weights for a smallest relative singular value of `least`, and its value after the step.
std::pair<Weights, double> best_weights(double least) {
  const double squared = least * least;
  const double d = std::cbrt(4 * (1 / squared - 1) / squared), root = std::sqrt(1 + d);
  const double a = root + std::sqrt(2 - d + 2 * (2 - squared) / (squared * root));
  const double b = (a - 1) * (a - 1) / 4, c = a + b - 1;
  return {{a, b, c}, least * (a + b * squared) / (1 + c * squared)};
}

/// Returns the weights of the steps that bring a smallest singular value of `eps` to 1.
std::vector<Weights> weights_from(double eps, int64_t max_iterations) {
  std::vector<Weights> all;
  for (double least = eps; least + 5 * eps < 1 && std::ssize(all) < max_iterations;) {
    const auto [weights, next] = best_weights(least);
    all.push_back(weights);
    least = next;
  }
  return all;
}

/// Returns x s for a real scalar s.
Array times(const Array& x, const Array& s) {
  return mul(x, ops::broadcast_in_dim(ops::convert_element_type(s, x.dtype()), x.aval_shape(), {}));
}

/// Returns (a - b / c) (sqrt(c) q1 q2^H), where [q1; q2] r = [sqrt(c) u; 1].
Array step_by_qr(const Array& u, const Weights& w) {
  const int64_t m = rows(u), n = columns(u);
  const Array parts[] = {scaled(u, std::sqrt(w.c)), identity(row_range(u, 0, n).aval_shape())};
  const Array q = qr(ops::concatenate(parts, 0), false).q;
  const Array turned = product(row_range(q, 0, m), adjoint(row_range(q, m, n)));
  return add(scaled(u, w.b / w.c), scaled(turned, (w.a - w.b / w.c) / std::sqrt(w.c)));
}

/// Returns (a - b / c) u (1 + c u^H u)^-1.
Array step_by_cholesky(const Array& u, const Weights& w) {
  const Array gram = product(adjoint(u), u);
  const Array l = cholesky(add(scaled(gram, w.c), identity(gram.aval_shape())), false);
  const TriangularSolveOptions adjoint_of_l = {.lower = true, .transpose_a = true, .conjugate_a = true};
  const Array half = triangular_solve(l, u, adjoint_of_l);
  const Array turned = triangular_solve(l, half, {.lower = true});
  return add(scaled(u, w.b / w.c), scaled(turned, w.a - w.b / w.c));
}

Array sum_of_squares(const Array& x) {
  const Array size = abs(x);
  return ops::reduce_sum(mul(size, size), {0, 1});
}
/// Returns the inverse of an upper bound of the largest singular value, sqrt(|x|_1 |x|_inf); 1 for zero.
Array inverse_of_bound(const Array& x) {
  const Array size = abs(x);
  const Array one_norm = ops::reduce_max(ops::reduce_sum(size, {0}), {0}),
              inf_norm = ops::reduce_max(ops::reduce_sum(size, {1}), {0});
  const Array zero = ops::eq(one_norm, ops::full_like(one_norm, 0)), one = ops::full_like(one_norm, 1);
  const auto safe = [&](const Array& norm) { return rsqrt(select(zero, one, norm)); };
  return mul(safe(one_norm), safe(inf_norm));
}

struct State {
  Array count, u, moving;
};

/// Runs one step by Cholesky decomposition; iteration ends when a step changes little.
State stepped(const State& s, const Weights& w, double tolerance) {
  const Array next = step_by_cholesky(s.u, w);
  const Array change = sqrt(sum_of_squares(sub(next, s.u)));
  return {add(s.count, ops::full_like(s.count, 1)), next, ops::gt(change, ops::full_like(change, tolerance))};
}

State iterated(const Array& x, int64_t max_iterations, double eps) {
  const double tolerance = std::cbrt(5 * eps);
  State s = {ops::scalar(0, default_integer()), times(x, inverse_of_bound(x)), ops::scalar(1, ElementType::kPred)};
  for (const Weights& w : weights_from(eps, max_iterations)) {
    if (w.c > kMaxForCholesky) s = {add(s.count, ops::full_like(s.count, 1)), step_by_qr(s.u, w), s.moving};
    else s = stepped(s, w, tolerance);
  }
  const auto goes_on = [&](const State& now) {
    return bitwise_and(now.moving, ops::lt(now.count, ops::full_like(now.count, static_cast<double>(max_iterations))));
  };
  return while_loop(goes_on, [&](const State& now) { return stepped(now, kHalley, tolerance); }, s);
}

}  // namespace

QdwhResult qdwh(const Operand& operand, const QdwhOptions& options) {
  const UserLocation here(operand.location());
  const Array& x = operand;
  if (options.dynamic_shape)
    or_throw(unimplemented(at_user_line("qdwh") +
                           ": dynamic_shape: a shape is part of a program. Hint: take the matrix out of its array, "
                           "x(range(m), range(n))"));
  if (x.ndim() != 2 || rows(x) < columns(x))
    refuse("qdwh", "wanted a matrix of no more columns than rows; got " + x.aval_shape().to_string());
  const int64_t max_iterations = options.max_iterations.value_or(10);
  const double eps =
      options.eps.value_or(real_type_of(x.dtype()) == ElementType::kF64 ? std::numeric_limits<double>::epsilon()
                                                                        : std::numeric_limits<float>::epsilon());
  if (max_iterations < 1 || !(eps > 0))
    refuse("qdwh", fmt::format("max_iterations and eps must be positive; got {} and {}", max_iterations, eps));
  const State s = iterated(x, max_iterations, eps);
  // One step of the Newton-Schulz iteration removes the remaining error.
  const Array u = sub(scaled(s.u, 1.5), scaled(product(s.u, product(adjoint(s.u), s.u)), 0.5));
  const Array h = product(adjoint(u), x);
  return {u, scaled(add(h, adjoint(h)), 0.5), s.count, bitwise_not(s.moving)};
}

}  // namespace hilo::lax::linalg
