// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/limits.h"

#include <fmt/format.h>

#include <unordered_map>

#include "hilo/base/text.h"

namespace hilo {
namespace {

int64_t add_saturating(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

}  // namespace

int64_t expanded_instruction_count(const hlo::Module& module) {
  std::unordered_map<const hlo::Computation*, int64_t> counts;  // called ones come first
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    int64_t count = computation->size();
    for (const hlo::Instruction& i : computation->instructions()) {
      for (const hlo::ComputationPtr& called : hlo::called_computations(i))
        count = add_saturating(count, counts.at(called.get()));
    }
    counts.emplace(computation.get(), count);
  }
  return counts.at(module.entry.get());
}

Status check_instruction_limit(const hlo::Module& module, Counted counted, const CompileLimits& limits) {
  if (limits.instructions == 0) return ok_status();
  const bool cloned = counted == Counted::kWhereCalled;
  const int64_t count = cloned ? expanded_instruction_count(module) : hlo::instruction_count(module);
  if (count <= limits.instructions) return ok_status();
  return resource_exhausted(fmt::format(
      "Compile '{}': too many instructions; got {}{} {}; wanted at most {}. Hint: CompileLimits::instructions, "
      "hilo_max_instructions, --max-instructions",
      module.name, count == INT64_MAX ? "at least " : "", count,
      cloned ? "after inlining and cloning" : "in all computations", limits.instructions));
}

Status check_memory_limit(const ProgramSignature& signature, const ExecutableStatistics& statistics,
                          const CompileLimits& limits) {
  if (limits.memory_bytes == 0) return ok_status();
  const MemoryAnalysis memory = memory_analysis(signature, statistics);
  const int64_t wanted = add_saturating(memory.peak_bytes, memory.constant_bytes);
  if (wanted <= limits.memory_bytes) return ok_status();
  return resource_exhausted(fmt::format(
      "Compile '{}': too much memory; got {} for arguments, {} for results, {} for temporaries, {} for constants; "
      "wanted "
      "at most {} in all. Hint: CompileLimits::memory_bytes, hilo_max_memory, --max-memory",
      signature.name, bytes_text(static_cast<uint64_t>(memory.argument_bytes)),
      bytes_text(static_cast<uint64_t>(memory.output_bytes)), bytes_text(static_cast<uint64_t>(memory.temporary_bytes)),
      bytes_text(static_cast<uint64_t>(memory.constant_bytes)),
      bytes_text(static_cast<uint64_t>(limits.memory_bytes))));
}

CompileScope::CompileScope(const CompileOptions& options)
    : watch_(options.cancellation.token, deadline_in(options.limits.compile_seconds)), scope_(watch_.word()) {}

Status CompileScope::outcome(const Status& status, std::string_view program, const CompileLimits& limits) const {
  const Status stopped = stop_status();
  if (stopped.code() == StatusCode::kCancelled)
    return cancelled(fmt::format("Compile '{}': it was cancelled", program));
  if (stopped.ok()) return status;
  return Status(StatusCode::kDeadlineExceeded,
                fmt::format("Compile '{}': it took too long; wanted at most {} s. Hint: "
                            "CompileLimits::compile_seconds, hilo_compile_seconds, --timeout",
                            program, limits.compile_seconds));
}

}  // namespace hilo
