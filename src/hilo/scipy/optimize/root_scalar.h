// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/root_scalar.h -- roots of functions of one number.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "hilo/array/array.h"

namespace hilo::scipy::optimize {

/// A function from real scalars to real scalars.
using ScalarFunction = std::function<Array(const Array&)>;

struct RootScalarOptions {
  std::string method = "";  ///< "brentq", "bisect" or "newton"; default "brentq" with a bracket, else "newton"
  std::optional<std::pair<Array, Array>> bracket = std::nullopt;  ///< interval with a sign change of f
  std::optional<Array> x0 = std::nullopt;                         ///< start of newton
  // Tolerance: the root is accurate to xtol + rtol * |x|; rtol is at least 4 times the type's epsilon.
  double xtol = 2e-12, rtol = 0.0;
  std::optional<int64_t> maxiter = std::nullopt;  ///< default 100; for newton 50
};
/// The result of root_scalar. A pytree.
struct RootScalarResults {
  Array root;
  Array iterations, function_calls;
  Array converged;
};
/// Finds a root of f.
/// Types      those of the bracket or x0; integers become floats
/// Errors     INVALID_ARGUMENT for an unknown method, a missing bracket or x0, or one that is not a real scalar. If f
///            has the same sign at both ends of the bracket, the root is NaN and converged is false, because values are
///            not known at compile time
/// Gradient   with respect to values captured by f, in both modes, by the implicit function theorem; bracket and x0
///            have none
/// Source     Brent, "Algorithms for minimization without derivatives" (1973), chapter 4
/// Example    const auto f = [](Array x) { return x * x - 2.0; };
///            root_scalar(f, {.bracket = std::pair(Array(0.0), Array(2.0))}).root  // 1.4142137
RootScalarResults root_scalar(const ScalarFunction& f, const RootScalarOptions& options,
                              std::source_location location = std::source_location::current());

struct BracketOptions {
  double xtol = 2e-12, rtol = 0.0;
  int64_t maxiter = 100;
};
/// Finds a root in [a, b] by Brent's method; returns the root only.
Array brentq(const ScalarFunction& f, const Operand& a, const Operand& b, const BracketOptions& options = {});
/// Finds a root in [a, b] by bisection; returns the root only.
Array bisect(const ScalarFunction& f, const Operand& a, const Operand& b, const BracketOptions& options = {});
struct NewtonOptions {
  double tol = 1.48e-8;  ///< tolerance of the step
  int64_t maxiter = 50;
};
/// Finds a root by Newton's method from x0, with the derivative of f. For an array x0, f must be elementwise; each
/// element is a separate problem.
Array newton(const ScalarFunction& f, const Operand& x0, const NewtonOptions& options = {});

}  // namespace hilo::scipy::optimize
