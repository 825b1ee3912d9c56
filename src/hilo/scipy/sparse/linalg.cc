// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/linalg.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/custom_solve.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"

namespace hilo::scipy::sparse::linalg {

LinearOperator::LinearOperator(const Array& matrix)
    : apply_([matrix](const Array& x) { return numpy::matmul(matrix, x); }) {}

namespace {

using Vectors = std::vector<Array>;

Array dot(const Array& x, const Array& y) { return numpy::vdot(x, y); }
Array squared_norm(const Array& x) { return numpy::real(numpy::vdot(x, x)); }
/// Returns y / x; 0 where x is 0.
Array ratio(const Array& y, const Array& x) {
  const Array none = x == 0;
  return numpy::where(none, numpy::zeros_like(y), y / numpy::where(none, numpy::ones_like(x), x));
}

/// The common input of all solvers: operator, preconditioner, and the bound of the residual's squared norm.
struct Task {
  std::function<Array(const Array&)> a, m;
  Array b, x0, bound;
  int64_t max_steps;
};
template <typename Options>
Task task_of(const LinearOperator& a, const Array& b, const Options& o) {
  const auto identity = [](const Array& x) { return x; };
  const Array x0 = o.x0 ? numpy::astype(*o.x0, b.dtype()) : numpy::zeros_like(b);
  if (!std::ranges::equal(x0.shape(), b.shape()))
    or_throw(invalid_argument(fmt::format("{}: x0 and b must have matching shape; got {} and {}", at_user_line("cg"),
                                          x0.aval_shape().to_string(), b.aval_shape().to_string())));
  const Array bound = numpy::maximum(o.tol * o.tol * squared_norm(b), o.atol * o.atol);
  const std::function<Array(const Array&)> m = o.M ? std::function<Array(const Array&)>(*o.M) : identity;
  return {a, m, b, x0, bound, o.maxiter.value_or(10 * b.size())};
}

/// Repeats `step` on the state {x, r, ...} while the residual r is above the bound.
template <typename Step>
Array repeated(const Task& t, const Vectors& first, const Step& step) {
  using State = std::pair<Vectors, Array>;
  const auto more = [&](const State& s) { return (squared_norm(s.first[1]) > t.bound) & (s.second < t.max_steps); };
  const auto next = [&](const State& s) { return State(step(s.first), s.second + 1); };
  return lax::while_loop(more, next, State(first, numpy::zeros({}, ElementType::kS32))).first[0];
}

Array solved_by_cg(const Task& t) {
  const Array r = t.b - t.a(t.x0), z = t.m(r);
  return repeated(t, {t.x0, r, z, dot(r, z)}, [&](const Vectors& s) -> Vectors {
    const Array &x = s[0], &r = s[1], &p = s[2], &gamma = s[3];
    const Array ap = t.a(p), alpha = ratio(gamma, dot(p, ap)), next = r - alpha * ap, z = t.m(next);
    const Array product = dot(next, z);
    return {x + alpha * p, next, z + ratio(product, gamma) * p, product};
  });
}

Array solved_by_bicgstab(const Task& t) {
  const Array r = t.b - t.a(t.x0), one = numpy::ones({}, t.b.dtype()), zero = numpy::zeros_like(r);
  return repeated(t, {t.x0, r, zero, zero, one, one, one}, [&](const Vectors& s) -> Vectors {
    const Array &x = s[0], &now = s[1], &p0 = s[2], &q0 = s[3], &alpha0 = s[4], &omega0 = s[5], &rho0 = s[6];
    const Array rho = dot(r, now), beta = ratio(rho, rho0) * ratio(alpha0, omega0);
    const Array p = now + beta * (p0 - omega0 * q0), p_hat = t.m(p), q = t.a(p_hat);
    const Array alpha = ratio(rho, dot(r, q)), half = now - alpha * q, s_hat = t.m(half), w = t.a(s_hat);
    const Array omega = ratio(dot(w, half), dot(w, w));
    return {x + alpha * p_hat + omega * s_hat, half - omega * w, p, q, alpha, omega, rho};
  });
}

/// One cycle: the best x in x + span of `size` Krylov vectors of M A.
Array gmres_cycle(const Task& t, const Array& x, int64_t size) {
  const Array r = t.m(t.b - t.a(x)), norm = numpy::sqrt(squared_norm(r));
  const int64_t n = r.size();
  Vectors basis = {ratio(numpy::ravel(r), norm)}, images;
  for (int64_t k = 0; k < size; ++k) {
    Array v = numpy::ravel(t.m(t.a(numpy::reshape(basis.back(), r.shape()))));
    images.push_back(v);
    for (int pass = 0; pass < 2; ++pass)  // a second pass restores orthogonality
      for (const Array& q : basis) v = v - dot(q, v) * q;
    basis.push_back(ratio(v, numpy::sqrt(squared_norm(v))));
  }
  const Array krylov = numpy::stack(Vectors(basis.begin(), basis.end() - 1), 1);
  const Array y = hilo::linalg::lstsq(numpy::stack(images, 1), numpy::reshape(r, {n})).x;
  return x + numpy::reshape(numpy::matmul(krylov, y), x.shape());
}
Array solved_by_gmres(const Task& t, int64_t restart) {
  const int64_t size = std::min(restart, t.b.size());
  return repeated(t, {t.x0, t.b - t.a(t.x0)}, [&](const Vectors& s) -> Vectors {
    const Array x = gmres_cycle(t, s[0], size);
    return {x, t.b - t.a(x)};
  });
}

template <typename Options, typename Solve>
SolverResult solve(const LinearOperator& a, const Operand& operand, const Options& o, const Solve& by, bool symmetric) {
  const UserLocation here(operand.location());
  const Array b = numpy::promote_inexact(operand.array());
  const auto solver = [&](const auto& matvec, const Array& right) {
    return by(task_of(LinearOperator([&](const Array& x) { return Array(matvec(x)); }), right, o));
  };
  const auto apply = [&](const Array& x) { return numpy::astype(a(x), b.dtype()); };
  if (symmetric) return {lax::custom_linear_solve(apply, b, solver, {.symmetric = true})};
  return {lax::custom_linear_solve(apply, b, solver, solver)};
}

}  // namespace

SolverResult cg(const LinearOperator& A, const Operand& b, const SolverOptions& options) {
  return solve(A, b, options, solved_by_cg, true);
}
SolverResult bicgstab(const LinearOperator& A, const Operand& b, const SolverOptions& options) {
  return solve(A, b, options, solved_by_bicgstab, false);
}
SolverResult gmres(const LinearOperator& A, const Operand& b, const GmresOptions& o) {
  const std::string_view method = o.solve_method;
  const UserLocation here(b.location());
  if (method != "batched" && method != "incremental")
    or_throw(invalid_argument(
        fmt::format("{}: solve_method must be batched or incremental; got '{}'", at_user_line("gmres"), method)));
  if (o.restart < 1)
    or_throw(invalid_argument(fmt::format("{}: restart must be positive; got {}", at_user_line("gmres"), o.restart)));
  SolverResult out = solve(A, b, o, [&](const Task& t) { return solved_by_gmres(t, o.restart); }, false);
  out.info = numpy::where(numpy::any(numpy::isnan(out.x)), -1, 0);
  return out;
}

}  // namespace hilo::scipy::sparse::linalg
