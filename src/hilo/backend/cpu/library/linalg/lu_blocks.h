// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/lu_blocks.h -- LU factors of matrices of f32 and f64 by halves. hilo's own kernels solve
// for the columns right of the first half.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"

namespace hilo::cpu {

/// LAPACK's xGETRF.
template <typename T>
using GetrfRoutine = void(const int*, const int*, T*, const int*, int*, int*);

/// Computes the factors of a column-major matrix of `m` rows and `n` columns in place, and the pivots, from 1, as
/// `getrf` does. Returns its info. Calls `getrf` if the instruction set has no kernel. One thread.
int factor_lu(Isa isa, GetrfRoutine<float>* getrf, int m, int n, float* a, int leading, int* pivots);
int factor_lu(Isa isa, GetrfRoutine<double>* getrf, int m, int n, double* a, int leading, int* pivots);

}  // namespace hilo::cpu
