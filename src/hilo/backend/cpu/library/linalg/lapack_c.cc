// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/lapack_c.cc -- the handlers of lapack.h for C.
#include "hilo/lapack_ffi.h"

#include <complex>

#include "hilo/backend/cpu/library/linalg/lapack.h"
#include "hilo/backend/custom_call.h"

namespace lapack = hilo::cpu::lapack;

#define HILO_LAPACK_FFI_DEFINE(letter, name, ...)                                     \
  HiloFfi_Error* hilo_lapack_##letter##name##_ffi(HiloFfi_CallFrame* frame) {         \
    return hilo::answer_ffi_call(frame, "lapack_" #letter #name "_ffi", __VA_ARGS__); \
  }
#define HILO_LAPACK_FFI_DEFINE_ALL(real_name, complex_name)                                           \
  HILO_LAPACK_FFI_DEFINE(s, real_name, lapack::real_name<float>)                                      \
  HILO_LAPACK_FFI_DEFINE(d, real_name, lapack::real_name<double>)                                     \
  HILO_LAPACK_FFI_DEFINE(c, complex_name, lapack::with_spare<lapack::real_name<std::complex<float>>>) \
  HILO_LAPACK_FFI_DEFINE(z, complex_name, lapack::with_spare<lapack::real_name<std::complex<double>>>)

HILO_LAPACK_ROUTINES(HILO_LAPACK_FFI_DEFINE_ALL)
