// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/triangular_solve.h -- solves op(A) X = B and X op(A) = B for triangular A, in f32 and f64,
// by hilo's own kernels.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"

namespace hilo::cpu {

/// The arguments of BLAS's xTRSM with alpha 1: matrices are column-major, B is replaced by X. Letters: side 'L' or 'R';
/// uplo 'L' or 'U'; transposed 'N', 'T' or 'C'; diagonal 'N' or 'U'.
template <typename T>
struct TriangularProblem {
  char side, uplo, transposed, diagonal;
  int m, n;  ///< of B
  const T* a;
  int a_leading;
  T* b;
  int b_leading;

  bool is_left() const { return side == 'L'; }
  bool is_transposed() const { return transposed != 'N'; }
  int unknowns() const { return is_left() ? m : n; }  ///< of a right side
  int others() const { return is_left() ? n : m; }    ///< right sides
  /// Whether the first unknown is the first one that is known.
  bool goes_forward() const { return is_left() == ((uplo == 'L') != is_transposed()); }
  /// Whether the coefficient of an unknown is in A's row of its number; otherwise it is in that column.
  bool unknown_is_row() const { return is_left() == is_transposed(); }
};

/// Solves the problem on one thread. Calls BLAS's own routine without a kernel for the instruction set, or if memory is
/// lacking. Quotients are products with the diagonal's reciprocals, as
/// in OpenBLAS. Precondition: a BLAS library is available.
void solve_triangular(Isa isa, const TriangularProblem<float>& p);
void solve_triangular(Isa isa, const TriangularProblem<double>& p);

}  // namespace hilo::cpu
