// SPDX-License-Identifier: Apache-2.0
// lapack_ffi.h -- hilo's handlers of the custom calls lapack_*_ffi as C functions with the typed call frame
// (hilo/ffi.h), for other runtimes that support it. Names, operands, attributes and results are those of JAX's. They
// call the LAPACK library that hilo opens at first use; without one they return an error.
#pragma once

#include "hilo/ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

// The routines: names of the real one and of the complex one.
// clang-format off: a row a routine
#define HILO_LAPACK_ROUTINES(ROUTINE) \
  ROUTINE(getrf, getrf)               \
  ROUTINE(potrf, potrf)               \
  ROUTINE(trsm, trsm)                 \
  ROUTINE(geqrf, geqrf)               \
  ROUTINE(geqp3, geqp3)               \
  ROUTINE(gtsv, gtsv)                 \
  ROUTINE(gesdd, gesdd)               \
  ROUTINE(gesvd, gesvd)               \
  ROUTINE(geev, geev)                 \
  ROUTINE(gees, gees)                 \
  ROUTINE(gehrd, gehrd)               \
  ROUTINE(orgqr, ungqr)               \
  ROUTINE(ormqr, unmqr)               \
  ROUTINE(syevd, heevd)               \
  ROUTINE(sytrd, hetrd)
// clang-format on

// Declares each for four types: hilo_lapack_sgetrf_ffi (f32), d (f64), c (c64), z (c128).
#define HILO_LAPACK_FFI_DECLARE(real, complex)                           \
  HiloFfi_Error* hilo_lapack_s##real##_ffi(HiloFfi_CallFrame* frame);    \
  HiloFfi_Error* hilo_lapack_d##real##_ffi(HiloFfi_CallFrame* frame);    \
  HiloFfi_Error* hilo_lapack_c##complex##_ffi(HiloFfi_CallFrame* frame); \
  HiloFfi_Error* hilo_lapack_z##complex##_ffi(HiloFfi_CallFrame* frame);
HILO_LAPACK_ROUTINES(HILO_LAPACK_FFI_DECLARE)
#undef HILO_LAPACK_FFI_DECLARE

#ifdef __cplusplus
}
#endif
