// SPDX-License-Identifier: Apache-2.0
// hlo/ops/short_fft_lines.h -- the inner loops of short Fourier transforms, one set per vector width: each lane is a
// line. Only plain data, because some files that include it are compiled for processors that the rest of the library
// may not run on.
#pragma once

#include <cstdint>

namespace hilo::hlo {

/// Maximal number of elements in a line; longer lines round differently.
inline constexpr int64_t kMaxShortLine = 64;

template <typename T>
struct Turn {
  T re, im;
};

/// One factor of a length, with the numbers that its pass multiplies by.
template <typename T>
struct FftPassView {
  int64_t radix, inner, outer;  ///< length = radix * inner * outer; inner elements are adjacent
  const Turn<T>* turns;         ///< of element i > 0 of branch j > 0: number (j - 1) * (inner - 1) + i - 1
  const Turn<T>* roots;         ///< exp(2 pi i k / radix), of odd radices
};

/// Lines [begin, begin + count) of an array, at most one for each lane.
template <typename T>
struct ShortLines {
  int64_t length = 0;
  const FftPassView<T>* passes = nullptr;
  int64_t pass_count = 0;
  const T* from = nullptr;
  T* to = nullptr;
  int64_t begin = 0, count = 0;
  int64_t stride = 1;   ///< distance between elements of a complex line, and number of adjacent lines
  bool forward = true;  ///< of complex lines
  T scale = 1;
};

template <typename T>
struct ShortLineKernels {
  int64_t lanes;
  void (*complex)(const ShortLines<T>&);
  void (*forward)(const ShortLines<T>&);   ///< real lines to half-complex ones
  void (*backward)(const ShortLines<T>&);  ///< half-complex lines to real ones
};

/// Vectors of 16 bytes, which every processor has.
template <typename T>
const ShortLineKernels<T>& short_line_kernels();

}  // namespace hilo::hlo
