// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/order/top_k.cc -- topk: threads share the rows.
#include "hilo/backend/cpu/runtime/top_k.h"

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/hlo/ops/top_k.h"

namespace hilo::cpu {

std::unique_ptr<Hero> make_top_k_hero(const HeroRequest& request) {
  const Shape& x = request.problem.operands[0];
  const int64_t length = x.dimension(x.rank() - 1);
  if (length > INT32_MAX) return nullptr;  // positions are s32
  const auto& a = hlo::attributes_of<hlo::TopKAttributes>(request.problem.instruction);
  int64_t rows = 1;
  for (int64_t d = 0; d + 1 < x.rank(); ++d) rows *= x.dimension(d);
  const ProblemWriter<runtime::TopKProblem> writer({x.element_type(), a.k, length, a.largest});
  const size_t scratch = writer.problem.scratch_bytes();
  return make_routine_hero({runtime::Routine::kTopK, ProblemWriter(writer).finish(), 1, scratch}, {},
                           {rows, work_ns(kCpuCosts.library.ranked, rows * length), 16});
}

}  // namespace hilo::cpu
