// SPDX-License-Identifier: Apache-2.0
// hlo/ops/long_sums.h -- accurate sums of many values: pairwise, or with compensation of rounding errors.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hilo::hlo {

/// Folds values as a tree: short runs are folded from left to right, as in XLA, and runs are joined in pairs. The error
/// of a sum grows with log n. Runs are counted as a binary number: if bit k is set, level k contains the result of 2^k
/// runs.
template <typename A>
class PairwiseFold {
 public:
  using Operation = A (*)(A, A);
  explicit PairwiseFold(Operation operation) : operation_(operation) {}

  void take(A value) {
    run_ = length_ == 0 ? value : operation_(run_, value);
    if (++length_ == kMaxRun) end_run();
  }

  /// Returns `initial` combined with all values so far.
  A value(A initial) const {
    A total = run_;
    bool any = length_ != 0;
    for (size_t level = 0; level < levels_.size(); ++level) {
      if ((runs_ >> level & 1) == 0) continue;
      total = any ? operation_(levels_[level], total) : static_cast<A>(levels_[level]);
      any = true;
    }
    return any ? operation_(initial, total) : initial;
  }

 private:
  static constexpr size_t kMaxRun = 32;

  void end_run() {
    A joined = run_;
    size_t level = 0;
    for (; (runs_ >> level & 1) != 0; ++level) joined = operation_(levels_[level], joined);
    if (level == levels_.size()) levels_.push_back(joined);
    else levels_[level] = joined;
    ++runs_;
    length_ = 0;
  }

  Operation operation_;
  A run_{};
  size_t length_ = 0;  ///< length of the run
  uint64_t runs_ = 0;
  std::vector<A> levels_;
};

/// A compensated sum that can be read after every step: rounding errors are summed separately.
struct CompensatedSum {
  double sum = 0, lost = 0;

  void take(double x) {
    const double next = sum + x, added = next - sum;
    lost += (sum - (next - added)) + (x - added);
    sum = next;
  }
  /// After an infinity the error is NaN and is ignored. Without an error -0 is preserved.
  double value() const { return lost < 0 || lost > 0 ? sum + lost : sum; }
};

/// The accumulator of a running sum of T. Floats of at most 32 bits need no compensation in a double.
template <typename T>
struct RunningSum {
  double sum = 0;
  RunningSum() = default;
  explicit RunningSum(T initial) : sum(static_cast<double>(initial)) {}
  void take(T x) { sum += static_cast<double>(x); }
  T value() const { return static_cast<T>(sum); }
};
template <>
struct RunningSum<double> : CompensatedSum {
  RunningSum() = default;
  explicit RunningSum(double initial) : CompensatedSum{initial} {}
};
template <typename T>
struct RunningSum<std::complex<T>> {
  RunningSum<T> real, imaginary;
  RunningSum() = default;
  explicit RunningSum(std::complex<T> initial) : real(initial.real()), imaginary(initial.imag()) {}
  void take(std::complex<T> x) {
    real.take(x.real());
    imaginary.take(x.imag());
  }
  std::complex<T> value() const { return {real.value(), imaginary.value()}; }
};

}  // namespace hilo::hlo
