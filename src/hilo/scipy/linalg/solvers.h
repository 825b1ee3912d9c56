// SPDX-License-Identifier: Apache-2.0
// scipy/linalg/solvers.h -- decompositions and linear solvers of jax.scipy.linalg; qr.h and functions.h have the
// others.
#pragma once

#include "hilo/linalg/linalg.h"

namespace hilo::scipy::linalg {

using hilo::linalg::det;
using hilo::linalg::inv;

struct TriangleOptions {
  bool lower = false;
};
/// Returns the upper Cholesky factor of `a`, or the lower one.
/// Example    cholesky(numpy::array({{4.0, 2.0}, {2.0, 5.0}}), {.lower = true})  // [[2. 0.] [1. 2.]]
Array cholesky(const Operand& a, const TriangleOptions& options = {});
struct ChoFactor {
  Array c;
  bool lower = false;
};
/// Returns the Cholesky factor in a form for cho_solve.
ChoFactor cho_factor(const Operand& a, const TriangleOptions& options = {});
template <std::same_as<bool> Lower>
ChoFactor cho_factor(const Operand& a, Lower lower) {
  return cho_factor(a, TriangleOptions{.lower = lower});
}
/// Solves a x = b, from the Cholesky factor of a.
/// Shapes     b[n], b[..., n, k]; leading axes broadcast
/// Example    const auto factor = cho_factor(numpy::array({{4.0, 0.0}, {0.0, 2.0}}));
///            cho_solve(factor, numpy::array({8.0, 6.0}))  // [2. 3.]
Array cho_solve(const ChoFactor& c_and_lower, const Operand& b);

struct LuResult {
  Array p, l, u;  ///< a = p l u
};
struct LuOptions {
  bool permute_l = false;  ///< true is rejected: use lu_with_permuted_l
};
/// Computes the LU decomposition a = p l u.
/// Errors    INVALID_ARGUMENT for permute_l = true
LuResult lu(const Operand& a, const LuOptions& options = {});
struct PermutedLuResult {
  Array pl, u;  ///< a = pl u
};
/// Computes the LU decomposition a = pl u, with the permuted factor pl = p l.
PermutedLuResult lu_with_permuted_l(const Operand& a);
struct LuFactor {
  Array lu, piv;  ///< pivots: row i was exchanged with row piv[i], in order
};
/// Returns the LU factors in a form for lu_solve.
LuFactor lu_factor(const Operand& a);
/// The transposition of a matrix: 0 or "N" (none), 1 or "T" (transpose), 2 or "C" (conjugate transpose).
class Trans {
 public:
  Trans(int kind);  // implicit: numbers and letters convert
  Trans(const char* name);
  bool transposed() const { return kind_ > 0; }
  bool conjugated() const { return kind_ == 2; }

 private:
  int kind_;
};
struct TransOptions {
  Trans trans = 0;
};
/// Solves a x = b, from the LU factors of a.
Array lu_solve(const LuFactor& lu_and_piv, const Operand& b, const TransOptions& options = {});

struct SolveOptions {
  bool lower = false;
  const char* assume_a = "gen";  ///< "gen", or "sym", "her", "pos", which use a Cholesky decomposition
};
/// Solves a x = b for x.
/// Shapes     b[n], b[..., n, k]; leading axes broadcast
/// Example    solve(numpy::array({{2.0, 0.0}, {0.0, 4.0}}), numpy::array({2.0, 8.0}))  // [1. 2.]
Array solve(const Operand& a, const Operand& b, const SolveOptions& options = {});
struct SolveTriangularOptions {
  Trans trans = 0;
  bool lower = false, unit_diagonal = false;
};
/// Solves a x = b for a triangular `a`. The other triangle is not read.
/// Example    const Array a = numpy::array({{2.0, 0.0}, {1.0, 1.0}});
///            solve_triangular(a, numpy::array({2.0, 3.0}), {.lower = true})  // [1. 2.]
Array solve_triangular(const Operand& a, const Operand& b, const SolveTriangularOptions& options = {});

struct SvdOptions {
  bool full_matrices = true;
  bool compute_uv = true;  ///< false is rejected: use svdvals
};
/// Computes the singular value decomposition; see linalg::svd.
/// Errors    INVALID_ARGUMENT for compute_uv = false
hilo::linalg::SvdResult svd(const Operand& a, const SvdOptions& options = {});
using hilo::linalg::svdvals;
struct EighOptions {
  bool lower = true;
  bool eigvals_only = false;  ///< true is rejected: use eigvalsh
  int64_t type = 1;           ///< only 1 is implemented: a v = v w
};
/// Computes eigenvalues and eigenvectors of a Hermitian matrix; see linalg::eigh.
/// Errors    INVALID_ARGUMENT for eigvals_only = true, or another type
hilo::linalg::EighResult eigh(const Operand& a, const EighOptions& options = {});
/// Returns the eigenvalues of a Hermitian matrix, in ascending order.
Array eigvalsh(const Operand& a, const TriangleOptions& options = {.lower = true});
struct PolarOptions {
  const char* side = "right";                ///< "right": a = unitary posdef; "left": a = posdef unitary
  const char* method = "qdwh";               ///< "qdwh" or "svd"; svd is always used for m < n (right) and m > n (left)
  std::optional<double> eps = std::nullopt;  ///< tolerance of qdwh
  std::optional<int64_t> max_iterations = std::nullopt;  ///< maximum number of iterations of qdwh
};
struct PolarResult {
  Array unitary, posdef;
};
/// Computes the polar decomposition.
/// Gradient  for matrices of full rank, also if singular values are equal
PolarResult polar(const Operand& a, const PolarOptions& options = {});
struct HessenbergOptions {
  bool calc_q = false;  ///< true is rejected: use hessenberg_with_q
};
/// Returns the Hessenberg form H of a = Q H Q^H: zeros below the first subdiagonal.
/// Errors    INVALID_ARGUMENT for calc_q = true
Array hessenberg(const Operand& a, const HessenbergOptions& options = {});
struct HessenbergResult {
  Array h, q;
};
/// Returns the Hessenberg form H and Q of a = Q H Q^H.
HessenbergResult hessenberg_with_q(const Operand& a);
struct SylvesterOptions {
  const char* method = "schur";  ///< "schur" or "eigen", as in JAX; both solve the same linear system here
  double tol = 1e-8;             ///< minimum distance of eigenvalues of A and -B; below it the result is NaN
};
/// Solves the Sylvester equation A x + x B = C.
/// Shapes    A[..., m, m], B[..., n, n], C[..., m, n]
/// Cost      a linear system of m * n unknowns
Array solve_sylvester(const Operand& A, const Operand& B, const Operand& C, const SylvesterOptions& options = {});
struct TridiagonalSelection {
  const char* select = "a";                             ///< "a" (all) or "i" (the indices in select_range)
  lax::linalg::IndexRange select_range = std::nullopt;  ///< first and last index
};
/// Computes the eigenvalues and eigenvectors of the Hermitian tridiagonal matrix with diagonal d and off-diagonal e.
/// Shapes    d[n], e[n - 1]
/// Errors    INVALID_ARGUMENT for an unknown selection
/// Cost      that of eigh
hilo::linalg::EighResult eigh_tridiagonal(const Operand& d, const Operand& e);
hilo::linalg::EighResult eigh_tridiagonal_with_vectors(const Operand& d, const Operand& e,
                                                       const TridiagonalSelection& options = {});
struct TridiagonalOptions {
  bool eigvals_only = true;  ///< false is rejected: use eigh_tridiagonal_with_vectors
  const char* select = "a";
  lax::linalg::IndexRange select_range = std::nullopt;
  std::optional<double> tol = std::nullopt;  ///< no effect: the eigenvalues are always accurate
};
/// Returns only the eigenvalues of the tridiagonal matrix.
/// Errors    INVALID_ARGUMENT for eigvals_only = false, or an unknown selection
Array eigh_tridiagonal(const Operand& d, const Operand& e, const TridiagonalOptions& options);

}  // namespace hilo::scipy::linalg
