// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/effort.h"

namespace hilo::cpu {

CodeLevel code_level(double seconds) {
  const CodeBudget* const budget = code_budget();
  if (budget == nullptr) return CodeLevel::kGood;
  const CompileEffort& effort = budget->effort;
  if (effort.effort == Effort::kFastest) return CodeLevel::kQuick;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - budget->began;
  if (effort.budget != 0 && passed.count() + seconds > effort.budget) return CodeLevel::kQuick;
  return effort.effort == Effort::kBest ? CodeLevel::kBest : CodeLevel::kGood;
}

void count_code(CodeLevel level, int64_t functions) {
  CodeBudget* const budget = code_budget();
  if (budget != nullptr && level == CodeLevel::kQuick)
    budget->quick_count.fetch_add(functions, std::memory_order_relaxed);
}

}  // namespace hilo::cpu
