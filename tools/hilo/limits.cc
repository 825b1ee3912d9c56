// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/limits.h"

#include <algorithm>
#include <limits>

#include "tools/hilo/interrupt.h"

namespace hilo::tool {

void add_limit_options(CLI::App& app, LimitOptions& options) {
  app.add_option("--timeout", options.timeout,
                 "End with DEADLINE_EXCEEDED after so long, compiling and running together")
      ->check(CLI::Range(1e-3, 1e8))
      ->type_name("SECONDS");
  app.add_option(
         "--max-memory", options.memory,
         "Refuse programs that plan to use more: arguments, results, temporaries and constants. Takes 512MB, 4GiB; "
         "0: what can be had")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->type_name("BYTES");
  app.add_option("--max-instructions", options.instructions,
                 "Refuse programs with more, all that is called counted at every call; 0: any number")
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->type_name("N");
}

void Limits::limit(CompileOptions& options) const {
  constexpr double kNoTimeLeft = 1e-6;  // 0 would be no limit
  options.cancellation.token = &interrupt_token();
  options.limits.memory_bytes = options_.memory.value_or(options.limits.memory_bytes);
  options.limits.instructions = options_.instructions.value_or(options.limits.instructions);
  if (deadline_ == kNoDeadline) return;
  const std::chrono::duration<double> left = deadline_ - std::chrono::steady_clock::now();
  options.limits.compile_seconds = std::max(left.count(), kNoTimeLeft);
}

void Limits::limit(ExecuteOptions& options) const {
  options.cancellation = &interrupt_token();
  if (deadline_ != kNoDeadline) options.deadline = deadline_;
}

}  // namespace hilo::tool
