// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/limits.h"

#include <algorithm>
#include <limits>

#include "tools/hilo/interrupt.h"

namespace hilo::tool {

void add_limit_options(CLI::App& app, LimitOptions& options) {
  app.add_option("--timeout", options.timeout,
                 "Timeout in seconds for compiling and running together. Then the error is DEADLINE_EXCEEDED. Default: "
                 "no limit")
      ->check(CLI::Range(1e-3, 1e8))
      ->type_name("SECONDS");
  app.add_option("--max-memory", options.memory,
                 "Reject programs whose planned memory is larger: arguments, results, temporaries and constants. In "
                 "bytes, or as 512MB or 4GiB. 0: the available memory")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->type_name("BYTES");
  app.add_option("--max-instructions", options.instructions,
                 "Reject programs with more instructions. Called computations count once per call. 0: no limit")
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->type_name("N");
}

void Limits::limit(CompileOptions& options) const {
  constexpr double kNoTimeLeft = 1e-6;  // 0 would mean no limit
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
