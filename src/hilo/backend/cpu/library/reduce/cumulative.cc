// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/reduce/cumulative.cc -- running reductions (a reduce-window as long as its dimension) in one
// pass.
#include "hilo/backend/cpu/runtime/cumulative.h"

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/backend/cpu/runtime/reducers.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/ops/reduce_window.h"

namespace hilo::cpu {
namespace {

using runtime::Routine, runtime::RunningLines;

RunningLines lines_of(const hlo::Cumulative& c, const Shape& shape) {
  RunningLines lines{.length = shape.dimension(c.dimension), .reverse = c.reverse};
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d != c.dimension) (d < c.dimension ? lines.outer : lines.inner) *= shape.dimension(d);
  }
  return lines;
}

RoutineWork work_of(const RunningLines& lines, int64_t units) {
  return {units, work_ns(kCpuCosts.library.scanned, lines.outer * lines.length * lines.inner), units};
}

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_cumulative_hero(const HeroRequest& request) {
  const std::span<const Shape> operands = request.problem.operands;
  const auto& a = hlo::attributes_of<hlo::ReduceWindowAttributes>(request.problem.instruction);
  const std::optional<hlo::Cumulative> c = hlo::cumulative_of(a.window, operands[0].dimensions());
  if (!c) return std::unique_ptr<Hero>();
  const RunningLines lines = lines_of(*c, operands[0]);
  const ElementType type = operands[0].element_type();
  const hlo::ReducerKind kind = a.to_apply->reducer_kind();
  if (operands.size() == 2 && has_reducer(kind, type)) {
    const ProblemWriter<runtime::CumulativeProblem> writer({lines, hlo::is_short_window(a.window), type, kind});
    const int64_t blocks = writer.problem.blocks();
    return make_routine_hero({Routine::kCumulative, ProblemWriter(writer).finish()}, {}, work_of(lines, blocks));
  }
  if (!engine::is_scalar_function(*a.to_apply)) return std::unique_ptr<Hero>();
  HILO_ASSIGN_OR_RETURN(const ScalarFunction body, request.code.scalar_program(*a.to_apply));
  ProblemWriter<runtime::CumulativeCompiledProblem> writer({lines, {}});
  std::vector<int64_t> widths;
  for (const Shape& s : operands.first(operands.size() / 2)) widths.push_back(element_size_bytes(s.element_type()));
  writer.set(writer.problem.widths, widths);
  const size_t scratch = writer.problem.scratch_bytes();
  return make_routine_hero({Routine::kCumulativeCompiled, std::move(writer).finish(), 1, scratch},
                           {reinterpret_cast<void*>(body)}, work_of(lines, lines.outer * lines.inner));
}

}  // namespace hilo::cpu
