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
  LinearOperator(const Array& matrix);  // both convert
  template <typename F>
    requires(std::is_invocable_r_v<Array, F, const Array&>)
  LinearOperator(F f) : apply_(std::move(f)) {}
  Array operator()(const Array& x) const { return apply_(x); }

 private:
  std::function<Array(const Array&)> apply_;
};

struct SolverOptions {
  std::optional<Array> x0 = std::nullopt;          ///< where to begin; zeros by default
  double tol = 1e-5, atol = 0.0;                   ///< the residual's norm is at most the greater of tol |b| and atol
  std::optional<int64_t> maxiter = std::nullopt;   ///< 10 times the size by default
  std::optional<LinearOperator> M = std::nullopt;  ///< nearly the inverse of A
};
/// The solution; info is nothing, as in JAX, or of gmres 0, -1 where the solution is NaN.
struct SolverResult {
  Array x;
  std::optional<Array> info = std::nullopt;
};
/// The solution of A x = b for a positive definite A. Gradient    by the solution of the adjoint system
/// Source    Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems" (1952)
SolverResult cg(const LinearOperator& A, const Operand& b, const SolverOptions& options = {});
/// The same for any A. Source    van der Vorst, "Bi-CGSTAB" (1992)
SolverResult bicgstab(const LinearOperator& A, const Operand& b, const SolverOptions& options = {});
struct GmresOptions {
  std::optional<Array> x0 = std::nullopt;
  double tol = 1e-5, atol = 0.0;
  int64_t restart = 20;  ///< vectors that are kept
  std::optional<int64_t> maxiter = std::nullopt;
  std::optional<LinearOperator> M = std::nullopt;
  const char* solve_method = "batched";  ///< or incremental; both give the solution of the kept vectors
};
/// Source    Saad and Schultz, "GMRES" (1986)
SolverResult gmres(const LinearOperator& A, const Operand& b, const GmresOptions& options = {});

}  // namespace hilo::scipy::sparse::linalg
