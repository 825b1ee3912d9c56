// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/fft/transform.h -- Fourier transforms of one length, planned once: line by line, as a matrix of
// two factors, or as a convolution if the length has a large prime factor.
#pragma once

#include <complex>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include "hilo/backend/cpu/runtime/fft.h"
#include "hilo/base/status.h"

namespace hilo::cpu::fft {

using runtime::fft::Batch, runtime::fft::Kernels, runtime::fft::LineJob, runtime::fft::LineTable, runtime::fft::Pass;
using runtime::fft::multiply_into, runtime::fft::RealLine, runtime::fft::RealSide;

constexpr int kMaxRadix = runtime::fft::kMaxRadix;

/// The factors of a line that is transformed as a convolution, and the transform of their conjugates.
template <typename T>
struct Chirp {
  std::vector<T> factors, filter;
};

/// The memory of a LineTable, computed once, in double.
template <typename T>
struct LineTables {
  int64_t length = 1, padded = 1;
  std::vector<Pass> passes;
  std::vector<T> twiddles, roots;
  Chirp<T> chirp;  ///< empty if the passes transform the line itself

  LineTable<T> view() const {
    return {length,          padded,       passes.data(),        std::ssize(passes),
            twiddles.data(), roots.data(), chirp.factors.data(), chirp.filter.data()};
  }
};

/// A line as a matrix.
template <typename T>
struct Split {
  LineTables<T> columns, rows;
  std::vector<T> twiddles;  ///< between the two passes
};

template <typename T>
class Transform {
 public:
  /// Computes the tables. Precondition: length > 0.
  Transform(int64_t length, Isa isa);
  ~Transform();
  Transform(Transform&&) noexcept;

  int64_t length() const { return length_; }
  /// Returns the peak memory of the constructor in bytes; INT64_MAX on overflow.
  static int64_t table_bytes(int64_t length);
  /// Transforms the batch. Operand and result may be the same memory with the same strides. The bits are the same for
  /// any number of threads.
  /// Errors    RESOURCE_EXHAUSTED
  Status run(const Batch<T>& batch) const;

  // The tables, for runtime/fft.h.
  const std::optional<LineTables<T>>& direct() const { return direct_; }
  const std::optional<Split<T>>& split() const { return split_; }
  const Transform* padded() const { return padded_.get(); }
  const Chirp<T>& chirp() const { return chirp_; }

  /// Whether batches of that many lines may have a real side.
  bool supports_real(int64_t lines) const { return direct_ && !are_few(lines); }

 private:
  /// Whether there are too few lines to fill the lanes of a register, and a line can be split among the lanes.
  bool are_few(int64_t lines) const { return lines < kernels_.lanes && (split_ || padded_ != nullptr); }
  void run_direct(const Batch<T>& batch) const;
  Status run_split(const T* from, int64_t from_element, T* to, int64_t to_element, bool inverse, T scale) const;
  /// Transforms lines [begin, end) together.
  Status run_convolutions(const Batch<T>& batch, int64_t begin, int64_t end) const;
  void run_job(LineJob<T> job, double work) const;

  int64_t length_;
  Kernels<T> kernels_;
  std::optional<LineTables<T>> direct_;   ///< for many lines that aren't too long
  std::optional<Split<T>> split_;         ///< for few lines, and for long ones
  std::unique_ptr<Transform<T>> padded_;  ///< for both if the length has no small factors: convolutions of its length
  Chirp<T> chirp_;
};

/// Returns RealLine::roots of a line of 2 half elements.
template <typename T>
std::vector<T> real_line_roots(int64_t half);

/// Computes exp(-2 pi i k / n) for one n, as the rounded product of two of sqrt(n) roots in long double. Exact at
/// multiples of a quarter turn.
/// Cost     2 sqrt(n) sines and cosines, then four multiplications per root
class RootsOfUnity {
 public:
  explicit RootsOfUnity(int64_t n);
  /// Precondition: 0 <= k < n.
  std::complex<double> operator()(int64_t k) const;

 private:
  struct Root {
    long double cosine, sine;
  };
  int64_t n_, fine_count_;
  std::vector<Root> fine_, coarse_;  ///< of angles in eighths of a step: all, and each fine_count_-th
};

extern template class Transform<float>;
extern template class Transform<double>;
extern template std::vector<float> real_line_roots(int64_t half);
extern template std::vector<double> real_line_roots(int64_t half);

}  // namespace hilo::cpu::fft
