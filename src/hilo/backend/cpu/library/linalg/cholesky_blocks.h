// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/cholesky_blocks.h -- Cholesky factors of large matrices of f32 and f64, in halves. hilo's
// own kernels solve for the rows below.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"

namespace hilo::cpu {

/// LAPACK's xPOTRF.
template <typename T>
using PotrfRoutine = void(const char*, const int*, T*, const int*, int*);

/// Computes the lower factor of a column-major matrix in place, and returns the info of `potrf`. Calls `potrf` for
/// blocks. One thread.
int factor_in_blocks(Isa isa, PotrfRoutine<float>* potrf, int n, float* a, int leading);
int factor_in_blocks(Isa isa, PotrfRoutine<double>* potrf, int n, double* a, int leading);

}  // namespace hilo::cpu
