// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/least_squares.h -- nonlinear least squares and roots of functions of a vector, by Levenberg and Marquardt.
#pragma once

#include <functional>
#include <string>

#include "hilo/array/array.h"

namespace hilo::scipy::optimize {

/// A function from a vector to a vector, which can be differentiated.
using VectorFunction = std::function<Array(const Array&)>;

struct LeastSquaresOptions {
  std::string method = "lm";  ///< the only one
  // The search ends where the cost falls by less than ftol of itself, the step is less than xtol of x, or no part of the
  // gradient is above gtol. None counts below the type's epsilon.
  double ftol = 1e-8, xtol = 1e-8, gtol = 1e-8;
  std::optional<int64_t> max_nfev = std::nullopt;  ///< 100 times the size of x by default
};
/// A tree. What counts steps is no function of anything: its derivatives are 0.
struct LeastSquaresResults {
  Array x, cost;         ///< half the sum of squares
  Array fun, jac, grad;  ///< [m], [m, n], [n]
  Array optimality;      ///< the greatest part of the gradient
  Array nfev, njev;      ///< values and Jacobians
  Array status;          ///< 0 max_nfev was reached, 1 gtol, 2 ftol, 3 xtol
  Array success;         ///< status is above 0
};
/// Where fun's sum of squares is least, near x0.
/// Shapes     x0 [n], fun(x) [m], of m >= n
/// Types      real floats
/// Errors     INVALID_ARGUMENT for other shapes, types or methods
/// Gradient   of x and what follows from it with respect to what fun closes over, in both modes, by the implicit function
///            theorem; x0 has none
/// Source     Madsen, Nielsen and Tingleff, "Methods for non-linear least squares problems" (2004), algorithm 3.16; More, "The
///            Levenberg-Marquardt algorithm" (1978), for the scaling
/// Example    least_squares([&](Array p) { return p[0] * numpy::exp(p[1] * t) - y; }, numpy::array({1.0f, 0.0f})).x
LeastSquaresResults least_squares(const VectorFunction& fun, const Operand& x0,
                                  const LeastSquaresOptions& options = {});

struct CurveFitOptions {
  std::optional<Array> sigma = std::nullopt;  ///< the deviations of ydata
  bool absolute_sigma = false;                ///< they are what they say, not only in proportion
  LeastSquaresOptions solver = {};
};
struct CurveFitResult {
  Array popt, pcov;  ///< the parameters, and their covariance
};
/// The parameters p for which f(xdata, p) is nearest to ydata.
/// Gradient   as least_squares, with respect to xdata, ydata and sigma too
CurveFitResult curve_fit(const std::function<Array(const Array& xdata, const Array& p)>& f, const Operand& xdata,
                         const Operand& ydata, const Operand& p0, const CurveFitOptions& options = {});

struct RootOptions {
  std::string method = "lm";  ///< the only one
  std::optional<double> tol =
      std::nullopt;  ///< no part of fun is above it at a root; by default the root of the type's epsilon
  std::optional<int64_t> maxiter = std::nullopt;
};
struct RootResults {
  Array x, success;
  Array status;  ///< as least_squares
  Array fun;     ///< at x
  Array nfev, njev;
};
/// Where fun, from a vector to one of its size, is 0, near x0.
/// Errors     as least_squares
/// Gradient   of x with respect to what fun closes over, in both modes, by the implicit function theorem; x0 has none
/// Example    root([&](Array x) { return x * x * x - a; }, numpy::ones({2})).x
RootResults root(const VectorFunction& fun, const Operand& x0, const RootOptions& options = {});

}  // namespace hilo::scipy::optimize
