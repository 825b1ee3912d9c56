// SPDX-License-Identifier: Apache-2.0
// hlo/ops/short_fft.h -- Fourier transforms of short lines, in the order of operations of FFTPACK and its descendants.
// XLA uses the same order, so results are bit-identical.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/hlo/ops/fft.h"
#include "hilo/hlo/ops/short_fft_lines.h"

namespace hilo::hlo {

/// Returns whether all transformed dimensions are short, and none is empty.
bool is_short_fft(std::span<const int64_t> lengths);

/// An FftPassView with its memory.
template <typename T>
struct FftPass {
  int64_t radix, inner, outer;
  std::vector<Turn<T>> turns, roots;
};

/// The passes of one length, for complex and for real lines.
template <typename T>
struct ShortFft {
  /// Precondition: 0 < length <= kMaxShortLine.
  explicit ShortFft(int64_t length);

  int64_t length;
  std::vector<FftPass<T>> complex, real;
};

/// Transforms whole arrays. `sizes` are those of the complex side: the operand's, or for RFFT the result's. `in` and
/// `out` are numbers, complex ones as pairs. Lines are transformed in blocks; run(count, block) calls
/// block(0..count-1).
template <typename T>
class ShortFftArray {
 public:
  using Blocks = void (*)(int64_t count, const std::function<void(int64_t)>& block);

  /// Prepares the transform; `kernels` doesn't affect the bits of the result.
  ShortFftArray(const FftAttributes& attributes, std::span<const int64_t> sizes,
                const ShortLineKernels<T>& kernels = short_line_kernels<T>());
  /// Transforms all lines of `in` into `out`.
  /// Errors    RESOURCE_EXHAUSTED
  Status run(const T* in, T* out, Blocks blocks) const;

 private:
  void run_blocks(void (*kernel)(const ShortLines<T>&), const std::vector<FftPass<T>>& passes, int64_t line_count,
                  ShortLines<T> lines, Blocks blocks) const;
  void run_complex(size_t dimension, const T* from, T* to, T scale, Blocks blocks) const;
  void run_forward(const T* in, T* out, Blocks blocks) const;
  void run_backward(const T* in, T* out, T scale, Blocks blocks) const;
  int64_t rows() const;

  const ShortLineKernels<T>& kernels_;
  FftType type_;
  std::vector<int64_t> sizes_;
  size_t first_ = 0;  ///< transformed dimension
  std::vector<ShortFft<T>> plans_;
  double scale_ = 1;
};

extern template class ShortFftArray<float>;
extern template class ShortFftArray<double>;

}  // namespace hilo::hlo
