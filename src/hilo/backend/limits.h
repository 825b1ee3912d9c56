// SPDX-License-Identifier: Apache-2.0
// backend/limits.h -- how compilers keep to CompileLimits.
#pragma once

#include "hilo/device/compile_options.h"
#include "hilo/device/executable.h"

namespace hilo {

/// Instructions of the program if every computation stood where it is called; saturates at INT64_MAX.
/// Cost    one look at every instruction
int64_t expanded_instruction_count(const hlo::Module& module);

/// What is counted: each computation once, as passes hold them, or once for each place that it is called from, as a planner
/// that clones them does.
enum class Counted : uint8_t { kOnce, kWhereCalled };

/// Errors    RESOURCE_EXHAUSTED "Compile 'f': too many instructions; got 4096 after inlining and cloning; wanted ..."
Status check_instruction_limit(const hlo::Module& module, Counted counted, const CompileLimits& limits);

/// Errors    RESOURCE_EXHAUSTED if a run would take more memory than CompileLimits::memory_bytes
Status check_memory_limit(const ProgramSignature& signature, const ExecutableStatistics& statistics,
                          const CompileLimits& limits);

/// While it lives, what this thread compiles belongs to the token and the time of the options.
class CompileScope {
 public:
  explicit CompileScope(const CompileOptions& options);

  /// `status` itself; or, if the compilation was told to stop, CANCELLED or DEADLINE_EXCEEDED naming the limit.
  Status outcome(const Status& status, std::string_view program, const CompileLimits& limits) const;

 private:
  DeadlineWatch watch_;
  StopScope scope_;
};

}  // namespace hilo
