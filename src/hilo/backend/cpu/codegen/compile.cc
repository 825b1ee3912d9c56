// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/codegen/compile.h"

#include "hilo/backend/cpu/codegen/cpu_target.h"
#include "hilo/backend/cpu/emit/code.h"
#include "hilo/backend/cpu/emit/effort.h"
#include "hilo/engine/whole_loops.h"

namespace hilo::cpu {

StatusOr<EmittedPlan> compile_plan(const hlo::Module& optimized, Isa isa, engine::LoopForm loops,
                                   hlo::PassObserver* observer, const CompileEffort& effort) {
  CodeBudget budget{effort};
  const EffortScope scope(&budget);
  const CpuTarget target(isa, loops);
  HILO_ASSIGN_OR_RETURN(engine::PlannedProgram planned, engine::plan_steps(optimized, target));
  if (loops != engine::LoopForm::kSteps) engine::make_whole_loops(planned, target.costs());
  HILO_ASSIGN_OR_RETURN(EmittedPlan emitted, emit_code(std::move(planned), isa, observer));
  emitted.quick = budget.quick_count.load(std::memory_order_relaxed);
  return emitted;
}

}  // namespace hilo::cpu
