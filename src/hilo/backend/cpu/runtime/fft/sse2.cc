// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/fft/sse2.cc -- the kernels of Fourier transforms for this instruction set.
#include "hilo/backend/cpu/runtime/fft/kernels.h"

#define HILO_FFT_ISA sse2
#define HILO_FFT_BYTES 16

#include "hilo/backend/cpu/runtime/fft/kernels.inc"
