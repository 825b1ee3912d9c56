// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/fft/short_lines.h -- the kernels of short Fourier transforms for each instruction set; all return
// the same bits.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/hlo/ops/short_fft_lines.h"

namespace hilo::cpu::fft {

template <typename T>
const hlo::ShortLineKernels<T>& short_line_kernels_avx2();
template <typename T>
const hlo::ShortLineKernels<T>& short_line_kernels_avx512();

template <typename T>
const hlo::ShortLineKernels<T>& short_line_kernels_of(Isa isa) {
  if constexpr (kIsX86) {
    if (isa == Isa::kAvx512) return short_line_kernels_avx512<T>();
    if (isa == Isa::kAvx2) return short_line_kernels_avx2<T>();
  }
  return hlo::short_line_kernels<T>();
}

}  // namespace hilo::cpu::fft
