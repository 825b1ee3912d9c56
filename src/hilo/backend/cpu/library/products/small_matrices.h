// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/small_matrices.h -- factors and solutions of many small matrices of f32 and f64 at once,
// one per lane: a call of LAPACK takes longer than such a factorization. The result of a matrix depends neither on the
// others nor on their number.
#pragma once

#include <cstdint>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/linalg/triangular_solve.h"

namespace hilo::cpu {

inline constexpr int kLargestSmallCholesky = 32;  // rows
// rows and columns: up to this size factor_lu's panels have the same results
inline constexpr int kLargestSmallLu = 16;
inline constexpr int kLargestSmallSolve = 16;  // unknowns, and right-hand sides
// rows and columns: up to this size one matrix alone takes no longer than a call of LAPACK
inline constexpr int kLargestSmallQr = 16;

/// Whether lanes are used for `count` matrices: up to the sizes for which measurements show that they are faster than
/// one matrix after the other. The functions below may be called then. With more lanes the limit is higher, because a
/// row exchange takes as long for one lane as for all. An LU has the same bits for any `count`: lanes aren't used if
/// factor_lu would return other bits, and always used if it has no kernel.
/// Types     float, double
template <typename T>
bool uses_lanes_for_lu(Isa isa, int rows, int columns, int64_t count);
template <typename T>
bool uses_lanes_for_cholesky(Isa isa, int n, int64_t count);
template <typename T>
bool uses_lanes_for_solve(Isa isa, const TriangularProblem<T>& first, int64_t count);
/// Lanes are used for any number of matrices, so a QR has the same bits for all.
bool uses_lanes_for_qr(int rows, int columns);

/// Factors `count` consecutive column-major matrices in place, with the results of factor_lu: min(rows, columns) pivots
/// per matrix, from 1, and the info of each.
/// Types        float, double
/// Precondition rows, columns <= kLargestSmallLu
template <typename T>
void factor_small_lu(Isa isa, int rows, int columns, int64_t count, T* matrices, int* pivots, int* info);

/// Factors `count` row-major n x n matrices in place: reads and writes the triangle that `lower` selects, and leaves
/// the other unchanged. info[i] is the row, from 1, at which matrix i isn't positive definite or has a NaN; its
/// contents are then undefined. Otherwise it is 0.
/// Types        float, double
/// Precondition n <= kLargestSmallCholesky
/// Source       Golub and Van Loan, Matrix Computations, 4.2 (row by row)
template <typename T>
void factor_small_cholesky(Isa isa, int n, bool lower, int64_t count, T* matrices, int* info);

/// Factors `count` consecutive column-major matrices in place, as LAPACK's geqrf: R, below it min(rows, columns)
/// reflectors, and their factors tau. Leaves matrices with NaN or infinities, or numbers for which squares aren't exact
/// enough, and sets is_left[i].
/// Types        float, double
/// Precondition rows, columns <= kLargestSmallQr
/// Source       Golub and Van Loan, Matrix Computations, 5.2; LAPACK's larfg for the signs
template <typename T>
void factor_small_qr(Isa isa, int rows, int columns, int64_t count, T* matrices, T* taus, bool* is_left);

/// Replaces the reflectors of `count` matrices by the first columns of their products, as LAPACK's orgqr.
/// Types        float, double
/// Precondition reflectors <= columns <= rows <= kLargestSmallQr
template <typename T>
void multiply_small_reflections(Isa isa, int rows, int columns, int reflectors, int64_t count, T* matrices,
                                const T* taus);

/// Solves `count` problems like `p`, whose A and B are consecutive, n x n and m x n numbers. Quotients are divisions,
/// because a diagonal's reciprocal may be infinite.
/// Types        float, double
/// Precondition unknowns, others <= kLargestSmallSolve
template <typename T>
void solve_small(Isa isa, const TriangularProblem<T>& first, int64_t count);

}  // namespace hilo::cpu
