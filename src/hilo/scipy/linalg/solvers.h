// SPDX-License-Identifier: Apache-2.0
// scipy/linalg/solvers.h -- decompositions and solvers, as jax.scipy.linalg has them. qr.h and functions.h have the rest.
#pragma once

#include "hilo/linalg/linalg.h"

namespace hilo::scipy::linalg {

using hilo::linalg::det;
using hilo::linalg::inv;

struct TriangleOptions {
  bool lower = false;
};
/// The upper factor of `a`, or the lower one.
Array cholesky(const Operand& a, const TriangleOptions& options = {});
struct ChoFactor {
  Array c;
  bool lower = false;
};
ChoFactor cho_factor(const Operand& a, const TriangleOptions& options = {});
template <std::same_as<bool> Lower>
ChoFactor cho_factor(const Operand& a, Lower lower) {
  return cho_factor(a, TriangleOptions{.lower = lower});
}
/// x of a x = b by a's factor. Shapes    b[n], b[..., n, k]; axes in front broadcast
Array cho_solve(const ChoFactor& c_and_lower, const Operand& b);

struct LuResult {
  Array p, l, u;  ///< a = p l u
};
struct LuOptions {
  bool permute_l = false;  ///< true is lu_with_permuted_l
};
/// Errors    INVALID_ARGUMENT with permute_l
LuResult lu(const Operand& a, const LuOptions& options = {});
struct PermutedLuResult {
  Array pl, u;  ///< a = pl u
};
PermutedLuResult lu_with_permuted_l(const Operand& a);
struct LuFactor {
  Array lu, piv;  ///< row i was exchanged with row piv[i], in order
};
LuFactor lu_factor(const Operand& a);
/// How a matrix is turned first: 0 or "N" not, 1 or "T" transposed, 2 or "C" its adjoint.
class Trans {
 public:
  Trans(int kind);  // numbers and letters convert
  Trans(const char* name);
  bool transposed() const { return kind_ > 0; }
  bool conjugated() const { return kind_ == 2; }

 private:
  int kind_;
};
struct TransOptions {
  Trans trans = 0;
};
/// x of a x = b by a's factors.
Array lu_solve(const LuFactor& lu_and_piv, const Operand& b, const TransOptions& options = {});

struct SolveOptions {
  bool lower = false;
  const char* assume_a = "gen";  ///< or sym, her, pos: by Cholesky's decomposition
};
/// x of a x = b. Shapes    b[n], b[..., n, k]; axes in front broadcast
Array solve(const Operand& a, const Operand& b, const SolveOptions& options = {});
struct SolveTriangularOptions {
  Trans trans = 0;
  bool lower = false, unit_diagonal = false;
};
/// x of a x = b for a triangular `a`: what lies on its other side isn't read.
Array solve_triangular(const Operand& a, const Operand& b, const SolveTriangularOptions& options = {});

struct SvdOptions {
  bool full_matrices = true;
  bool compute_uv = true;  ///< false is svdvals
};
/// Errors    INVALID_ARGUMENT without compute_uv
hilo::linalg::SvdResult svd(const Operand& a, const SvdOptions& options = {});
using hilo::linalg::svdvals;
struct EighOptions {
  bool lower = true;
  bool eigvals_only = false;  ///< true is eigvalsh
  int64_t type = 1;           ///< the only one: a v = v w
};
/// Errors    INVALID_ARGUMENT with eigvals_only, or for another type
hilo::linalg::EighResult eigh(const Operand& a, const EighOptions& options = {});
Array eigvalsh(const Operand& a, const TriangleOptions& options = {.lower = true});
struct PolarOptions {
  const char* side = "right";   ///< a = unitary posdef, or left: posdef unitary
  const char* method = "qdwh";  ///< or svd, which it is in any case for m < n on the right and m > n on the left
  std::optional<double> eps = std::nullopt;              ///< qdwh's
  std::optional<int64_t> max_iterations = std::nullopt;  ///< qdwh's
};
struct PolarResult {
  Array unitary, posdef;
};
/// Gradient  of matrices of full rank; also where singular values are equal
PolarResult polar(const Operand& a, const PolarOptions& options = {});
struct HessenbergOptions {
  bool calc_q = false;  ///< true is hessenberg_with_q
};
/// The matrix H with zeros below its first subdiagonal and a = Q H Q^H. Errors    INVALID_ARGUMENT with calc_q
Array hessenberg(const Operand& a, const HessenbergOptions& options = {});
struct HessenbergResult {
  Array h, q;
};
HessenbergResult hessenberg_with_q(const Operand& a);
struct SylvesterOptions {
  const char* method = "schur";  ///< or eigen: JAX's methods; the result is that of the linear system
  double tol = 1e-8;             ///< NaN where eigenvalues of A and -B are nearer than this
};
/// x of A x + x B = C. Shapes    A[..., m, m], B[..., n, n], C[..., m, n]
/// Cost      a linear system of m n unknowns
Array solve_sylvester(const Operand& A, const Operand& B, const Operand& C, const SylvesterOptions& options = {});
struct TridiagonalSelection {
  const char* select = "a";                             ///< all, or i: those with numbers in select_range
  lax::linalg::IndexRange select_range = std::nullopt;  ///< the first and the last
};
/// The eigenvalues and vectors of the Hermitian matrix with diagonal d and e below it.
/// Shapes    d[n], e[n - 1]
/// Errors    INVALID_ARGUMENT for another selection
/// Cost      those of eigh
hilo::linalg::EighResult eigh_tridiagonal(const Operand& d, const Operand& e);
hilo::linalg::EighResult eigh_tridiagonal_with_vectors(const Operand& d, const Operand& e,
                                                       const TridiagonalSelection& options = {});
struct TridiagonalOptions {
  bool eigvals_only = true;  ///< false is eigh_tridiagonal_with_vectors
  const char* select = "a";
  lax::linalg::IndexRange select_range = std::nullopt;
  std::optional<double> tol = std::nullopt;  ///< JAX's; values here are right to the last places in any case
};
/// With options the eigenvalues alone.
/// Errors    INVALID_ARGUMENT without eigvals_only, or for another selection
Array eigh_tridiagonal(const Operand& d, const Operand& e, const TridiagonalOptions& options);

}  // namespace hilo::scipy::linalg
