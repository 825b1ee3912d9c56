// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/program.h"

#include <alloca.h>

#include <algorithm>
#include <cstring>

namespace hilo::cpu {
namespace {

void run_kernel(const Step& step, RunContext& context, void** arguments) {
  const SlotId* slots = context.program.argument_slots.data() + step.arguments;
  for (uint32_t k = 0; k < step.argument_count; ++k) arguments[k] = context.slots[slots[k]];
  if (step.chunk == 0 || context.executor == nullptr) {
    step.kernel(arguments, 0, step.units);
    return;
  }
  // The last task takes what is left over, so that none is smaller than a chunk.
  const int64_t tasks = std::max<int64_t>(step.units / step.chunk, 1);
  const auto task = [&](int64_t t) {
    step.kernel(arguments, t * step.chunk, t + 1 == tasks ? step.units : (t + 1) * step.chunk);
  };
  context.executor->parallel_for(tasks, task);
}

Status run_hero(const Step& step, RunContext& context, void** arguments) {
  const SlotId* slots = context.program.argument_slots.data() + step.arguments;
  for (uint32_t k = 0; k < step.argument_count; ++k) arguments[k] = context.slots[slots[k]];
  return context.program.heroes[step.index]->run(arguments, context);
}

bool is_cancelled(const RunContext& context) {
  return context.cancel_word != nullptr && context.cancel_word->load(std::memory_order_relaxed) != 0;
}

Status run_while(const WhileLoop& loop, RunContext& context) {
  while (true) {
    HILO_RETURN_IF_ERROR(run_steps(loop.condition, context));
    if (*static_cast<const uint8_t*>(context.slots[loop.predicate]) == 0) return ok_status();
    HILO_RETURN_IF_ERROR(run_steps(loop.body, context));
    for (const auto& [now, next] : loop.swaps) std::swap(context.slots[now], context.slots[next]);
    if (is_cancelled(context)) return cancelled("the program was cancelled in a loop");
  }
}

Status run_branch(const Branches& branches, RunContext& context) {
  const void* selector = context.slots[branches.selector];
  size_t branch = 0;
  if (branches.predicated) {
    branch = *static_cast<const uint8_t*>(selector) != 0 ? 0 : 1;
  } else {
    int32_t index = 0;
    std::memcpy(&index, selector, sizeof(index));
    const size_t last = branches.lists.size() - 1;
    branch = index < 0 || static_cast<size_t>(index) > last ? last : static_cast<size_t>(index);
  }
  return run_steps(branches.lists[branch], context);
}

}  // namespace

Status run_steps(const StepList& steps, RunContext& context) {
  void** arguments = static_cast<void**>(alloca(sizeof(void*) * std::max<uint32_t>(context.program.max_arguments, 1)));
  for (const Step& step : steps) {
    switch (step.kind) {
      case StepKind::kKernel: run_kernel(step, context, arguments); break;
      case StepKind::kCopy:
        if (context.slots[step.a] != context.slots[step.b]) {
          std::memcpy(context.slots[step.b], context.slots[step.a], static_cast<size_t>(step.bytes));
        }
        break;
      case StepKind::kAlias: context.slots[step.b] = context.slots[step.a]; break;
      case StepKind::kHero:
        if (is_cancelled(context)) return cancelled("the program was cancelled");
        HILO_RETURN_IF_ERROR(run_hero(step, context, arguments));
        break;
      case StepKind::kWhile: HILO_RETURN_IF_ERROR(run_while(context.program.loops[step.index], context)); break;
      case StepKind::kConditional:
        HILO_RETURN_IF_ERROR(run_branch(context.program.branches[step.index], context));
        break;
    }
  }
  return ok_status();
}

}  // namespace hilo::cpu
