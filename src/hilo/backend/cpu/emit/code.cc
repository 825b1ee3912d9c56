// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/code.h"

#include <chrono>

#include "hilo/backend/cpu/emit/code_cache.h"
#include "hilo/backend/cpu/emit/effort.h"
#include "hilo/backend/cpu/emit/jit.h"
#include "hilo/backend/cpu/emit/kernel_cache.h"
#include "hilo/backend/cpu/emit/whole_loop.h"
#include "hilo/engine/kernel_offsets.h"
#include "hilo/engine/whole_loops.h"

namespace hilo::cpu {
namespace {

constexpr const char* kLoopName = "loop";

struct LoopCode {
  std::shared_ptr<CompiledCode> code;
};
int64_t held_bytes(const LoopCode& loop) { return std::ssize(*loop.code); }

StatusOr<LoopCode> compile_loop(const LoopSource& source, Isa isa, CodeLevel level, hlo::PassObserver* observer) {
  const auto began = std::chrono::steady_clock::now();
  const auto emit = [&](llvm::Module& module) { return emit_whole_loop(module, isa, source, kLoopName); };
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<CompiledCode> code, compile_code(kLoopName, isa, level, emit));
  if (observer != nullptr) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    observer->generated(kLoopName, code->size(), took.count());
  }
  return LoopCode{std::move(code)};
}

/// Returns the expected time of compiling a loop: that of the kernels that it contains.
double loop_seconds(const engine::PlannedProgram& program, const engine::PlannedLoop& planned) {
  const engine::WhileLoop& loop = program.plan.loops[planned.loop];
  return kSecondsAnOperationOfRegion * 8 * static_cast<double>(loop.condition.size() + loop.body.size());
}

Status emit_loops(engine::PlannedProgram& program, Isa isa, hlo::PassObserver* observer, int64_t& compiled) {
  static auto* const cache = new CodeCache<LoopCode>;
  for (size_t k = 0; k < program.loops.size(); ++k) {
    const engine::PlannedLoop& planned = program.loops[k];
    const LoopSource source{program.plan, program.kernels, program.plan.loops[planned.loop], planned.layout};
    const auto compile = [&](CodeLevel level) {
      ++compiled;
      return compile_loop(source, isa, level, observer);
    };
    const std::string key = std::string(isa_name(isa)) + " " + planned.layout.text;
    HILO_ASSIGN_OR_RETURN(const LoopCode loop, find_or_compile(*cache, key, loop_seconds(program, planned), compile));
    program.plan.whole_loops[k].function = add_function(program.plan, {loop.code->object(), kLoopName});
  }
  drop_whole_lists(program);
  return ok_status();
}

/// Whether kernels that rarely run have quick code.
bool has_quick_code_for_rare() {
  const CodeBudget* const budget = code_budget();
  return budget != nullptr && budget->effort.tiers && budget->effort.effort != Effort::kBest;
}

/// Emits the kernels that run often, then those that rarely run.
Status emit_kernels(engine::PlannedProgram& program, Isa isa, hlo::PassObserver* observer, int64_t& compiled) {
  const std::vector<uint32_t> numbers = number_kernels(program.plan);
  std::vector<CachedKernel> kernels(numbers.size());
  const auto emit = [&](bool is_rare) -> Status {
    std::vector<engine::Region> regions;
    std::vector<size_t> places;
    for (size_t k = 0; k < numbers.size(); ++k) {
      engine::PlannedKernel& kernel = program.kernels[numbers[k]];
      if (kernel.is_rare != is_rare) continue;
      regions.push_back(std::move(kernel.region));
      places.push_back(k);
    }
    HILO_ASSIGN_OR_RETURN(KernelBatch batch, kernels_for(regions, isa, observer));
    for (size_t k = 0; k < places.size(); ++k) kernels[places[k]] = std::move(batch.kernels[k]);
    compiled += batch.compiled;
    return ok_status();
  };
  HILO_RETURN_IF_ERROR(emit(false));
  CodeBudget quick{{.effort = Effort::kFastest}};
  {
    const EffortScope scope(has_quick_code_for_rare() ? &quick : code_budget());
    HILO_RETURN_IF_ERROR(emit(true));
  }
  for (const CachedKernel& kernel : kernels)
    program.plan.kernels.push_back(add_function(program.plan, {kernel.code->object(), kernel.name}));
  return ok_status();
}

}  // namespace

StatusOr<EmittedPlan> emit_code(engine::PlannedProgram program, Isa isa, hlo::PassObserver* observer) {
  int64_t compiled = 0;
  HILO_RETURN_IF_ERROR(emit_loops(program, isa, observer, compiled));
  engine::move_offsets_to_arguments(program);
  HILO_RETURN_IF_ERROR(emit_kernels(program, isa, observer, compiled));
  return EmittedPlan{std::move(program.plan), compiled, 0};
}

}  // namespace hilo::cpu
