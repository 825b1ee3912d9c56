// SPDX-License-Identifier: Apache-2.0
// The kernels of Fourier transforms for Isa::kAvx2. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/runtime/fft_kernels.h"

#define HILO_FFT_KERNELS kernels_avx2
#define HILO_FFT_BYTES 32

#include "hilo/backend/cpu/runtime/fft_kernels.inc"
