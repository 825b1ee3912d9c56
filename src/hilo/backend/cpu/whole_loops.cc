// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/whole_loops.h"

#include <fmt/format.h>

#include <chrono>
#include <unordered_map>

#include "hilo/backend/cpu/code_cache.h"
#include "hilo/backend/cpu/jit.h"
#include "hilo/backend/cpu/region_split.h"

namespace hilo::cpu {
namespace {

constexpr size_t kMaxSteps = 256;         // of a function; larger bodies cost more to compile than dispatch takes
constexpr double kLongTurn = 200000;      // ns of kernels; dispatch doesn't count beside it
constexpr double kWorthInlining = 500;    // ns; a call doesn't count beside more
constexpr size_t kMaxInlinedNodes = 600;  // in a function; what is called is compiled once for all programs

struct Size {
  size_t steps = 0;
  double nanoseconds = 0;  ///< of kernels, inner loops taken once
};

/// Adds up the steps of a list and of those within. Recursion is over the nesting of loops, which the planner bounds.
void measure(const Program& program, const StepList& steps, std::span<const PlannedKernel> kernels, Size& size) {
  for (const Step& step : steps) {
    ++size.steps;
    if (step.kind == StepKind::kKernel) size.nanoseconds += estimated_cost(kernels[step.index].region);
    if (step.kind == StepKind::kWhile) {
      measure(program, program.loops[step.index].condition, kernels, size);
      measure(program, program.loops[step.index].body, kernels, size);
    }
    if (step.kind == StepKind::kConditional) {
      for (const StepList& list : program.branches[step.index].lists) measure(program, list, kernels, size);
    }
  }
}

/// Walks a loop once, numbers what its function refers to and writes down what its code depends on.
class LayoutWriter {
 public:
  LayoutWriter(const Program& program, std::span<const PlannedKernel> kernels) : program_(program), kernels_(kernels) {}

  void add_loop(const WhileLoop& loop) {
    text("while(");
    add_steps(loop.condition);
    add_slot(loop.predicate);
    text(")do");
    add_steps(loop.body);
    for (const auto& [now, next] : loop.swaps) {
      text("swap");
      add_slot(now);
      add_slot(next);
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
    for (uint32_t k = 0; k < step.argument_count; ++k) add_slot(program_.argument_slots[step.arguments + k]);
  }

  void hand_out(const Step& step) {
    const uint32_t number = static_cast<uint32_t>(whole.handed_out.size());
    layout.handed_out.emplace(&step, number);
    whole.handed_out.push_back(step);
    text(fmt::format("host {} {}", number,
                     step.kind == StepKind::kKernel ? kernels_[step.index].region.inputs.size() : 0));
    add_arguments(step);
  }

  void add_kernel(const Step& step) {
    if (step.chunk != 0) return hand_out(step);
    const PlannedKernel& kernel = kernels_[step.index];
    const size_t nodes = kernel.region.nodes.size();
    if (estimated_cost(kernel.region) <= kWorthInlining && inlined_nodes_ + nodes <= kMaxInlinedNodes) {
      inlined_nodes_ += nodes;
      text(fmt::format("region {} {{{}}}", step.units, canonical_text(kernel.region)));
      for (bool single : kernel.single) text(single ? "1" : "0");
    } else {
      const uint32_t number = static_cast<uint32_t>(whole.kernel_numbers.size());
      layout.called.emplace(&step, number);
      whole.kernel_numbers.push_back(step.index);
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
          text(fmt::format("copy {}", step.bytes));
          add_slot(step.a);
          add_slot(step.b);
          break;
        case StepKind::kAlias:
          text("alias");
          add_slot(step.a);
          add_slot(step.b);
          break;
        case StepKind::kHero: hand_out(step); break;
        case StepKind::kWhile: add_loop(program_.loops[step.index]); break;
        case StepKind::kConditional: {
          const Branches& branches = program_.branches[step.index];
          text(branches.predicated ? "if" : "switch");
          add_slot(branches.selector);
          for (const StepList& list : branches.lists) {
            text("{");
            add_steps(list);
            text("}");
          }
          break;
        }
        case StepKind::kWholeLoop: break;  // loops become functions from the outside in: there is none within
      }
    }
  }

  const Program& program_;
  std::span<const PlannedKernel> kernels_;
  std::unordered_map<SlotId, size_t> place_;
  size_t inlined_nodes_ = 0;
};

struct CachedLoop {
  std::shared_ptr<CompiledCode> code;
  LoopFunction function = nullptr;
};
int64_t held_bytes(const CachedLoop& loop) { return static_cast<int64_t>(loop.code->size()); }

StatusOr<CachedLoop> compile_loop(const LoopSource& source, Isa isa) {
  const auto emit = [&](llvm::Module& module) { return emit_whole_loop(module, isa, source, "loop"); };
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<CompiledCode> code, compile_code("loop", isa, emit));
  return CachedLoop{code, reinterpret_cast<LoopFunction>(code->lookup("loop"))};
}

/// The loop's code, and whether it had to be compiled.
StatusOr<std::pair<CachedLoop, bool>> loop_for(const LoopSource& source, Isa isa) {
  static auto* const cache = new CodeCache<CachedLoop>;
  bool is_new = false;
  const auto compile = [&] {
    is_new = true;
    return compile_loop(source, isa);
  };
  const std::string key = std::string(isa_name(isa)) + " " + source.layout.text;
  HILO_ASSIGN_OR_RETURN(CachedLoop loop, find_or_compile(*cache, key, compile));
  return std::pair(std::move(loop), is_new);
}

/// The lists of a loop that is a function now, and of the loops and branches within, aren't run any more.
void drop_lists(Program& program, StepList& steps) {
  for (Step& step : steps) {
    if (step.kind == StepKind::kWhile) {
      drop_lists(program, program.loops[step.index].condition);
      drop_lists(program, program.loops[step.index].body);
    }
    if (step.kind == StepKind::kConditional) {
      for (StepList& list : program.branches[step.index].lists) drop_lists(program, list);
    }
  }
  steps.clear();
}

Status make_whole(Program& program, Step& step, std::span<const PlannedKernel> kernels, Isa isa,
                  hlo::PassObserver* observer) {
  WhileLoop& loop = program.loops[step.index];
  LayoutWriter writer(program, kernels);
  writer.add_loop(loop);
  const auto began = std::chrono::steady_clock::now();
  HILO_ASSIGN_OR_RETURN(const auto compiled, loop_for({program, kernels, loop, writer.layout}, isa));
  const auto& [code, is_new] = compiled;
  if (is_new && observer != nullptr) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    observer->generated("loop", static_cast<int64_t>(code.code->size()), took.count());
  }
  writer.whole.function = code.function;
  writer.whole.slots = std::move(writer.layout.slots);
  program.code.push_back(code.code);
  program.kernels_compiled += is_new ? 1 : 0;
  ++program.kernel_count;
  drop_lists(program, loop.condition);
  drop_lists(program, loop.body);
  step.kind = StepKind::kWholeLoop;
  step.index = static_cast<uint32_t>(program.whole_loops.size());
  program.whole_loops.push_back(std::move(writer.whole));
  return ok_status();
}

Status visit(Program& program, StepList& steps, std::span<const PlannedKernel> kernels, Isa isa,
             hlo::PassObserver* observer) {
  for (Step& step : steps) {
    if (step.kind == StepKind::kWhile) {
      WhileLoop& loop = program.loops[step.index];
      if (why_not_whole(program, loop, kernels).empty()) {
        HILO_RETURN_IF_ERROR(make_whole(program, step, kernels, isa, observer));
        continue;
      }
      HILO_RETURN_IF_ERROR(visit(program, loop.condition, kernels, isa, observer));
      HILO_RETURN_IF_ERROR(visit(program, loop.body, kernels, isa, observer));
    }
    if (step.kind == StepKind::kConditional) {
      for (StepList& list : program.branches[step.index].lists) {
        HILO_RETURN_IF_ERROR(visit(program, list, kernels, isa, observer));
      }
    }
  }
  return ok_status();
}

}  // namespace

std::string_view why_not_whole(const Program& program, const WhileLoop& loop, std::span<const PlannedKernel> kernels) {
  Size size;
  measure(program, loop.condition, kernels, size);
  measure(program, loop.body, kernels, size);
  if (size.steps > kMaxSteps) return "it has too many steps to be compiled as one";
  if (size.nanoseconds > kLongTurn) return "a turn takes so long that dispatch doesn't count";
  return {};
}

Status make_whole_loops(Program& program, std::span<const PlannedKernel> kernels, Isa isa,
                        hlo::PassObserver* observer) {
  return visit(program, program.steps, kernels, isa, observer);
}

}  // namespace hilo::cpu
