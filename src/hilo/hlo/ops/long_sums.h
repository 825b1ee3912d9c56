// SPDX-License-Identifier: Apache-2.0
// hlo/ops/long_sums.h -- how many values are summed without losing digits: in pairs, or with what each addition lost.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hilo::hlo {

/// Folds values as a tree: runs of a few go left to right, as XLA's do, and runs are joined in pairs. The error of a sum
/// grows with log n. Runs are counted as a binary number: where bit k is set, level k holds what 2^k of them became.
template <typename A>
class PairwiseFold {
 public:
  using Operation = A (*)(A, A);
  explicit PairwiseFold(Operation operation) : operation_(operation) {}

  void take(A value) {
    run_ = length_ == 0 ? value : operation_(run_, value);
    if (++length_ == kLongestRun) end_run();
  }

  /// `initial`, then all that was taken.
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
  static constexpr size_t kLongestRun = 32;

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
  size_t length_ = 0;  ///< of the run
  uint64_t runs_ = 0;
  std::vector<A> levels_;
};

/// A sum that can be read after every step: what additions lose is summed beside it.
struct CompensatedSum {
  double sum = 0, lost = 0;

  void take(double x) {
    const double next = sum + x, taken = next - sum;
    lost += (sum - (next - taken)) + (x - taken);
    sum = next;
  }
  /// From infinity on nothing is known of what was lost; and -0 stays where nothing was.
  double value() const { return lost < 0 || lost > 0 ? sum + lost : sum; }
};

/// What keeps the running sum of many T: floats of 32 bits and less fit into a double many times over.
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
