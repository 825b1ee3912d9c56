// SPDX-License-Identifier: Apache-2.0
// scipy/linalg/functions.h -- functions of matrices, and Schur's decomposition, which they are taken by. Axes in front are
// batches.
#pragma once

#include <functional>

#include "hilo/linalg/linalg.h"

namespace hilo::scipy::linalg {

struct SchurOptions {
  const char* output = "real";  ///< or complex
};
struct SchurResult {
  Array T, Z;  ///< a = Z T Z^H
};
/// a = Z T Z^H: T is upper triangular, or of real matrices with blocks of 2 where eigenvalues are complex.
SchurResult schur(const Operand& a, const SchurOptions& options = {});
/// The complex form, with T triangular, of a real one, whose T has blocks of two on its diagonal. By a rotation for each of
/// them, as SciPy does it.
/// Shapes    T, Z [..., n, n]; axes in front broadcast
SchurResult rsf2csf(const Operand& T, const Operand& Z);

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
  std::optional<const char*> method = std::nullopt;  ///< SPS, the only one
  bool compute_expm = true;
};
/// The exponential, and its derivative in direction E. Errors    INVALID_ARGUMENT without compute_expm
ExpmFrechetResult expm_frechet(const Operand& A, const Operand& E, const FrechetOptions& options = {});
struct SqrtmOptions {
  int64_t blocksize = 1;  ///< the only one, as in JAX
};
/// The principal square root of a matrix, complex. Cost    n products of matrices
/// Source    Bjorck and Hammarling, "A Schur method for the square root of a matrix" (1983)
Array sqrtm(const Operand& A, const SqrtmOptions& options = {});

using MatrixFunction = std::function<Array(const Array&)>;
/// func of a matrix: of its eigenvalues, where it is diagonal. `func` takes and gives vectors of complex numbers, one by one.
/// No good where eigenvalues are near each other: funm_with_error says how far the result may be off, of 1.
/// Cost      n products of matrices
/// Source    Parlett's recurrence: Golub and Van Loan, "Matrix Computations", algorithm 9.1.1
Array funm(const Operand& A, const MatrixFunction& func);
struct FunmResult {
  Array F, err;
};
FunmResult funm_with_error(const Operand& A, const MatrixFunction& func);
struct FunmOptions {
  bool disp = true;  ///< false is funm_with_error
};
Array funm(const Operand& A, const MatrixFunction& func, const FunmOptions& options);

}  // namespace hilo::scipy::linalg
