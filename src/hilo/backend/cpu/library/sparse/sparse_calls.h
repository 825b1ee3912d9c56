// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/sparse/sparse_calls.h -- custom calls of sparse direct solvers.
//     hilo_sparse_factor_ffi   plan s32[p], values [..., entries]
//                              -> factor [..., factor_size], pivots s32[..., size], info s32[..., 2]
//     hilo_sparse_solve_ffi    plan, values, factor, pivots, info, b [..., size, k], {transpose = bool} -> x
// Values are f32 or f64; leading dimensions are a batch. base/sparse/plan.h describes plan and factor. info is 1 + the
// column of the matrix at which a factorization failed, or 0; and 1 if solutions need refinement. Solutions are NaN if
// the factorization failed, or refinement did not reach a backward error of the square root of epsilon.
#pragma once

#include "hilo/hlo/ops/custom_call_registry.h"

namespace hilo::cpu {

Status sparse_factor(const CustomCallFrame& frame);
Status sparse_solve(const CustomCallFrame& frame);

}  // namespace hilo::cpu
