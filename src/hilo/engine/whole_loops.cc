// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/whole_loops.h"

#include "hilo/base/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace hilo::engine {
namespace {

constexpr size_t kMaxSteps = 256;         // of a function; compiling larger bodies costs more than dispatch
constexpr double kLongTurn = 5000;        // in dispatches: a step's dispatch is negligible compared with longer kernels
constexpr double kLongKernel = 50;        // in calls: a call is negligible compared with longer kernels
constexpr size_t kMaxInlinedNodes = 600;  // of a function; called kernels are compiled once for all programs

struct Size {
  size_t steps = 0;
  double nanoseconds = 0;  ///< of kernels; inner loops count once
};

/// Calls visit(list) for the lists of a step that is a loop or a branch.
template <typename AnyPlan, typename Visitor>
void for_each_inner(AnyPlan& plan, const Step& step, const Visitor& visit) {
  if (step.kind == StepKind::kWhile) {
    visit(plan.loops[step.index].condition);
    visit(plan.loops[step.index].body);
  }
  if (step.kind == StepKind::kConditional) std::ranges::for_each(plan.branches[step.index].lists, visit);
}

/// Adds up the steps of a list and of nested lists. Recursion is over the nesting of loops, which the planner bounds.
void measure(const Plan& plan, const StepList& steps, std::span<const PlannedKernel> kernels, Size& size) {
  for (const Step& step : steps) {
    ++size.steps;
    if (step.kind == StepKind::kKernel) size.nanoseconds += kernels[step.index].nanoseconds;
    for_each_inner(plan, step, [&](const StepList& list) { measure(plan, list, kernels, size); });
  }
}

/// Walks a loop once. Numbers the objects that its function refers to and writes the text on which its code depends.
class LayoutWriter {
 public:
  LayoutWriter(const PlannedProgram& program, const Costs& costs)
      : plan_(program.plan), kernels_(program.kernels), most_inlined_(kLongKernel * costs.call) {}

  void add_loop(const WhileLoop& loop) {
    text("while(");
    add_steps(loop.condition);
    add_slot(loop.predicate);
    text(")do");
    add_steps(loop.body);
    for (const Swap& swap : loop.swaps) {
      text("swap");
      add_slot(swap.now);
      add_slot(swap.next);
    }
    for (const ScalarCarry& carry : loop.scalars) {
      text(fmt::format("scalar {} {}", element_type_name(carry.type), carry.fixed ? 1 : 0));
      add_slot(carry.now);
      add_slot(carry.next);
    }
    text("end\n");
  }

  LoopLayout layout;
  WholeLoop whole;

 private:
  void text(std::string_view s) { layout.text += s; }

  void add_slot(SlotId slot) {
    const auto [it, added] = place_.emplace(slot, layout.slots.size());
    if (added) layout.slots.push_back(slot);
    text(fmt::format(" {}", it->second));
  }

  void add_arguments(const Step& step) {
    for (uint32_t k = 0; k < step.argument_count; ++k) add_slot(plan_.argument_slots[step.arguments + k]);
  }

  void add_host_step(const Step& step) {
    const uint32_t number = size32(whole.handed_out);
    layout.handed_out.emplace(&step, number);
    whole.handed_out.push_back(step);
    text(fmt::format("host {} {}", number,
                     step.kind == StepKind::kKernel ? kernels_[step.index].region.inputs.size() : 0));
    add_arguments(step);
  }

  void add_kernel(const Step& step) {
    if (step.chunk != 0) return add_host_step(step);
    const PlannedKernel& kernel = kernels_[step.index];
    const size_t nodes = kernel.region.nodes.size();
    if (kernel.nanoseconds <= most_inlined_ && inlined_nodes_ + nodes <= kMaxInlinedNodes) {
      inlined_nodes_ += nodes;
      text(fmt::format("region {} {{{}}}", step.units, canonical_text(kernel.region)));
      for (bool single : kernel.single) text(single ? "1" : "0");
    } else {
      const uint32_t number = size32(whole.kernels);
      layout.called.emplace(&step, number);
      whole.kernels.push_back(step.index);
      text(fmt::format("call {} {} {}", number, step.units, kernel.region.inputs.size()));
    }
    add_arguments(step);
  }

  void add_steps(const StepList& steps) {
    for (const Step& step : steps) {
      text("\n");
      switch (step.kind) {
        case StepKind::kKernel: add_kernel(step); break;
        case StepKind::kCopy:
        case StepKind::kAlias:
          text(step.kind == StepKind::kAlias ? "alias" : fmt::format("copy {}", step.bytes));
          add_slot(step.a);
          add_slot(step.b);
          break;
        case StepKind::kLibrary: add_host_step(step); break;
        case StepKind::kWhile: add_loop(plan_.loops[step.index]); break;
        case StepKind::kConditional: {
          const Branches& branches = plan_.branches[step.index];
          text(branches.predicated ? "if" : "switch");
          add_slot(branches.selector);
          for (const StepList& list : branches.lists) {
            text("{");
            add_steps(list);
            text("}");
          }
          break;
        }
        case StepKind::kWholeLoop: break;  // outer loops become functions first, so none is nested here
      }
    }
  }

  const Plan& plan_;
  std::span<const PlannedKernel> kernels_;
  std::unordered_map<SlotId, size_t> place_;
  const double most_inlined_;  ///< ns of a kernel
  size_t inlined_nodes_ = 0;
};

/// Drops the lists of a loop that is compiled as a function, and of nested loops and branches.
void drop_lists(Plan& plan, StepList& steps) {
  for (const Step& step : steps) for_each_inner(plan, step, [&](StepList& list) { drop_lists(plan, list); });
  steps.clear();
}

void make_whole(PlannedProgram& program, Step& step, const Costs& costs) {
  LayoutWriter writer(program, costs);
  writer.add_loop(program.plan.loops[step.index]);
  writer.whole.slots = writer.layout.slots;
  program.loops.push_back({step.index, std::move(writer.layout)});
  step.kind = StepKind::kWholeLoop;
  step.index = size32(program.plan.whole_loops);
  program.plan.whole_loops.push_back(std::move(writer.whole));
}

void visit(PlannedProgram& program, StepList& steps, const Costs& costs) {
  Plan& plan = program.plan;
  for (Step& step : steps) {
    if (step.kind == StepKind::kWhile && why_not_whole(plan, plan.loops[step.index], program.kernels, costs).empty())
      make_whole(program, step, costs);
    for_each_inner(plan, step, [&](StepList& list) { visit(program, list, costs); });
  }
}

}  // namespace

std::string_view why_not_whole(const Plan& plan, const WhileLoop& loop, std::span<const PlannedKernel> kernels,
                               const Costs& costs) {
  Size size;
  measure(plan, loop.condition, kernels, size);
  measure(plan, loop.body, kernels, size);
  if (size.steps > kMaxSteps) return "it has too many steps for one function";
  if (size.nanoseconds > kLongTurn * costs.dispatch) return "a turn takes so long that dispatch is negligible";
  return {};
}

void make_whole_loops(PlannedProgram& program, const Costs& costs) { visit(program, program.plan.steps, costs); }

void drop_whole_lists(PlannedProgram& program) {
  for (const PlannedLoop& planned : program.loops) {
    WhileLoop& loop = program.plan.loops[planned.loop];
    drop_lists(program.plan, loop.condition);
    drop_lists(program.plan, loop.body);
  }
  program.loops.clear();
}

}  // namespace hilo::engine
