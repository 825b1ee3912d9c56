// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/least_squares.h -- nonlinear least squares and roots of vector functions, by the Levenberg-Marquardt
// algorithm.
#pragma once

#include <functional>
#include <string>

#include "hilo/array/array.h"

namespace hilo::scipy::optimize {

/// A differentiable function from vectors to vectors.
using VectorFunction = std::function<Array(const Array&)>;

struct LeastSquaresOptions {
  std::string method = "lm";  ///< only "lm" is implemented
  // Tolerances; values below the type's epsilon count as epsilon. The search ends if the relative decrease of the cost
  // is below ftol, the relative step below xtol, or all components of the gradient below gtol.
  double ftol = 1e-8, xtol = 1e-8, gtol = 1e-8;
  std::optional<int64_t> max_nfev = std::nullopt;  ///< default 100 * x.size()
};
/// The result of least_squares. A pytree. The derivatives of the counters are 0.
struct LeastSquaresResults {
  Array x, cost;         ///< cost: half of the sum of squares
  Array fun, jac, grad;  ///< [m], [m, n], [n]
  Array optimality;      ///< maximum component of the gradient
  Array nfev, njev;      ///< number of evaluations of fun and of its Jacobian
  Array status;          ///< 0: max_nfev was reached; 1, 2, 3: ended by gtol, ftol, xtol
  Array success;         ///< whether status > 0
};
/// Minimizes the sum of squares of fun, near x0.
/// Shapes     x0 [n], fun(x) [m], m >= n
/// Types      real floats
/// Errors     INVALID_ARGUMENT for other shapes, types or methods
/// Gradient   of x and what depends on it, with respect to values captured by fun, in both modes, by the implicit
///            function theorem; x0 has none
/// Source     Madsen, Nielsen and Tingleff, "Methods for non-linear least squares problems" (2004), algorithm 3.16;
///            More, "The Levenberg-Marquardt algorithm" (1978), for the scaling
/// Example    const Array t = numpy::array({0.0, 1.0, 2.0}), y = numpy::array({1.0, 3.0, 5.0});
///            least_squares([&](Array p) { return p[0] + p[1] * t - y; }, numpy::zeros({2})).x.round(3)  // [1. 2.]
LeastSquaresResults least_squares(const VectorFunction& fun, const Operand& x0,
                                  const LeastSquaresOptions& options = {});

struct CurveFitOptions {
  std::optional<Array> sigma = std::nullopt;  ///< standard deviations of ydata
  bool absolute_sigma = false;                ///< whether sigma is absolute; else only its ratios matter
  LeastSquaresOptions solver = {};
};
struct CurveFitResult {
  Array popt, pcov;  ///< the parameters, and their covariance
};
/// Fits parameters p so that f(xdata, p) is close to ydata, by least squares.
/// Gradient   as least_squares, also with respect to xdata, ydata and sigma
CurveFitResult curve_fit(const std::function<Array(const Array& xdata, const Array& p)>& f, const Operand& xdata,
                         const Operand& ydata, const Operand& p0, const CurveFitOptions& options = {});

struct RootOptions {
  std::string method = "lm";  ///< only "lm" is implemented
  std::optional<double> tol =
      std::nullopt;  ///< maximum component of fun at a root; default the square root of the type's epsilon
  std::optional<int64_t> maxiter = std::nullopt;
};
struct RootResults {
  Array x, success;
  Array status;  ///< as in least_squares
  Array fun;     ///< value of fun at x
  Array nfev, njev;
};
/// Finds a root of fun, a function from vectors to vectors of the same size, near x0.
/// Errors     those of least_squares
/// Gradient   of x with respect to values captured by fun, in both modes, by the implicit function theorem; x0 has none
/// Example    const Array a = numpy::array({8.0, 27.0});
///            root([&](Array x) { return x * x * x - a; }, numpy::ones({2})).x.round(3)  // [2. 3.]
RootResults root(const VectorFunction& fun, const Operand& x0, const RootOptions& options = {});

}  // namespace hilo::scipy::optimize
