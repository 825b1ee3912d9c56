// SPDX-License-Identifier: Apache-2.0
// scipy/linalg/functions.h -- functions of matrices, and the Schur decomposition on which they are based. Leading axes
// are batches.
#pragma once

#include <functional>

#include "hilo/linalg/linalg.h"

namespace hilo::scipy::linalg {

struct SchurOptions {
  const char* output = "real";  ///< "real" or "complex"
};
struct SchurResult {
  Array T, Z;  ///< a = Z T Z^H
};
/// Computes the Schur decomposition a = Z T Z^H. T is upper triangular; for real output it has 2 x 2 blocks for complex
/// eigenvalues.
SchurResult schur(const Operand& a, const SchurOptions& options = {});
/// Converts a real Schur form, whose T has 2 x 2 blocks on its diagonal, to the complex form with triangular T. Uses
/// one rotation for each block, as SciPy does.
/// Shapes    T, Z [..., n, n]; leading axes broadcast
SchurResult rsf2csf(const Operand& T, const Operand& Z);

struct ExpmOptions {
  bool upper_triangular = false;
  int64_t max_squarings = 16;  ///< a matrix that needs more squarings gives NaN
};
/// Computes the matrix exponential.
/// Source    Higham, "The scaling and squaring method for the matrix exponential revisited" (2005)
/// Example   expm(numpy::zeros({2, 2}))  // [[1. 0.] [0. 1.]]
Array expm(const Operand& A, const ExpmOptions& options = {});
struct ExpmFrechetResult {
  Array expm, frechet;
};
struct FrechetOptions {
  std::optional<const char*> method = std::nullopt;  ///< only "SPS" is implemented
  bool compute_expm = true;
};
/// Computes the matrix exponential and its derivative in direction E.
/// Errors    INVALID_ARGUMENT for compute_expm = false
ExpmFrechetResult expm_frechet(const Operand& A, const Operand& E, const FrechetOptions& options = {});
struct SqrtmOptions {
  int64_t blocksize = 1;  ///< only 1 is implemented, as in JAX
};
/// Computes the principal square root of a matrix, as a complex matrix.
/// Cost      n matrix products
/// Source    Bjorck and Hammarling, "A Schur method for the square root of a matrix" (1983)
Array sqrtm(const Operand& A, const SqrtmOptions& options = {});

using MatrixFunction = std::function<Array(const Array&)>;
/// Applies a function to a matrix: to its eigenvalues, if it is diagonalizable. `func` maps vectors of complex numbers
/// elementwise. Inaccurate if eigenvalues are close to each other; funm_with_error estimates the relative error.
/// Cost      n matrix products
/// Source    Parlett's recurrence: Golub and Van Loan, "Matrix Computations", algorithm 9.1.1
Array funm(const Operand& A, const MatrixFunction& func);
struct FunmResult {
  Array F, err;
};
/// Applies a function to a matrix, and returns an estimate of the relative error.
FunmResult funm_with_error(const Operand& A, const MatrixFunction& func);
struct FunmOptions {
  bool disp = true;  ///< false is rejected: use funm_with_error
};
/// Applies a function to a matrix, with options by name.
Array funm(const Operand& A, const MatrixFunction& func, const FunmOptions& options);

}  // namespace hilo::scipy::linalg
