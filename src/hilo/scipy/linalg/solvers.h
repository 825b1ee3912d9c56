// SPDX-License-Identifier: Apache-2.0
// scipy/linalg/solvers.h -- decompositions, solvers and functions of matrices, as jax.scipy.linalg has them.
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
/// x of a x = b by a's factor. Shapes    b[n], b[..., n, k]; axes in front broadcast
Array cho_solve(const ChoFactor& c_and_lower, const Operand& b);

struct LuResult {
  Array p, l, u;  ///< a = p l u
};
LuResult lu(const Operand& a);
struct LuFactor {
  Array lu, piv;  ///< row i was exchanged with row piv[i], in order
};
LuFactor lu_factor(const Operand& a);
/// How a matrix is turned first: 0 or "N" not, 1 or "T" transposed, 2 or "C" its adjoint.
class Trans {
 public:
  Trans(int kind);          // NOLINT: numbers and letters convert
  Trans(const char* name);  // NOLINT
  bool transposed() const { return kind_ > 0; }
  bool conjugated() const { return kind_ == 2; }

 private:
  int kind_;
};
struct TransOptions {
  Trans trans = 0;
};
Array lu_solve(const LuFactor& lu_and_piv, const Operand& b, const TransOptions& options = {});

struct SolveOptions {
  bool lower = false;
  const char* assume_a = "gen";  ///< or sym, her, pos: by Cholesky's decomposition
};
Array solve(const Operand& a, const Operand& b, const SolveOptions& options = {});
struct SolveTriangularOptions {
  Trans trans = 0;
  bool lower = false, unit_diagonal = false;
};
Array solve_triangular(const Operand& a, const Operand& b, const SolveTriangularOptions& options = {});

struct SvdOptions {
  bool full_matrices = true;
  bool compute_uv = true;  ///< false is linalg::svdvals
};
/// Errors    INVALID_ARGUMENT without compute_uv
hilo::linalg::SvdResult svd(const Operand& a, const SvdOptions& options = {});
struct EighOptions {
  bool lower = true;
  bool eigvals_only = false;  ///< true is linalg::eigvalsh
};
/// Errors    INVALID_ARGUMENT with eigvals_only
hilo::linalg::EighResult eigh(const Operand& a, const EighOptions& options = {});
struct QrOptions {
  const char* mode = "full";  ///< or economic
  bool pivoting = false;
};
/// Errors    UNIMPLEMENTED with pivoting
hilo::linalg::QrResult qr(const Operand& a, const QrOptions& options = {});

struct PolarOptions {
  const char* side = "right";   ///< a = unitary posdef, or left: posdef unitary
  const char* method = "qdwh";  ///< the name of a method; the result is that of the singular value decomposition
};
struct PolarResult {
  Array unitary, posdef;
};
PolarResult polar(const Operand& a, const PolarOptions& options = {});
struct SchurOptions {
  const char* output = "real";  ///< or complex
};
struct SchurResult {
  Array T, Z;  ///< a = Z T Z^H
};
SchurResult schur(const Operand& a, const SchurOptions& options = {});

struct ExpmOptions {
  bool upper_triangular = false;
  int64_t max_squarings = 16;  ///< a matrix that needs more gives NaN
};
/// The exponential of a matrix. Source    Higham, "The scaling and squaring method for the matrix exponential revisited" (2005)
Array expm(const Operand& A, const ExpmOptions& options = {});
struct ExpmFrechetResult {
  Array expm, frechet;
};
struct FrechetOptions {
  bool compute_expm = true;
};
/// The exponential, and its derivative in direction E. Errors    INVALID_ARGUMENT without compute_expm
ExpmFrechetResult expm_frechet(const Operand& A, const Operand& E, const FrechetOptions& options = {});
struct HessenbergOptions {
  bool calc_q = false;  ///< true is hessenberg_with_q
};
/// The matrix H with zeros below its first subdiagonal and a = Q H Q^H. Errors    INVALID_ARGUMENT with calc_q
Array hessenberg(const Operand& a, const HessenbergOptions& options = {});
struct HessenbergResult {
  Array h, q;
};
HessenbergResult hessenberg_with_q(const Operand& a);
/// The principal square root of a matrix, complex. Source    Bjorck and Hammarling, "A Schur method for the square root of a
/// matrix" (1983). Cost    a chain of n^2 / 2 small operations
Array sqrtm(const Operand& A);
struct SylvesterOptions {
  const char* method = "schur";  ///< or eigen: JAX's methods; the result is that of the linear system
  double tol = 1e-8;             ///< NaN where eigenvalues of A and -B are nearer than this
};
/// x of A x + x B = C. Shapes    A[..., m, m], B[..., n, n], C[..., m, n]
/// Cost      a linear system of m n unknowns
Array solve_sylvester(const Operand& A, const Operand& B, const Operand& C, const SylvesterOptions& options = {});
/// The eigenvalues and vectors of the symmetric matrix with diagonal d and e beside it.
/// Cost      those of eigh
hilo::linalg::EighResult eigh_tridiagonal(const Operand& d, const Operand& e);
struct TridiagonalOptions {
  bool eigvals_only = true;
  const char* select = "a";  ///< all, or i: those with numbers in select_range, both included
  std::optional<std::pair<int64_t, int64_t>> select_range = std::nullopt;
};
/// With options the eigenvalues alone.
/// Errors    INVALID_ARGUMENT without eigvals_only, or for another selection
Array eigh_tridiagonal(const Operand& d, const Operand& e, const TridiagonalOptions& options);

}  // namespace hilo::scipy::linalg
