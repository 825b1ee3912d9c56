// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/tier.h -- replaces a program's quick code at run time by good code, which another thread generates.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "hilo/backend/cpu/load/program.h"

namespace hilo::cpu {

/// The code of a program: quick code until the good code exists. Safe to use from several threads at once; a run uses
/// the code that code() returned at its beginning until its end.
class Tier {
 public:
  /// Generates the same plan with good code. Runs on a separate thread.
  using Generate = std::function<StatusOr<Program>()>;

  /// `quick` must outlive the tier. `seconds`: the time that `generate` is expected to take.
  Tier(const Program& quick, Generate generate, double seconds);

  /// Returns the code for a run.
  /// Cost    one load
  const Program& code() const { return *state_->code.load(std::memory_order_acquire); }

  /// Whether the good code hasn't been requested, so that runs are timed.
  bool is_timed() const { return !state_->requested.load(std::memory_order_relaxed); }
  /// Adds the time of a run. Requests the good code once the runs have taken as long as its generation is expected to
  /// take: so all code together costs at most twice the time of the better choice.
  void add_run(std::chrono::nanoseconds time);

  bool is_replaced() const { return state_->replaced.load(std::memory_order_acquire); }

 private:
  struct State {
    std::atomic<const Program*> code;
    std::atomic<bool> requested{false}, replaced{false};
    std::atomic<int64_t> run_nanoseconds{0};
    int64_t enough_nanoseconds = 0;
    engine::Plan steps;  ///< of the quick code, without code and constants
    Generate generate;
    Program good;  ///< set before `code` points to it
  };

  static void replace(State& state);

  std::shared_ptr<State> state_;  // shared with the thread while it generates the code
};

/// Measures a run of quick code. `tier` may be null.
class TierClock {
 public:
  explicit TierClock(Tier* tier) : tier_(tier != nullptr && tier->is_timed() ? tier : nullptr) {
    if (tier_ != nullptr) begin_ = std::chrono::steady_clock::now();
  }
  ~TierClock() {
    if (tier_ != nullptr) tier_->add_run(std::chrono::steady_clock::now() - begin_);
  }
  TierClock(const TierClock&) = delete;
  TierClock& operator=(const TierClock&) = delete;

 private:
  Tier* tier_;
  std::chrono::steady_clock::time_point begin_;
};

/// Waits until no thread generates code to replace other code. For tests and measurements.
void await_replacements();

}  // namespace hilo::cpu
