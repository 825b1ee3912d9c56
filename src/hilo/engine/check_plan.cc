// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo::engine {
namespace {

class PlanChecker {
 public:
  explicit PlanChecker(const Plan& plan) : plan_(plan) {}

  Status run() {
    for (const PlannedFunction& f : plan_.functions) within("object", f.object, plan_.objects.size());
    for (uint32_t k : plan_.kernels) within("function", k, plan_.functions.size());
    for (uint32_t slot : plan_.argument_slots) check_slot(slot);
    if (!plan_.argument_offsets.empty() && plan_.argument_offsets.size() != plan_.argument_slots.size())
      fail("another number of offsets than arguments");
    for (const Slot& slot : plan_.slots) check_source(slot);
    check_steps(plan_.steps);
    for (const WhileLoop& loop : plan_.loops) check_loop(loop);
    for (const Branches& branches : plan_.branches) {
      check_slot(branches.selector);
      if (branches.lists.size() < (branches.predicated ? 2 : 1)) fail("a conditional without branches");
      for (const StepList& list : branches.lists) check_steps(list);
    }
    for (const WholeLoop& loop : plan_.whole_loops) {
      within("function", loop.function, plan_.functions.size());
      for (uint32_t k : loop.kernels) within("kernel", k, plan_.kernels.size());
      for (SlotId slot : loop.slots) check_slot(slot);
      check_steps(loop.handed_out);
    }
    for (const LibraryCall& call : plan_.library_calls) {
      for (uint32_t k : call.code) within("function", k, plan_.functions.size());
      check_views(call);
    }
    return status_;
  }

 private:
  void fail(std::string_view what) {
    if (status_.ok()) status_ = invalid_argument(fmt::format("reading a plan: {}", what));
  }
  void within(std::string_view what, uint64_t number, uint64_t count) {
    if (number >= count) fail(fmt::format("{} {} of {}", what, number, count));
  }
  void check_slot(SlotId slot) { within("slot", slot, plan_.slots.size()); }

  void check_views(const LibraryCall& call) {
    if (!call.views.empty() && call.views.size() != call.operands.size() + call.results.size())
      fail("more or fewer views than operands and results");
    for (size_t k = 0; k < call.views.size() && status_.ok(); ++k) {
      const OperandView& view = call.views[k];
      if (view.strides.empty()) continue;
      const size_t operands = call.operands.size();
      const Shape& shape = k < operands ? call.operands[k] : call.results[k - operands];
      if (!shape.is_array() || view.strides.size() != static_cast<size_t>(shape.rank()))
        return fail("a view whose rank isn't that of its shape");
      if (view.offset < 0 || std::ranges::any_of(view.strides, [](int64_t s) { return s <= 0; }))
        fail("a view that begins before its memory");
    }
  }

  void check_source(const Slot& slot) {
    if (slot.index < 0) return fail("a slot with a negative index");
    const auto index = static_cast<uint64_t>(slot.index);
    switch (slot.source) {
      case SlotSource::kConstant: return within("constant", index, plan_.constants.size());
      case SlotSource::kArena: return within("arena byte", index, static_cast<uint64_t>(plan_.arena_bytes) + 1);
      case SlotSource::kArgument:
      case SlotSource::kResult:
      case SlotSource::kMoving: return;
    }
    fail("a slot with an unknown source");
  }

  void check_loop(const WhileLoop& loop) {
    if (loop.predicate != kNoSlot) check_slot(loop.predicate);
    check_steps(loop.condition);
    check_steps(loop.body);
    for (const Swap& swap : loop.swaps) {
      check_slot(swap.now);
      check_slot(swap.next);
    }
  }

  void check_steps(const StepList& steps) {
    for (const Step& step : steps) check_step(step);
  }

  void check_step(const Step& step) {
    within("argument", uint64_t{step.arguments} + step.argument_count, plan_.argument_slots.size() + 1);
    if (step.argument_count > plan_.max_arguments) fail("a step with too many arguments");
    switch (step.kind) {
      case StepKind::kKernel: within("kernel", step.index, plan_.kernels.size()); break;
      case StepKind::kLibrary: within("library call", step.index, plan_.library_calls.size()); break;
      case StepKind::kWhile: return within("loop", step.index, plan_.loops.size());
      case StepKind::kConditional: return within("branch", step.index, plan_.branches.size());
      case StepKind::kWholeLoop: within("whole loop", step.index, plan_.whole_loops.size()); break;
      case StepKind::kCopy:
      case StepKind::kAlias:
        check_slot(step.a);
        check_slot(step.b);
        if (step.kind == StepKind::kAlias) return;
        if (step.bytes < 0) fail("a copy with a negative size");
        break;
      default: return fail("a step of an unknown kind");  // possible in a plan that was read from a file
    }
    within("work", step.work, plan_.work.size());
  }

  const Plan& plan_;
  Status status_;
};

}  // namespace

Status check_plan(const Plan& plan) { return PlanChecker(plan).run(); }

}  // namespace hilo::engine
