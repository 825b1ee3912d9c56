// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/reduce/select_and_scatter.cc -- the gradient of max and min pooling. Batches run in parallel.
#include "hilo/hlo/ops/select_and_scatter.h"

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/reduce/window_plan.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/backend/cpu/runtime/reducers.h"
#include "hilo/backend/cpu/runtime/select_and_scatter.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/ir/reducer_kind.h"

namespace hilo::cpu {
namespace {

using hlo::ComparisonDirection, runtime::Routine;

RoutineWork selection_work(const WindowPlan& plan) {
  return {plan.batches, work_ns(kCpuCosts.library.selected, plan.batches * plan.array_batch), plan.batches};
}

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_select_and_scatter_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const auto& a = hlo::attributes_of<hlo::SelectAndScatterAttributes>(instruction);
  const std::optional<ComparisonDirection> order = hlo::plain_order(*a.select);
  const ElementType type = operands[0].element_type();
  const WindowPlan plan = window_plan(a.window, operands[0].dimensions(), operands[1].dimensions());
  const bool is_plain = order && a.scatter->reducer_kind() == hlo::ReducerKind::kAdd && !is_complex(type) &&
                        has_reducer(hlo::ReducerKind::kAdd, type) && plan.array_batch <= INT32_MAX;
  if (is_plain) {
    ProblemWriter<runtime::SelectAndScatterProblem> writer({plan.windows(), type, *order});
    writer.set(writer.problem.windows.dimensions, plan.dimensions);
    const size_t scratch = plan.dimensions.size() * sizeof(int64_t);
    return make_routine_hero({Routine::kSelectAndScatter, std::move(writer).finish(), 1, scratch}, {},
                             selection_work(plan));
  }
  if (!engine::is_scalar_function(*a.select) || !engine::is_scalar_function(*a.scatter)) return std::unique_ptr<Hero>();
  HILO_ASSIGN_OR_RETURN(const ScalarFunction select, request.code.scalar_program(*a.select));
  HILO_ASSIGN_OR_RETURN(const ScalarFunction scatter, request.code.scalar_program(*a.scatter));
  ProblemWriter<runtime::SelectAndScatterCompiledProblem> writer({plan.windows(), element_size_bytes(type)});
  writer.set(writer.problem.windows.dimensions, plan.dimensions);
  const size_t scratch = writer.problem.scratch_bytes();
  return make_routine_hero({Routine::kSelectAndScatterCompiled, std::move(writer).finish(), 1, scratch},
                           {reinterpret_cast<void*>(select), reinterpret_cast<void*>(scatter)}, selection_work(plan));
}

}  // namespace hilo::cpu
