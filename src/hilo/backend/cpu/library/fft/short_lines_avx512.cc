// SPDX-License-Identifier: Apache-2.0
// Short Fourier transforms for Isa::kAvx512. The build compiles only this file for that instruction set, without fused
// multiply-adds.
#include <cstdint>

namespace {
constexpr int kVectorBytes = 64;
}  // namespace

#include "hilo/hlo/ops/short_fft_lines.inc"

namespace hilo::cpu::fft {

template <typename T>
const hlo::ShortLineKernels<T>& short_line_kernels_avx512();

template <>
const hlo::ShortLineKernels<float>& short_line_kernels_avx512() {
  return hlo::kShortLineKernels<float>;
}
template <>
const hlo::ShortLineKernels<double>& short_line_kernels_avx512() {
  return hlo::kShortLineKernels<double>;
}

}  // namespace hilo::cpu::fft
