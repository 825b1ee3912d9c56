// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/fft/kernels.h -- Fourier transforms of many lines at once, one line per lane of a vector
// register. There is one copy of the code for each instruction set.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace hilo::cpu::fft {

constexpr int kMaxRadix = 61;  // larger prime factors use a convolution

/// One pass of a Stockham transform: `count` butterflies of `radix` elements on `stride` interleaved sequences.
struct Pass {
  int radix;
  int64_t count, stride;
  int64_t twiddles;  ///< the first one's index in LineTable::twiddles; radix - 1 complex numbers for each butterfly
};

/// Tables for the transform of a line as a convolution of a longer one (L. I. Bluestein, 1970): k l = (k^2 + l^2 - (k -
/// l)^2) / 2. Real and imaginary parts alternate.
template <typename T>
struct Chirp {
  std::vector<T> factors;  ///< exp(-pi i k^2 / length), for the factors before and after
  std::vector<T> filter;   ///< the transform of their conjugates, divided by its number of elements
};

/// Tables for the transform of one length, computed once, in double.
template <typename T>
struct LineTable {
  int64_t length = 1;
  /// number of elements that the passes transform: `length`, or more if that has a large prime factor
  int64_t padded = 1;
  std::vector<Pass> passes;
  std::vector<T> twiddles;            ///< real and imaginary parts alternate
  std::vector<std::vector<T>> roots;  ///< by radix: its roots of unity, for radices without specialized code
  Chirp<T> chirp;                     ///< empty if the passes transform the line itself

  // Members for kernels.inc, which may not call code that other files compile for another machine.
  int64_t pass_count() const;
  const Pass& pass(int64_t k) const;
  const T* twiddle_data() const;
  const T* root_data(int radix) const;
  bool is_convolution() const;
  const T* chirp_data() const;
  const T* filter_data() const;
};

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

  /// Returns memory of the thread of at least that many bytes, aligned for vectors. It is valid until the next call.
  void* memory(int64_t bytes) const;
};

/// A real line as a complex one of half as many elements: even ones are real parts, odd ones imaginary.
template <typename T>
struct RealLine {
  int64_t half;    ///< elements of the complex line
  const T* roots;  ///< exp(-pi i k / half) for k <= half / 2; real and imaginary parts alternate
};

/// Number of lines in a vector register.
template <typename T>
constexpr int64_t lanes(int vector_bytes) {
  return vector_bytes / static_cast<int64_t>(sizeof(T));
}

/// The functions of one instruction set.
template <typename T>
struct Kernels {
  /// Transforms lines.
  void (*run)(const LineJob<T>& job);
  /// Computes a real line's transform from that of the complex line, in place. `z` has memory for half + 1 elements.
  void (*separate)(const RealLine<T>& line, T* z);
  /// Computes the complex line's transform, times two, from that of the real line.
  void (*join)(const RealLine<T>& line, const T* x, T* z);
};

namespace sse2 {
void run(const LineJob<float>& job);
void run(const LineJob<double>& job);
void separate(const RealLine<float>& line, float* z);
void separate(const RealLine<double>& line, double* z);
void join(const RealLine<float>& line, const float* x, float* z);
void join(const RealLine<double>& line, const double* x, double* z);
}  // namespace sse2
namespace avx2 {
void run(const LineJob<float>& job);
void run(const LineJob<double>& job);
void separate(const RealLine<float>& line, float* z);
void separate(const RealLine<double>& line, double* z);
void join(const RealLine<float>& line, const float* x, float* z);
void join(const RealLine<double>& line, const double* x, double* z);
}  // namespace avx2
namespace avx512 {
void run(const LineJob<float>& job);
void run(const LineJob<double>& job);
void separate(const RealLine<float>& line, float* z);
void separate(const RealLine<double>& line, double* z);
void join(const RealLine<float>& line, const float* x, float* z);
void join(const RealLine<double>& line, const double* x, double* z);
}  // namespace avx512

}  // namespace hilo::cpu::fft
