// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/lapack_c.cc -- the handlers of lapack.h for C.
#include "hilo/lapack_ffi.h"

#include <complex>

#include "hilo/backend/cpu/runtime/lapack.h"
#include "hilo/backend/custom_call.h"

namespace lapack = hilo::cpu::lapack;

#define HILO_LAPACK_FFI_DEFINE(letter, name, handler, type)                                     \
  HiloFfi_Error* hilo_lapack_##letter##name##_ffi(HiloFfi_CallFrame* frame) {                   \
    return hilo::answer_ffi_call(frame, "lapack_" #letter #name "_ffi", lapack::handler<type>); \
  }
#define HILO_LAPACK_FFI_REAL(name, handler)       \
  HILO_LAPACK_FFI_DEFINE(s, name, handler, float) \
  HILO_LAPACK_FFI_DEFINE(d, name, handler, double)
#define HILO_LAPACK_FFI_COMPLEX(name, handler)                  \
  HILO_LAPACK_FFI_DEFINE(c, name, handler, std::complex<float>) \
  HILO_LAPACK_FFI_DEFINE(z, name, handler, std::complex<double>)
#define HILO_LAPACK_FFI(name)      \
  HILO_LAPACK_FFI_REAL(name, name) \
  HILO_LAPACK_FFI_COMPLEX(name, name)

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
HILO_LAPACK_FFI_REAL(orgqr, orgqr)
HILO_LAPACK_FFI_COMPLEX(ungqr, orgqr)
HILO_LAPACK_FFI_REAL(ormqr, ormqr)
HILO_LAPACK_FFI_COMPLEX(unmqr, ormqr)
HILO_LAPACK_FFI_REAL(syevd, syevd)
HILO_LAPACK_FFI_COMPLEX(heevd, syevd)
HILO_LAPACK_FFI_REAL(sytrd, sytrd)
HILO_LAPACK_FFI_COMPLEX(hetrd, sytrd)
