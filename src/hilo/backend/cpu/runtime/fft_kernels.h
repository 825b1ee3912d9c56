// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/fft_kernels.h -- Fourier transforms of many lines at once, one line per lane of a vector
// register. There is one copy of the code for each instruction set.
#pragma once

#include <cstdint>

namespace hilo::cpu::runtime::fft {

constexpr int kMaxRadix = 61;  // larger prime factors use a convolution

/// One pass of a Stockham transform: `count` butterflies of `radix` elements on `stride` interleaved sequences.
struct Pass {
  int radix;
  int64_t count, stride;
  int64_t twiddles;  ///< the first one's index in LineTable::twiddles; radix - 1 complex numbers for each butterfly
  int64_t roots;     ///< the first one's index in LineTable::roots: the radix' roots of unity
};

/// Tables for the transform of one length. Lines whose length has a large prime factor are convolutions of longer ones
/// (L. I. Bluestein, 1970): k l = (k^2 + l^2 - (k - l)^2) / 2. Real and imaginary parts alternate.
template <typename T>
struct LineTable {
  int64_t length = 1;
  int64_t padded = 1;  ///< number of elements that the passes transform: `length`, or more for a convolution
  const Pass* passes = nullptr;
  int64_t pass_count = 0;
  const T *twiddles = nullptr, *roots = nullptr;
  const T* chirp = nullptr;   ///< of a convolution: exp(-pi i k^2 / length), for the factors before and after
  const T* filter = nullptr;  ///< the transform of their conjugates, divided by its number of elements
};

/// Returns the bytes of LineJob::memory.
template <typename T>
int64_t line_memory_bytes(const LineTable<T>& table, int64_t lanes) {
  return 4 * table.padded * lanes * static_cast<int64_t>(sizeof(T));
}

/// Lines in memory: element k of line l is at k * element + l * line, in complex numbers.
template <typename T>
struct Lines {
  T* data;
  int64_t element, line;
};

/// The side of a transform that is real. Its lines are adjacent numbers; `line` is their distance in numbers. The other
/// side has only the elements up to the middle, which determine the others.
enum class RealSide : uint8_t { kNone, kFrom, kTo };

/// Lines [begin, end) of a transform.
template <typename T>
struct LineJob {
  const LineTable<T>* table;
  Lines<const T> from;
  Lines<T> to;
  int64_t begin, end;
  bool inverse = false;
  T scale = 1;
  /// if not null, element k of line l is multiplied by number k * twiddle_line + l of this table
  const T* twiddle = nullptr;
  int64_t twiddle_line = 0;
  RealSide real = RealSide::kNone;
  void* memory = nullptr;  ///< line_memory_bytes(), aligned for vectors
};

/// `groups` times `count` lines; strides in complex numbers.
template <typename T>
struct Batch {
  Lines<const T> from;
  Lines<T> to;
  int64_t count = 1, groups = 1, from_group = 0, to_group = 0;
  bool inverse = false;
  T scale = 1;
  RealSide real = RealSide::kNone;  ///< only if lines are transformed directly
};

/// A real line as a complex one of half as many elements: even ones are real parts, odd ones imaginary.
template <typename T>
struct RealLine {
  int64_t half;    ///< elements of the complex line
  const T* roots;  ///< exp(-pi i k / half) for k <= half / 2; real and imaginary parts alternate
};

/// The functions of one instruction set.
template <typename T>
struct Kernels {
  int64_t lanes;  ///< numbers in a register, and lines that are transformed at once
  /// Transforms lines.
  void (*run)(const LineJob<T>& job);
  /// Computes a real line's transform from that of the complex line, in place. `z` has memory for half + 1 elements.
  void (*separate)(const RealLine<T>& line, T* z);
  /// Computes the complex line's transform, times two, from that of the real line.
  void (*join)(const RealLine<T>& line, const T* x, T* z);
};

struct AllKernels {
  Kernels<float> f32;
  Kernels<double> f64;
};
AllKernels kernels_sse2();
AllKernels kernels_avx2();
AllKernels kernels_avx512();

/// Multiplies complex numbers: to[k] = a[k] * b[k] * scale, with the conjugate of b[k] if that is set.
template <typename T>
void multiply_into(const T* a, int64_t a_element, const T* b, int64_t count, bool conjugate_b, T scale, T* to,
                   int64_t to_element) {
  for (int64_t k = 0; k < count; ++k) {
    const T re = a[2 * k * a_element], im = a[2 * k * a_element + 1];
    const T b_re = b[2 * k], b_im = conjugate_b ? -b[2 * k + 1] : b[2 * k + 1];
    to[2 * k * to_element] = (re * b_re - im * b_im) * scale;
    to[2 * k * to_element + 1] = (re * b_im + im * b_re) * scale;
  }
}

}  // namespace hilo::cpu::runtime::fft
