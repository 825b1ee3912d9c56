// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/fft.h -- the fft op: transforms one dimension after another, with tables that are computed when
// the call is planned.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/backend/cpu/runtime/fft_kernels.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {
namespace fft {

inline AllKernels all_kernels_of(Isa isa) {
  if constexpr (kIsX86) {
    if (isa == Isa::kAvx512) return kernels_avx512();
    if (isa == Isa::kAvx2) return kernels_avx2();
  }
  return kernels_sse2();
}

template <typename T>
Kernels<T> kernels_of(Isa isa) {
  const AllKernels all = all_kernels_of(isa);
  if constexpr (sizeof(T) == sizeof(float)) return all.f32;
  else return all.f64;
}

}  // namespace fft

/// A list of real numbers of the transform's type, as bytes.
using NumberList = List<std::byte>;

/// A fft::LineTable.
struct FftLines {
  int64_t length = 0, padded = 0;  ///< 0: there is no such table
  List<fft::Pass> passes;
  NumberList twiddles, roots, chirp, filter;
};

/// A transform of one length, as Transform of library/fft.
struct FftTransform {
  int64_t length = 1;
  FftLines direct;         ///< for many lines that aren't too long
  FftLines columns, rows;  ///< for few lines, and for long ones: of a line as a matrix
  NumberList twiddles;     ///< between columns and rows
  int64_t padded = -1;     ///< number of the transform of its convolutions, if the length has no small factors
  NumberList chirp, filter;
};

enum class RealFft : uint8_t { kNone, kForward, kInverse };

/// One unit.
struct FftProblem {
  ElementType type{};  ///< of the parts: f32 or f64
  Isa isa{};
  bool inverse = false;
  RealFft real = RealFft::kNone;
  double scale = 1;
  int64_t rows = 1, kept = 1, real_length = 1;  ///< lines of the last dimension, their complex and real elements
  int64_t first = 0;                            ///< the first transformed dimension
  List<int64_t> sizes;                          ///< of the complex side
  List<int64_t> complex;                        ///< transforms of the complex dimensions from `first` on
  int64_t line = -1;      ///< the transform of a real dimension; of half its length if that is even
  NumberList line_roots;  ///< fft::RealLine::roots, for an even length
  List<FftTransform> transforms;
};

/// Returns the bytes of scratch memory. `transforms` are those of the problem.
size_t fft_scratch(const FftProblem& problem, std::span<const FftTransform> transforms);

}  // namespace hilo::cpu::runtime
