// SPDX-License-Identifier: Apache-2.0
// backend/limits.h -- how compilers keep to CompileLimits.
#pragma once

#include "hilo/device/compile_options.h"
#include "hilo/device/executable.h"

namespace hilo {

/// Instructions as passes hold them: each computation once.
/// Errors    RESOURCE_EXHAUSTED "Compile 'f': too many instructions; got 4096 in all computations; wanted at most ..."
Status check_instruction_limit(const hlo::Module& module, const CompileLimits& limits);

/// The same of what passes made of `program` so far, which has hlo::max_expanded_instructions(program) as a limit too: what is
/// larger now won't be small enough at the end.
Status check_growth_limit(const hlo::Module& program, const hlo::Module& grown, const CompileLimits& limits);

/// Instructions as a planner that clones computations has them: each computation once for each place that calls it. `program`
/// is what was written, `optimized` what passes made of it.
/// Errors    RESOURCE_EXHAUSTED where that is more than CompileLimits::instructions or hlo::max_expanded_instructions(program);
///           no limit on instructions turns both off
Status check_expansion_limit(const hlo::Module& program, const hlo::Module& optimized, const CompileLimits& limits);

/// Errors    RESOURCE_EXHAUSTED naming an instruction of which an array has more than 2^56 bytes: no memory holds it, and sums of
///           a few such sizes leave 64 bits
Status check_array_sizes(const hlo::Module& module);

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
