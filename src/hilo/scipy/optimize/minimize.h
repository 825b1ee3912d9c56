// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/minimize.h -- jax.scipy.optimize: minimization of a function of a vector.
#pragma once

#include <map>
#include <string>

#include "hilo/scipy/optimize/line_search.h"

namespace hilo::scipy::optimize {

/// The result of minimize. A pytree.
struct OptimizeResults {
  Array x;
  Array success;
  Array status;  ///< 0 for success, else a reason that depends on the method
  Array fun, jac;
  std::optional<Array> hess_inv;  ///< approximation of the inverse Hessian (BFGS only)
  Array nfev, njev, nit;          ///< number of values, gradients, iterations
};
struct MinimizeOptions {
  std::string method = "BFGS";  ///< "BFGS" or "l-bfgs-experimental-do-not-rely-on-this"
  std::optional<double> tol = std::nullopt;
  /// BFGS: maxiter (200 times the size), norm (infinity), gtol (1e-5), line_search_maxiter (10). L-BFGS: maxiter (200
  /// times the size), norm, maxcor (10, the number of stored pairs), ftol (2.2e-9), gtol, maxfun, maxgrad, maxls (20).
  std::map<std::string, double> options = {};
};

namespace detail {
OptimizeResults minimize(const Objective& fun, const Operand& x0, const MinimizeOptions& options);
}  // namespace detail

/// Minimizes fun(x, args...), near x0. `tol` is gtol: the search ends if the norm of the gradient is below it.
/// Types      x0: a vector of real floats; fun returns a real scalar
/// Status     BFGS: 1: maxiter reached; 2 and more: line search failed (its status plus 2). L-BFGS: 1, 2, 3: maxiter,
///            maxfun, maxgrad reached; 4: the value decreased by less than ftol; 5: line search failed
/// Errors     INVALID_ARGUMENT for an unknown method or option, or an x0 that is not a vector
/// Gradient   forward mode, through the steps. For derivatives by captured values, use root(grad(fun), x)
/// Source     Nocedal and Wright, "Numerical optimization" (2006), algorithms 6.1 and 7.5
/// Example    const auto f = [](Array x) { return numpy::sum(numpy::square(x - 1)); };
///            minimize(f, numpy::zeros({2}), {.method = "BFGS"}).x.round(3)  // [1. 1.]
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
