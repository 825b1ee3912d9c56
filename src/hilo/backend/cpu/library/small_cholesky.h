// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/small_cholesky.h -- factors of many small positive definite matrices at once, a matrix a lane: LAPACK
// takes longer to be called than to factor one.
#pragma once

#include <cstdint>
#include <span>

namespace hilo::cpu {

inline constexpr int kLargestSmallCholesky = 32;  // rows: the lanes' triangle then fills a first-level cache

/// Matrices that are factored at once. Each is computed as if alone.
template <typename T>
inline constexpr int64_t kCholeskyLanes = 64 / static_cast<int64_t>(sizeof(T));

/// Factors the row-major n x n matrices at `matrices`, one after another, in place: the triangle that `lower` names is
/// read and written, the other left alone. failed[i] says that matrix i isn't positive definite, or holds a NaN; its
/// contents mean nothing then. Precondition: n <= kLargestSmallCholesky, failed.size() <= kCholeskyLanes<T>.
/// Types     float, double
/// Source    Golub and Van Loan, Matrix Computations, 4.2 (row by row)
template <typename T>
void factor_small(T* matrices, int n, bool lower, std::span<bool> failed);

}  // namespace hilo::cpu
