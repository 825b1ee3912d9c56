// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/order/sort.cc -- the sort op: keys if the comparator compares elements, or one function of both;
// otherwise the compiled comparator.
#include "hilo/backend/cpu/runtime/sort.h"

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/order/sort_key.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/ops/sort.h"

namespace hilo::cpu {
namespace {

using runtime::Routine, runtime::SortLines;

SortLines lines_of(const Shape& shape, int64_t dimension) {
  SortLines lines;
  if (shape.rank() == 0) return lines;
  lines.length = shape.dimension(dimension);
  for (int64_t d = 0; d < shape.rank(); ++d)
    (d < dimension ? lines.outer : lines.inner) *= d == dimension ? 1 : shape.dimension(d);
  lines.stride = lines.inner;
  return lines;
}

/// `function` computes the keys of elements; null if they are those of the keys' operands.
std::unique_ptr<Hero> key_sort_hero(std::span<const SortKey> keys, ScalarFunction function, const SortLines& lines,
                                    const std::vector<int64_t>& widths, bool stable) {
  const std::span<const SortKey> more = keys.subspan(1);
  ProblemWriter<runtime::SortProblem> writer({keys[0], lines, {}, function != nullptr, stable});
  writer.set(writer.problem.widths, widths);
  writer.set(writer.problem.more, more);
  const size_t scratch = writer.problem.scratch_bytes(more);
  const double nanoseconds =
      work_ns(kCpuCosts.library.sorted, lines.count() * lines.length) * static_cast<double>(keys.size());
  return make_routine_hero({Routine::kSort, std::move(writer).finish(), 1, scratch},
                           {reinterpret_cast<void*>(function)}, {lines.count(), nanoseconds, 16});
}

std::unique_ptr<Hero> compared_sort_hero(ScalarFunction comparator, const SortLines& lines,
                                         const std::vector<int64_t>& widths, bool stable) {
  ProblemWriter<runtime::SortComparedProblem> writer({lines, {}, stable});
  writer.set(writer.problem.widths, widths);
  const size_t scratch = writer.problem.scratch_bytes();
  return make_routine_hero({Routine::kSortCompared, std::move(writer).finish(), 1, scratch},
                           {reinterpret_cast<void*>(comparator)}, {lines.count()});
}

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_sort_hero(const HeroRequest& request) {
  const std::span<const Shape> operands = request.problem.operands;
  const auto& a = hlo::attributes_of<hlo::SortAttributes>(request.problem.instruction);
  std::vector<int64_t> widths;
  std::vector<ElementType> types;
  for (const Shape& s : operands) {
    widths.push_back(element_size_bytes(s.element_type()));
    types.push_back(s.element_type());
  }
  const SortLines lines = operands[0].rank() > 0 ? lines_of(operands[0], a.dimension()) : SortLines();
  if (const std::optional<SortKey> key = sort_key_of(*a.to_apply); key && lines.length < INT32_MAX)
    return key_sort_hero(std::span(&*key, 1), nullptr, lines, widths, a.is_stable);
  if (const std::vector<SortKey> keys = sort_keys_of(*a.to_apply);
      !keys.empty() && a.is_stable && lines.length < INT32_MAX)
    return key_sort_hero(keys, nullptr, lines, widths, true);
  if (!engine::is_scalar_function(*a.to_apply)) return std::unique_ptr<Hero>();
  if (const auto f = key_function_of(*a.to_apply, types); f && lines.length < INT32_MAX) {
    HILO_ASSIGN_OR_RETURN(const ScalarFunction function, request.code.scalar_program(*f->key));
    return key_sort_hero(std::span(&f->order, 1), function, lines, widths, a.is_stable);
  }
  HILO_ASSIGN_OR_RETURN(const ScalarFunction comparator, request.code.scalar_program(*a.to_apply));
  return compared_sort_hero(comparator, lines, widths, a.is_stable);
}

}  // namespace hilo::cpu
