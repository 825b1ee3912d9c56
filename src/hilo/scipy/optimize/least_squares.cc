// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/least_squares.h"

#include <cmath>

#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/custom_solve.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/linalg/solvers.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::optimize {

namespace {

/// x and the counters nfev, njev, status; as floats, so that a root's state is one pytree of floats.
using Counted = std::pair<Array, Array>;

struct Search {
  Array x, fun, jac;
  Array cost, damping, growth;  ///< if a step fails, damping is multiplied by `growth`
  Array scale;                  ///< scale of the components of x: the maximum norms of the Jacobian's columns
  Array nfev, njev, status;
};

Array half_square(const Array& f) { return 0.5 * numpy::sum(numpy::square(f)); }
Array column_norms(const Array& jac) {
  const Array norms = numpy::sqrt(numpy::sum(numpy::square(jac), 0));
  return numpy::where(norms == 0, 1.0, norms);
}
double epsilon_of(ElementType type) { return numpy::finfo(type).eps; }

/// Returns the step h that minimizes |fun + jac h|^2 + damping |scale h|^2, by a QR decomposition.
Array damped_step(const Search& s) {
  const int64_t n = s.x.size();
  const Array below = numpy::diag(numpy::sqrt(s.damping) * s.scale);
  const auto qr = hilo::linalg::qr(numpy::concatenate({s.jac, below}));
  const Array right = numpy::concatenate({-s.fun, numpy::zeros({n}, s.fun.dtype())});
  return scipy::linalg::solve_triangular(qr.r, numpy::matmul(numpy::transpose(qr.q), right));
}

Search next_step(const VectorFunction& fun, const Search& s, const LeastSquaresOptions& o) {
  const ElementType type = s.x.dtype();
  const double least = epsilon_of(type), ftol = std::max(o.ftol, least), xtol = std::max(o.xtol, least);
  const Array h = damped_step(s), x = s.x + h, f = numpy::astype(fun(x), type), cost = half_square(f);
  const Array gradient = numpy::matmul(numpy::transpose(s.jac), s.fun);
  const Array promised = 0.5 * numpy::sum(h * (s.damping * numpy::square(s.scale) * h - gradient));
  const Array gain = (s.cost - cost) / promised, better = (gain > 0) & numpy::isfinite(cost);
  // After an accepted step, damping decreases more, the closer the actual gain is to the predicted one.
  const Array off = 2.0 * gain - 1.0, fall = numpy::maximum(1.0 / 3.0, 1.0 - off * off * off);
  const auto moved = [&](const Array& at, const Array&) { return numpy::astype(jacfwd(fun)(at), type); };
  const auto stayed = [](const Array&, const Array& jac) { return jac; };
  const Array jac = lax::cond(better, moved, stayed, x, s.jac);
  const Array small_fall = better & (s.cost - cost <= ftol * s.cost);
  const Array small_step = numpy::sqrt(numpy::sum(numpy::square(s.scale * h))) <=
                           xtol * (xtol + numpy::sqrt(numpy::sum(numpy::square(s.scale * s.x))));
  Search next = s;
  next.x = numpy::where(better, x, s.x);
  next.fun = numpy::where(better, f, s.fun);
  next.jac = jac;
  next.cost = numpy::where(better, cost, s.cost);
  next.damping = numpy::where(better, s.damping * fall, s.damping * s.growth);
  next.growth = numpy::where(better, numpy::full_like(s.growth, 2), s.growth * 2.0);
  next.scale = numpy::maximum(s.scale, column_norms(jac));
  next.nfev = s.nfev + 1;
  next.njev = s.njev + numpy::astype(better, s.njev.dtype());
  const Array flat = numpy::max(numpy::abs(numpy::matmul(numpy::transpose(jac), next.fun))) <= std::max(o.gtol, least);
  next.status = numpy::astype(numpy::where(flat, 1, numpy::where(small_fall, 2, numpy::where(small_step, 3, 0))),
                              s.status.dtype());
  return next;
}

/// Runs Levenberg-Marquardt steps from x0.
Counted solved(const VectorFunction& fun, const Array& x0, const LeastSquaresOptions& o) {
  const ElementType type = x0.dtype(), counter = ElementType::kF32;
  const Array f = numpy::astype(fun(x0), type), jac = numpy::astype(jacfwd(fun)(x0), type), scale = column_norms(jac);
  const Array one = numpy::ones({}, counter);
  const Array flat =
      numpy::max(numpy::abs(numpy::matmul(numpy::transpose(jac), f))) <= std::max(o.gtol, epsilon_of(type));
  const Search first{x0,
                     f,
                     jac,
                     half_square(f),
                     numpy::full({}, 1e-3, type),
                     numpy::full({}, 2, type),
                     scale,
                     one,
                     one,
                     numpy::astype(flat, counter)};
  const int64_t most = o.max_nfev.value_or(100 * x0.size());
  const Search last = lax::while_loop([&](const Search& s) { return (s.status == 0) & (s.nfev < most); },
                                      [&](const Search& s) { return next_step(fun, s, o); }, first);
  return {last.x, numpy::stack({last.nfev, last.njev, last.status})};
}

/// Finds a root of `gradient_of(x)` by `solve`, and differentiates it by the implicit function theorem.
Counted implicit_root(const VectorFunction& equation, const Array& x0, const std::function<Counted()>& solve) {
  // The counters are a root of 0 = 0, so that their derivative is 0.
  const auto both = [&](const Counted& at) {
    return Counted(numpy::astype(equation(at.first), at.first.dtype()), numpy::zeros_like(at.second));
  };
  const auto tangent = [](const auto& g, const Counted& y) {
    const auto column = [&](const Array& unit) { return Counted(g(Counted(unit, numpy::zeros_like(y.second)))).first; };
    const Array slopes = numpy::transpose(vmap(column)(numpy::eye(y.first.size(), y.first.dtype())));
    return Counted(hilo::linalg::solve(slopes, y.first), numpy::zeros_like(y.second));
  };
  return lax::custom_root(
      both, Counted(x0, numpy::zeros({3}, ElementType::kF32)), [&](const auto&, const Counted&) { return solve(); },
      tangent);
}

Array checked(const char* what, const Operand& x0, const std::string& method) {
  if (method != "lm") refuse(what, "method must be lm; got '" + method + "'");
  const Array x = numpy::promote_inexact(x0.array());
  if (x.ndim() != 1 || x.size() == 0 || !is_floating(x.dtype()))
    refuse(what, "x0 must be a vector of real numbers; got " + x0.array().aval_shape().to_string());
  return x;
}
Array count_at(const Array& counts, int64_t i) { return numpy::astype(counts[i], default_integer()); }

}  // namespace

LeastSquaresResults least_squares(const VectorFunction& fun, const Operand& operand, const LeastSquaresOptions& o) {
  constexpr const char* kName = "least_squares";
  const UserLocation here(operand.location());
  const Array x0 = checked(kName, operand, o.method);
  const Shape residuals = eval_shape(fun, x0).aval_shape();
  if (residuals.rank() != 1 || residuals.dimensions()[0] < x0.size() || !is_floating(residuals.element_type()))
    refuse(kName,
           "fun must return a vector of real numbers, of at least the length of x0; got " + residuals.to_string());
  const auto gradient = grad([&](const Array& x) { return half_square(fun(x)); });
  const auto [x, counts] = implicit_root([&](const Array& at) { return gradient(at); }, x0,
                                         [&] { return solved(fun, stop_gradient(x0), o); });
  const Array f = fun(x), jac = jacfwd(fun)(x), g = numpy::matmul(numpy::transpose(jac), f);
  const Array status = count_at(counts, 2);
  return {x,      half_square(f), f, jac, g, numpy::max(numpy::abs(g)), count_at(counts, 0), count_at(counts, 1),
          status, status > 0};
}

CurveFitResult curve_fit(const std::function<Array(const Array& xdata, const Array& p)>& f, const Operand& xdata,
                         const Operand& ydata, const Operand& p0, const CurveFitOptions& o) {
  const UserLocation here(xdata.location());
  const auto residuals = [&](const Array& p) {
    const Array difference = numpy::ravel(f(xdata, p) - ydata);
    return o.sigma ? difference / numpy::ravel(*o.sigma) : difference;
  };
  const LeastSquaresResults found = least_squares(residuals, p0, o.solver);
  const int64_t freedom = found.fun.size() - found.x.size();
  const Array covariance = hilo::linalg::inv(numpy::matmul(numpy::transpose(found.jac), found.jac));
  if (o.sigma && o.absolute_sigma) return {found.x, covariance};
  if (freedom == 0) return {found.x, numpy::full_like(covariance, numpy::inf)};
  return {found.x, covariance * (2.0 * found.cost / static_cast<double>(freedom))};
}

RootResults root(const VectorFunction& fun, const Operand& operand, const RootOptions& o) {
  constexpr const char* kName = "root";
  const UserLocation here(operand.location());
  const Array x0 = checked(kName, operand, o.method);
  const Shape values = eval_shape(fun, x0).aval_shape();
  if (values.rank() != 1 || values.dimensions()[0] != x0.size() || !is_floating(values.element_type()))
    refuse(kName, "fun must return a vector of real numbers, of the length of x0; got " + values.to_string());
  // At a root the cost is 0, so that only the step and the gradient can end the search.
  const LeastSquaresOptions solver{.ftol = 0, .xtol = 0, .gtol = 0, .max_nfev = o.maxiter};
  const auto [x, counts] = implicit_root(fun, x0, [&] { return solved(fun, stop_gradient(x0), solver); });
  const Array f = fun(x), status = count_at(counts, 2);
  const double tol = o.tol.value_or(std::sqrt(epsilon_of(x0.dtype())));
  return {x, numpy::max(numpy::abs(f)) <= tol, status, f, count_at(counts, 0), count_at(counts, 1)};
}

}  // namespace hilo::scipy::optimize
