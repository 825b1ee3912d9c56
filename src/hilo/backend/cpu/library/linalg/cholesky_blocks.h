// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/cholesky_blocks.h -- Cholesky factors of large matrices of f32 and f64, whose halves are solved for by hilo's own
// kernels.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"

namespace hilo::cpu {

/// LAPACK's xPOTRF.
template <typename T>
using PotrfRoutine = void(const char*, const int*, T*, const int*, int*);

/// The lower factor of a column-major matrix, in place, as `potrf` would make it, which is called for blocks; its info. One thread.
int factor_in_blocks(Isa isa, PotrfRoutine<float>* potrf, int n, float* a, int leading);
int factor_in_blocks(Isa isa, PotrfRoutine<double>* potrf, int n, double* a, int leading);

}  // namespace hilo::cpu
