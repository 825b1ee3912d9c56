// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/fft/avx2.cc -- the kernels of Fourier transforms for this instruction set.
#include "hilo/backend/cpu/runtime/fft/kernels.h"

#define HILO_FFT_ISA avx2
#define HILO_FFT_BYTES 32
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#pragma GCC optimize("fp-contract=fast")
#endif

#include "hilo/backend/cpu/runtime/fft/kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
