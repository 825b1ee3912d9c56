// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/sparse_root.h -- roots of vector functions whose Jacobian has known zeros.
#pragma once

#include "hilo/scipy/optimize/least_squares.h"
#include "hilo/scipy/sparse/direct.h"

namespace hilo::scipy::optimize {

struct SparseRootOptions {
  /// The search ends when no component of the function is larger. Default: the square root of the type's epsilon.
  std::optional<double> tol = std::nullopt;
  int64_t maxiter = 50;  ///< number of Newton steps
  sparse::linalg::Factorization factorization = sparse::linalg::Factorization::kLu;
};
/// The result of sparse_root. A pytree. Derivatives of the counters are 0.
struct SparseRootResults {
  Array x, fun;
  Array nit;      ///< number of Newton steps
  Array success;  ///< whether the tolerance was reached
};
/// Finds a root of `fun` near x0 by Newton's method. Each step computes the Jacobian by colouring, and solves with its
/// sparse factors. Steps that don't decrease the norm of fun(x) are halved.
/// Shapes     x0 [n], fun(x) [n]; the pattern [n, n] contains all nonzero elements of the Jacobian
/// Types      f32, f64
/// Errors     INVALID_ARGUMENT for other shapes, or a pattern that only singular matrices have. If no step helps,
///            success is false
/// Cost       per step one tangent per colour, one factorization, one solution
/// Gradient   with respect to values captured by fun, in both modes, by the implicit function theorem; x0 has none
/// Source     Curtis, Powell and Reid (1974), for the Jacobian; Dennis and Schnabel, "Numerical methods for
///            unconstrained optimization and nonlinear equations" (1983), section 6.5
/// Example    const auto f = [](Array x) { return x * x - numpy::array({4.0f, 9.0f}); };
///            sparse_root(f, numpy::ones({2}), SparsityPattern::banded(2, 2, 0)).x  // [2.000079 3. ]
SparseRootResults sparse_root(const VectorFunction& fun, const Operand& x0, const SparsityPattern& pattern,
                              const SparseRootOptions& options = {},
                              std::source_location location = std::source_location::current());

}  // namespace hilo::scipy::optimize
