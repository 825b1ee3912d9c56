// SPDX-License-Identifier: Apache-2.0
// backend/limits.h -- enforces CompileLimits in compilers.
#pragma once

#include "hilo/device/compile_options.h"
#include "hilo/device/executable.h"

namespace hilo {

/// Checks the number of instructions. Each computation counts once.
/// Errors    RESOURCE_EXHAUSTED "Compile 'f': too many instructions; got 4096 in all computations; wanted at most ..."
Status check_instruction_limit(const hlo::Module& module, const CompileLimits& limits);

/// Checks the number of instructions of `grown`, the result of the passes so far.
/// hlo::max_expanded_instructions(program) is a limit, too: a module that exceeds it would also exceed it at the end.
Status check_growth_limit(const hlo::Module& program, const hlo::Module& grown, const CompileLimits& limits);

/// Checks the number of instructions for a planner that clones computations: each computation counts once per call.
/// `program` is the module before the passes, `optimized` the module after them.
/// Errors    RESOURCE_EXHAUSTED if it exceeds CompileLimits::instructions or hlo::max_expanded_instructions(program);
///           without a limit on instructions neither is checked
Status check_expansion_limit(const hlo::Module& program, const hlo::Module& optimized, const CompileLimits& limits);

/// Checks the size of each array.
/// Errors    RESOURCE_EXHAUSTED naming an instruction with an array of more than 2^56 bytes: no memory is that large,
/// and sums of
///           a few such sizes exceed 64 bits
Status check_array_sizes(const hlo::Module& module);

/// Checks the memory of a run.
/// Errors    RESOURCE_EXHAUSTED if a run would need more memory than CompileLimits::memory_bytes
Status check_memory_limit(const ProgramSignature& signature, const ExecutableStatistics& statistics,
                          const CompileLimits& limits);

/// A scope in which compilation on this thread observes the stop token and the deadline of the options.
class CompileScope {
 public:
  explicit CompileScope(const CompileOptions& options);

  /// Returns `status`; if the compilation was stopped, returns CANCELLED or DEADLINE_EXCEEDED naming the limit.
  Status outcome(const Status& status, std::string_view program, const CompileLimits& limits) const;

 private:
  DeadlineWatch watch_;
  StopScope scope_;
};

}  // namespace hilo
