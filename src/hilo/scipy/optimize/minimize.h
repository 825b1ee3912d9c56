// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/minimize.h -- jax.scipy.optimize: the least value of a function of a vector.
#pragma once

#include <map>
#include <string>

#include "hilo/scipy/optimize/line_search.h"

namespace hilo::scipy::optimize {

/// Where a search ended. A tree.
struct OptimizeResults {
  Array x;
  Array success;
  Array status;  ///< 0 where it succeeded, else what stopped it, as the method says
  Array fun, jac;
  std::optional<Array> hess_inv;  ///< the inverse Hessian, as far as BFGS knows it
  Array nfev, njev, nit;          ///< values, gradients, iterations
};
struct MinimizeOptions {
  std::string method = "BFGS";  ///< or l-bfgs-experimental-do-not-rely-on-this
  std::optional<double> tol = std::nullopt;
  /// BFGS: maxiter (200 times the size), norm (infinity), gtol (1e-5), line_search_maxiter (10).
  /// L-BFGS: maxiter (200 times the size), norm, maxcor (10 pairs are kept), ftol (2.2e-9), gtol, maxfun, maxgrad, maxls (20).
  std::map<std::string, double> options = {};
};

namespace detail {
OptimizeResults minimize(const Objective& fun, const Operand& x0, const MinimizeOptions& options);
}  // namespace detail

/// A vector near x0 where fun(x, args...) is least. tol is gtol: the search ends where the gradient's norm is below it.
/// Types      x0: a vector of real floats; fun gives a real scalar
/// Status     BFGS: 1 maxiter was reached, 2 and more the line search failed (its status plus 2). L-BFGS: 1 maxiter, 2 maxfun,
///            3 maxgrad was reached, 4 the value fell by less than ftol, 5 the line search failed
/// Errors     INVALID_ARGUMENT for another method or option, or an x0 that is no vector
/// Gradient   in forward mode, through the steps. For derivatives by what fun closes over: root(grad(fun), x)
/// Source     Nocedal and Wright, "Numerical optimization" (2006), algorithms 6.1 and 7.5
/// Example    minimize([](Array x) { return numpy::sum(numpy::square(x - 1)); }, numpy::zeros({3}), {.method = "BFGS"}).x
template <typename F>
OptimizeResults minimize(const F& fun, const Operand& x0, const MinimizeOptions& options = {}) {
  return detail::minimize([&](const Array& x) { return Array(fun(x)); }, x0, options);
}
template <typename F, typename... Args>
OptimizeResults minimize(const F& fun, const Operand& x0, const std::tuple<Args...>& args,
                         const MinimizeOptions& options = {}) {
  const auto with_args = [&](const Array& x) {
    return std::apply([&](const auto&... arg) { return Array(fun(x, arg...)); }, args);
  };
  return detail::minimize(with_args, x0, options);
}

}  // namespace hilo::scipy::optimize
