// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/lapack.h -- the handlers of the custom calls lapack_*_ffi, with JAX's names, operands,
// attributes and results. They need a LAPACK library (blas.h); without one a call is an error.
#pragma once

#include "hilo/hlo/ops/custom_call_registry.h"

namespace hilo::cpu::lapack {

// lapack_factor.cc. T is float, double, std::complex<float> or std::complex<double>.
template <typename T> Status getrf(const CustomCallFrame& frame);  ///< x -> lu, pivots from 1, info
template <typename T> Status potrf(const CustomCallFrame& frame);  ///< x; uplo -> factor, info
template <typename T> Status trsm(const CustomCallFrame& frame);   ///< a, b; side, uplo, trans_x, diag -> x
template <typename T> Status geqrf(const CustomCallFrame& frame);  ///< x -> reflectors and r, tau
template <typename T> Status geqp3(const CustomCallFrame& frame);  ///< x, jpvt -> reflectors and r, jpvt, tau
template <typename T> Status orgqr(const CustomCallFrame& frame);  ///< reflectors, tau -> q
template <typename T> Status ormqr(
    const CustomCallFrame& frame);  ///< reflectors, tau, c; left, transpose (or side, trans) -> op(q) c or c op(q)
template <typename T> Status gtsv(const CustomCallFrame& frame);  ///< dl, d, du, b -> dl, d, du, x, info

/// Converts row exchanges, counted from 0, to a permutation: hilo_lu_pivots_to_permutation_ffi.
Status pivots_to_permutation(const CustomCallFrame& frame);

// tridiagonal.cc
/// tridiagonal_solve_perturbed_ffi: dl, d, du, b -> x, also of singular systems. Needs no library.
Status tridiagonal_solve_perturbed(const CustomCallFrame& frame);

// householder.cc
Status qr(const CustomCallFrame& frame);                     ///< Qr: x -> reflectors and r, tau; row-major
Status product_of_reflectors(const CustomCallFrame& frame);  ///< ProductOfElementaryHouseholderReflectors

// lapack_eigen.cc
template <typename T> Status syevd(const CustomCallFrame& frame);  ///< x; mode, uplo -> vectors, values, info
template <typename T> Status sytrd(const CustomCallFrame& frame);  ///< x; uplo -> reflectors, d, e, tau, info
template <typename T> Status gesdd(const CustomCallFrame& frame);  ///< x; mode -> x, s, u, vt, info
template <typename T> Status gesvd(const CustomCallFrame& frame);  ///< as gesdd, by QR iteration

// lapack_general.cc
template <typename T> Status geev(
    const CustomCallFrame& frame);  ///< x; compute_left, _right -> values (real: re, im), vl, vr, info
template <typename T> Status gees(
    const CustomCallFrame& frame);  ///< x; mode, sort -> t, z, values (real: re, im), selected, info
template <typename T> Status gehrd(const CustomCallFrame& frame);  ///< x; low, high -> h and reflectors, tau, info

/// Calls `handler` with copies of the complex buffers that have spare memory behind them. OpenBLAS's complex gemv reads
/// one element behind its vector (0.3.21 on AVX-512), which may be the end of a page.
Status call_with_spare(Status (*handler)(const CustomCallFrame&), const CustomCallFrame& frame);

/// call_with_spare as a handler.
template <Status (*kHandler)(const CustomCallFrame&)>
Status with_spare(const CustomCallFrame& frame) {
  return call_with_spare(kHandler, frame);
}

}  // namespace hilo::cpu::lapack
