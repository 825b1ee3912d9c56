// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/fft/avx512.cc -- the kernels of Fourier transforms for this instruction set.
#include "hilo/backend/cpu/runtime/fft/kernels.h"

#define HILO_FFT_ISA avx512
#define HILO_FFT_BYTES 64
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,fma,prefer-vector-width=512")
#pragma GCC optimize("fp-contract=fast")
#endif

#include "hilo/backend/cpu/runtime/fft/kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
