// SPDX-License-Identifier: Apache-2.0
// scipy/sparse/linalg.h -- jax.scipy.sparse.linalg: iterative solvers of linear systems.
#pragma once

#include <functional>
#include <optional>

#include "hilo/array/array.h"

namespace hilo::scipy::sparse::linalg {

/// A matrix, or a linear function.
class LinearOperator {
 public:
  LinearOperator(const Array& matrix);  // implicit: both convert
  template <typename F>
    requires(std::is_invocable_r_v<Array, F, const Array&>)
  LinearOperator(F f) : apply_(std::move(f)) {}
  Array operator()(const Array& x) const { return apply_(x); }

 private:
  std::function<Array(const Array&)> apply_;
};

struct SolverOptions {
  std::optional<Array> x0 = std::nullopt;          ///< initial guess; default zeros
  double tol = 1e-5, atol = 0.0;                   ///< the residual's norm is at most max(tol * |b|, atol)
  std::optional<int64_t> maxiter = std::nullopt;   ///< default 10 times the size
  std::optional<LinearOperator> M = std::nullopt;  ///< preconditioner: an approximation of the inverse of A
};
/// The solution; info is nullopt, as in JAX. For gmres, it is 0, or -1 if the solution is NaN.
struct SolverResult {
  Array x;
  std::optional<Array> info = std::nullopt;
};
/// Solves A x = b for a positive definite A by conjugate gradients.
/// Gradient   by the solution of the adjoint system
/// Source     Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems" (1952)
/// Example    cg(numpy::array({{4.0, 1.0}, {1.0, 3.0}}), numpy::array({5.0, 4.0})).x.round(3)  // [1. 1.]
SolverResult cg(const LinearOperator& A, const Operand& b, const SolverOptions& options = {});
/// Solves A x = b for any A by BiCGSTAB.
/// Source    van der Vorst, "Bi-CGSTAB" (1992)
SolverResult bicgstab(const LinearOperator& A, const Operand& b, const SolverOptions& options = {});
struct GmresOptions {
  std::optional<Array> x0 = std::nullopt;
  double tol = 1e-5, atol = 0.0;
  int64_t restart = 20;  ///< number of stored Krylov vectors
  std::optional<int64_t> maxiter = std::nullopt;
  std::optional<LinearOperator> M = std::nullopt;
  const char* solve_method = "batched";  ///< "batched" or "incremental"; both have the same solution
};
/// Solves A x = b for any A by GMRES with restarts.
/// Source    Saad and Schultz, "GMRES" (1986)
SolverResult gmres(const LinearOperator& A, const Operand& b, const GmresOptions& options = {});

}  // namespace hilo::scipy::sparse::linalg
