// SPDX-License-Identifier: Apache-2.0
// lapack_ffi.h -- hilo's handlers of the custom calls lapack_*_ffi as C functions of the typed call frame (hilo/ffi.h), for
// other runtimes that speak it. Names, operands, attributes and results are those of JAX's. They call the LAPACK that hilo
// opens when it first needs one; without it they return an error.
#pragma once

#include "hilo/ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Each in four types: hilo_lapack_sgetrf_ffi (f32), d (f64), c (c64), z (c128).
#define HILO_LAPACK_FFI_DECLARE(letter, name) HiloFfi_Error* hilo_lapack_##letter##name##_ffi(HiloFfi_CallFrame* frame);
#define HILO_LAPACK_FFI_REAL(name) HILO_LAPACK_FFI_DECLARE(s, name) HILO_LAPACK_FFI_DECLARE(d, name)
#define HILO_LAPACK_FFI_COMPLEX(name) HILO_LAPACK_FFI_DECLARE(c, name) HILO_LAPACK_FFI_DECLARE(z, name)
#define HILO_LAPACK_FFI(name) HILO_LAPACK_FFI_REAL(name) HILO_LAPACK_FFI_COMPLEX(name)

HILO_LAPACK_FFI(getrf)
HILO_LAPACK_FFI(potrf)
HILO_LAPACK_FFI(trsm)
HILO_LAPACK_FFI(geqrf)
HILO_LAPACK_FFI(geqp3)
HILO_LAPACK_FFI(gtsv)
HILO_LAPACK_FFI(gesdd)
HILO_LAPACK_FFI(gesvd)
HILO_LAPACK_FFI(geev)
HILO_LAPACK_FFI(gees)
HILO_LAPACK_FFI(gehrd)
HILO_LAPACK_FFI_REAL(orgqr)
HILO_LAPACK_FFI_COMPLEX(ungqr)
HILO_LAPACK_FFI_REAL(ormqr)
HILO_LAPACK_FFI_COMPLEX(unmqr)
HILO_LAPACK_FFI_REAL(syevd)
HILO_LAPACK_FFI_COMPLEX(heevd)
HILO_LAPACK_FFI_REAL(sytrd)
HILO_LAPACK_FFI_COMPLEX(hetrd)

#undef HILO_LAPACK_FFI
#undef HILO_LAPACK_FFI_REAL
#undef HILO_LAPACK_FFI_COMPLEX
#undef HILO_LAPACK_FFI_DECLARE

#ifdef __cplusplus
}
#endif
