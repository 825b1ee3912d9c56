// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/small_matrices.h -- factors and solutions of many small matrices of f32 and f64 at once, a matrix a lane: LAPACK takes
// longer to be called than to factor one. What becomes of a matrix doesn't depend on the others, nor on how many there are.
#pragma once

#include <cstdint>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/linalg/triangular_solve.h"

namespace hilo::cpu {

inline constexpr int kLargestSmallCholesky = 32;  // rows
inline constexpr int kLargestSmallLu = 16;        // rows and columns: up to there factor_lu's panels compute the same
inline constexpr int kLargestSmallSolve = 16;     // unknowns, and others

/// Whether lanes are used for `count` matrices: up to sizes where they were measured to be faster than one matrix after the other; the
/// functions below may be called then. The more lanes, the larger the matrices: exchanging rows takes as long for one lane as for all.
/// An LU has the same bits for any `count`: there are no lanes where factor_lu would compute others, and always where it has no kernel.
/// Types     float, double
template <typename T>
bool uses_lanes_for_lu(Isa isa, int rows, int columns, int64_t count);
template <typename T>
bool uses_lanes_for_cholesky(Isa isa, int n, int64_t count);
template <typename T>
bool uses_lanes_for_solve(Isa isa, const TriangularProblem<T>& first, int64_t count);

/// `count` matrices one after another, column-major, in place, as factor_lu makes them: pivots, from 1, min(rows, columns) of a matrix
/// after those of the one before; info of each.
/// Types        float, double
/// Precondition rows, columns <= kLargestSmallLu
template <typename T>
void factor_small_lu(Isa isa, int rows, int columns, int64_t count, T* matrices, int* pivots, int* info);

/// Factors `count` row-major n x n matrices in place: the triangle that `lower` names is read and written, the other left alone. info[i]
/// is the row, from 1, at which matrix i shows not to be positive definite, or to hold a NaN; its contents mean nothing then; else 0.
/// Types        float, double
/// Precondition n <= kLargestSmallCholesky
/// Source       Golub and Van Loan, Matrix Computations, 4.2 (row by row)
template <typename T>
void factor_small_cholesky(Isa isa, int n, bool lower, int64_t count, T* matrices, int* info);

/// `count` problems as the one given, whose A and B lie one after another, n x n and m x n numbers. Quotients are divisions, as a diagonal's
/// reciprocal may be infinite.
/// Types        float, double
/// Precondition unknowns, others <= kLargestSmallSolve
template <typename T>
void solve_small(Isa isa, const TriangularProblem<T>& first, int64_t count);

}  // namespace hilo::cpu
