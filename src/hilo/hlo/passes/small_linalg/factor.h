// SPDX-License-Identifier: Apache-2.0
// hlo/passes/small_linalg/factor.h -- factorizations and triangular solves of small matrices, written out.
#pragma once

#include "hilo/hlo/ops/linalg.h"
#include "hilo/hlo/passes/small_linalg/elements.h"

namespace hilo::hlo::small_linalg {

/// The row exchanges of an LU factorization. In step k, row k is exchanged with the row below it for which
/// `exchanged[k][row - k - 1]` is true, if any.
using RowExchanges = std::vector<Exprs>;

struct Lu {
  Elements factors;  ///< U, and below its diagonal L
  RowExchanges exchanges;
  Expr info;  ///< s32: 1 + the index of the first pivot that is zero, or 0
};

/// Factors by Gaussian elimination with LAPACK's pivots: in each column the first element of the greatest magnitude,
/// which of complex numbers is |re| + |im|. Columns with NaN or infinities, and all that depends on them, become NaN.
Lu factor_lu(Elements a);
/// Returns the pivot of each step as s32, counted from 1.
Exprs pivots_of(const Lu& lu);

/// The order of the rows after the exchanges, or the inverse of that order.
struct Permutation {
  RowExchanges exchanges;
  bool is_inverse = false;
};
/// Permutes rows, or one element of each row.
void permute(const Permutation& permutation, Exprs& rows);

struct Cholesky {
  Elements factor;  ///< zeros in the other triangle
  Expr info;        ///< s32: 1 + the index of the first row whose leading minor isn't positive, or 0
};

/// Factors a = L L^H (lower) or U^H U. Reads only that triangle. After a failure the factor contains NaN.
Cholesky factor_cholesky(const Elements& a, bool lower);

/// Solves op(a) x = b or x op(a) = b by substitution.
Elements solve_triangular(const Elements& a, const Elements& b, const TriangularSolveAttributes& attributes);

}  // namespace hilo::hlo::small_linalg
