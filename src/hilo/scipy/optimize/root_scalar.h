// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/root_scalar.h -- roots of functions of one number.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "hilo/array/array.h"

namespace hilo::scipy::optimize {

/// A function from a real scalar to one.
using ScalarFunction = std::function<Array(const Array&)>;

struct RootScalarOptions {
  std::string method = "";  ///< brentq, bisect or newton; by default brentq with a bracket, else newton
  std::optional<std::pair<Array, Array>> bracket = std::nullopt;  ///< between which the sign of f changes
  std::optional<Array> x0 = std::nullopt;                         ///< where newton begins
  // The root is known to xtol + rtol |x|; rtol is never below 4 times the type's epsilon.
  double xtol = 2e-12, rtol = 0.0;
  std::optional<int64_t> maxiter = std::nullopt;  ///< by default 100, of newton 50
};
/// A tree.
struct RootScalarResults {
  Array root;
  Array iterations, function_calls;
  Array converged;
};
/// Where f is 0.
/// Types      of the bracket or x0; integers become floats
/// Errors     INVALID_ARGUMENT for another method, without what it needs, or where that is no real scalar. The same sign at both
///            ends of the bracket gives NaN and converged = false: values aren't known when a program is made
/// Gradient   with respect to what f closes over, in both modes, by the implicit function theorem; bracket and x0 have none
/// Source     Brent, "Algorithms for minimization without derivatives" (1973), chapter 4
/// Example    root_scalar([&](Array x) { return numpy::cos(x) - a * x; }, {.bracket = std::pair(Array(0.0), Array(1.0))}).root
RootScalarResults root_scalar(const ScalarFunction& f, const RootScalarOptions& options,
                              std::source_location location = std::source_location::current());

struct BracketOptions {
  double xtol = 2e-12, rtol = 0.0;
  int64_t maxiter = 100;
};
/// The root alone, in [a, b].
Array brentq(const ScalarFunction& f, const Operand& a, const Operand& b, const BracketOptions& options = {});
Array bisect(const ScalarFunction& f, const Operand& a, const Operand& b, const BracketOptions& options = {});
struct NewtonOptions {
  double tol = 1.48e-8;  ///< of the step
  int64_t maxiter = 50;
};
/// From x0, with the derivative of f. Of an array each number by itself, where f works number by number.
Array newton(const ScalarFunction& f, const Operand& x0, const NewtonOptions& options = {});

}  // namespace hilo::scipy::optimize
