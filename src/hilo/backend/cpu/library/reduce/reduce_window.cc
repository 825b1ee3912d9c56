// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/reduce/reduce_window.cc -- windows that passes don't expand and that aren't running reductions:
// large ones, and reducers of several arrays.
#include "hilo/hlo/ops/reduce_window.h"

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/reduce/window_plan.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/backend/cpu/runtime/reducers.h"
#include "hilo/engine/scalar_program.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kWindowMostParts = 64;

RoutineWork work_of(const WindowPlan& plan) {
  double work = static_cast<double>(plan.batches) * static_cast<double>(plan.positions() * plan.lanes);
  for (const runtime::SlidDimension& d : plan.dimensions) work *= static_cast<double>(d.window.size);
  return {plan.batches * plan.positions(), work_ns(kCpuCosts.library.combined, work), kWindowMostParts};
}

/// Returns the hero of a problem that has the plan's windows.
template <typename Problem>
std::unique_ptr<Hero> window_hero(const WindowPlan& plan, runtime::Routine routine, ProblemWriter<Problem> writer,
                                  size_t arrays, std::vector<void*> code) {
  writer.problem.windows = plan.windows();
  writer.set(writer.problem.windows.dimensions, plan.dimensions);
  const size_t scratch =
      runtime::reduce_window_scratch(plan.dimensions.size(), arrays == 0 ? 0 : plan.most_sources(), arrays);
  return make_routine_hero({routine, std::move(writer).finish(), 1, scratch}, std::move(code), work_of(plan));
}

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_reduce_window_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const auto& a = hlo::attributes_of<hlo::ReduceWindowAttributes>(instruction);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Hero> cumulative, make_cumulative_hero(request));
  if (cumulative != nullptr) return cumulative;
  const WindowPlan plan = window_plan(a.window, operands[0].dimensions(), results[0].dimensions());
  const ElementType type = operands[0].element_type();
  const hlo::ReducerKind kind = a.to_apply->reducer_kind();
  if (operands.size() == 2 && has_reducer(kind, type))
    return window_hero<runtime::ReduceWindowProblem>(
        plan, runtime::Routine::kReduceWindow,
        ProblemWriter<runtime::ReduceWindowProblem>({{}, hlo::is_short_window(a.window), type, kind}), 0, {});
  if (!engine::is_scalar_function(*a.to_apply)) return std::unique_ptr<Hero>();
  HILO_ASSIGN_OR_RETURN(const ScalarFunction body, request.code.scalar_program(*a.to_apply));
  std::vector<int64_t> widths;
  for (const Shape& s : results) widths.push_back(element_size_bytes(s.element_type()));
  ProblemWriter<runtime::ReduceWindowCompiledProblem> writer({});
  writer.set(writer.problem.widths, widths);
  return window_hero(plan, runtime::Routine::kReduceWindowCompiled, std::move(writer), widths.size(),
                     {reinterpret_cast<void*>(body)});
}

}  // namespace hilo::cpu
