// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/reduce/reduce.cc -- reductions that regions don't support: bodies with branches, loops or calls,
// long bodies, and reductions over no dimension.
#include "hilo/hlo/ops/reduce.h"

#include <algorithm>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/backend/cpu/runtime/reduce.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/ops/element_access.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kMaxParts = 64;

/// Some dimensions of the operands, in order.
struct Part {
  std::vector<int64_t> sizes, strides;
  int64_t count() const { return hlo::count_of(sizes); }
};

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_reduce_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const auto& a = hlo::attributes_of<hlo::ReduceAttributes>(instruction);
  if (!engine::is_scalar_function(*a.to_apply)) return std::unique_ptr<Hero>();
  const std::vector<int64_t> strides = row_major_strides(operands[0].dimensions());
  Part outer, reduced;
  for (size_t d = 0; d < strides.size(); ++d) {
    Part& part = std::ranges::count(a.dimensions, d) != 0 ? reduced : outer;
    part.sizes.push_back(operands[0].dimensions()[d]);
    part.strides.push_back(strides[d]);
  }
  std::vector<size_t> from_widths, widths;
  for (size_t k = 0; k < results.size(); ++k) {
    from_widths.push_back(element_size_bytes(operands[k].element_type()));
    widths.push_back(element_size_bytes(results[k].element_type()));
  }
  HILO_ASSIGN_OR_RETURN(const ScalarFunction body, request.code.scalar_program(*a.to_apply));
  ProblemWriter<runtime::ReduceCompiledProblem> writer({});
  runtime::ReduceCompiledProblem& p = writer.problem;
  writer.set(p.outer_sizes, outer.sizes);
  writer.set(p.outer_strides, outer.strides);
  writer.set(p.reduced_sizes, reduced.sizes);
  writer.set(p.reduced_strides, reduced.strides);
  writer.set(p.from_widths, from_widths);
  writer.set(p.widths, widths);
  const size_t scratch = p.scratch_bytes();
  const double work = static_cast<double>(outer.count()) * static_cast<double>(reduced.count());
  return make_routine_hero({runtime::Routine::kReduceCompiled, std::move(writer).finish(), 1, scratch},
                           {reinterpret_cast<void*>(body)},
                           {outer.count(), work_ns(kCpuCosts.library.combined, work), kMaxParts});
}

}  // namespace hilo::cpu
