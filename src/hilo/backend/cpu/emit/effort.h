// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/effort.h -- selects the pipeline of LLVM that generates a function, by the effort and the budget of
// the compilation.
#pragma once

#include <atomic>
#include <chrono>
#include <utility>

#include "hilo/device/compile_options.h"

namespace hilo::cpu {

/// LLVM's pipelines. The emitters allow no transformation that rounds differently, so all compute the same bits.
enum class CodeLevel : uint8_t {
  kQuick,  ///< no optimization, and registers are allocated block by block
  kGood,
  kBest,
};
inline constexpr size_t kCodeLevelCount = 3;

/// The time for code of one compilation, which its threads share.
struct CodeBudget {
  CompileEffort effort;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::atomic<int64_t> quick_count{0};  ///< functions of level kQuick that the program uses
};

namespace effort_detail {
inline constinit thread_local CodeBudget* budget_of_thread = nullptr;
}  // namespace effort_detail

/// Returns the budget of this thread's compilation; null means the default effort.
inline CodeBudget* code_budget() { return effort_detail::budget_of_thread; }

/// Sets the budget of this thread's compilation for the duration of the scope. The budget must outlive the scope.
class EffortScope {
 public:
  explicit EffortScope(CodeBudget* budget) : before_(std::exchange(effort_detail::budget_of_thread, budget)) {}
  ~EffortScope() { effort_detail::budget_of_thread = before_; }
  EffortScope(const EffortScope&) = delete;
  EffortScope& operator=(const EffortScope&) = delete;

 private:
  CodeBudget* before_;
};

/// Returns the level for a function whose generation by kGood is expected to take that many seconds.
CodeLevel code_level(double seconds);

/// Counts functions of level kQuick for the statistics of this thread's compilation; ignores other levels.
void count_code(CodeLevel level, int64_t functions = 1);

/// Expected seconds of kGood for an operation on scalars or one vector in a function without loops, and for one in the
/// loops of a region. The edges of a loop are copies of it.
inline constexpr double kSecondsAnOperation = 20e-6, kSecondsAnOperationOfRegion = 50e-6;

}  // namespace hilo::cpu
