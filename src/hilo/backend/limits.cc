// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/ir/expanded_size.h"

namespace hilo {
namespace {

int64_t add_saturating(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

constexpr std::string_view kHint = "Hint: CompileLimits::instructions, hilo_max_instructions, --max-instructions";

}  // namespace

Status check_instruction_limit(const hlo::Module& module, const CompileLimits& limits) {
  const int64_t count = hlo::instruction_count(module);
  if (limits.instructions == 0 || count <= limits.instructions) return ok_status();
  return resource_exhausted(
      fmt::format("Compile '{}': too many instructions; got {} in all computations; wanted at most {}. {}", module.name,
                  count, limits.instructions, kHint));
}

namespace {

/// Checks `count`, the number of instructions of `program` after the expansion described by `how`.
Status check_expanded(const hlo::Module& program, int64_t count, std::string_view how, const CompileLimits& limits) {
  const int64_t relative = hlo::max_expanded_instructions(program);
  if (limits.instructions == 0 || count <= std::min(limits.instructions, relative)) return ok_status();
  const std::string got = fmt::format("Compile '{}': too many instructions; got {}{} {}", program.name,
                                      count == INT64_MAX ? "at least " : "", count, how);
  if (limits.instructions <= relative)
    return resource_exhausted(fmt::format("{}; wanted at most {}. {}", got, limits.instructions, kHint));
  return resource_exhausted(
      fmt::format("{}; wanted at most {} for a program of {}. Hint: each call of a computation is a copy; call "
                  "it in a while loop instead",
                  got, relative, hlo::instruction_count(program)));
}

}  // namespace

Status check_growth_limit(const hlo::Module& program, const hlo::Module& grown, const CompileLimits& limits) {
  return check_expanded(program, hlo::instruction_count(grown), "after a pass", limits);
}

Status check_expansion_limit(const hlo::Module& program, const hlo::Module& optimized, const CompileLimits& limits) {
  return check_expanded(program, hlo::expanded_instruction_count(optimized), "after inlining and cloning", limits);
}

Status check_array_sizes(const hlo::Module& module) {
  constexpr int64_t kMaxBytes = int64_t{1} << 56;
  const auto fits = [](const Shape& leaf) { return !leaf.is_array() || leaf.byte_size() <= kMaxBytes; };
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    for (const hlo::Instruction& i : computation->instructions()) {
      if (i.shape.is_tuple() ? std::ranges::all_of(i.shape.leaves(), fits) : fits(i.shape)) continue;
      return resource_exhausted(fmt::format("Compile '{}': {} is too large; got {}, wanted at most {} bytes an array",
                                            module.name, describe(i), i.shape.to_string(), kMaxBytes));
    }
  }
  return ok_status();
}

Status check_memory_limit(const ProgramSignature& signature, const ExecutableStatistics& statistics,
                          const CompileLimits& limits) {
  if (limits.memory_bytes == 0) return ok_status();
  const MemoryAnalysis memory = memory_analysis(signature, statistics);
  const int64_t needed = add_saturating(memory.peak_bytes, memory.constant_bytes);
  if (needed <= limits.memory_bytes) return ok_status();
  return resource_exhausted(fmt::format(
      "Compile '{}': too much memory; got {} for arguments, {} for results, {} for temporaries, {} for constants; "
      "wanted at most {} in total. Hint: CompileLimits::memory_bytes, hilo_max_memory, --max-memory",
      signature.name, bytes_text(static_cast<uint64_t>(memory.argument_bytes)),
      bytes_text(static_cast<uint64_t>(memory.output_bytes)), bytes_text(static_cast<uint64_t>(memory.temporary_bytes)),
      bytes_text(static_cast<uint64_t>(memory.constant_bytes)),
      bytes_text(static_cast<uint64_t>(limits.memory_bytes))));
}

CompileScope::CompileScope(const CompileOptions& options)
    : watch_(options.cancellation.token, deadline_in(options.limits.compile_seconds)), scope_(watch_.word()) {}

Status CompileScope::outcome(const Status& status, std::string_view program, const CompileLimits& limits) const {
  const Status stopped = stop_status();
  if (stopped.code() == StatusCode::kCancelled) return cancelled(fmt::format("Compile '{}': cancelled", program));
  if (stopped.ok()) return status;
  return Status(StatusCode::kDeadlineExceeded,
                fmt::format("Compile '{}': compilation took too long; wanted at most {} s. Hint: "
                            "CompileLimits::compile_seconds, hilo_compile_seconds, --timeout",
                            program, limits.compile_seconds));
}

}  // namespace hilo
