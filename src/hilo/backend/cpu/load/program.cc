// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/program.h"

#include <alloca.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <variant>

#include <fmt/format.h>

#include "hilo/backend/host/host_clock.h"

namespace hilo::cpu {

using engine::Branches, engine::LibraryCall, engine::ObjectPtr, engine::PlannedFunction, engine::SlotId;
using engine::Step, engine::StepKind, engine::Swap, engine::WhileLoop, engine::WholeLoop;

namespace {

void gather_arguments(const Step& step, const StepContext& context, void** arguments) {
  const engine::Plan& plan = context.program.plan;
  const SlotId* slots = plan.argument_slots.data() + step.arguments;
  for (uint32_t k = 0; k < step.argument_count; ++k) arguments[k] = context.slots[slots[k]];
  if (plan.argument_offsets.empty()) return;
  const int64_t* offsets = plan.argument_offsets.data() + step.arguments;
  for (uint32_t k = 0; k < step.argument_count; ++k) arguments[k] = static_cast<std::byte*>(arguments[k]) + offsets[k];
}

bool is_stopped(const StepContext& context) {
  return context.call.stop_word != nullptr && context.call.stop_word->load(std::memory_order_relaxed) != kRunning;
}

/// Runs a part of a kernel, in ranges if the call can be stopped. The last one includes the remainder.
void run_units(const Step& step, const StepContext& context, void* const* arguments, int64_t begin, int64_t end) {
  const RegionKernel kernel = context.program.kernels[step.index];
  const int64_t ranges = context.call.stop_word == nullptr || step.stretch == 0 ? 1 : (end - begin) / step.stretch;
  if (ranges <= 1) return kernel(arguments, begin, end);
  for (int64_t s = 0; s < ranges && !is_stopped(context); ++s) {
    const int64_t from = begin + s * step.stretch;
    kernel(arguments, from, s + 1 == ranges ? end : from + step.stretch);
  }
}

void run_kernel(const Step& step, const StepContext& context, void* const* arguments) {
  if (step.chunk == 0 || context.call.executor == nullptr) return run_units(step, context, arguments, 0, step.units);
  // The last task includes the remainder, so that none is smaller than a chunk.
  const int64_t tasks = std::max<int64_t>(step.units / step.chunk, 1);
  const auto task = [&](int64_t t) {
    run_units(step, context, arguments, t * step.chunk, t + 1 == tasks ? step.units : (t + 1) * step.chunk);
  };
  context.call.executor->parallel_for(tasks, task);
}

/// Reports a step to the observer, if there is one.
class Timed {
 public:
  Timed(const Step& step, const StepContext& context) : step_(step), context_(context) {
    if (context.observer != nullptr) begin_ = host_nanoseconds();
  }
  ~Timed() {
    if (context_.observer == nullptr) return;
    const UnitTimes times{begin_, host_nanoseconds() - begin_, host_lane()};
    context_.observer->on_unit(context_.units[step_.work], times);
  }

 private:
  const Step& step_;
  const StepContext& context_;
  int64_t begin_ = 0;
};

Status run_hero(const Step& step, StepContext& context, void* const* arguments) {
  HILO_RETURN_IF_ERROR(stop_status(context.call.stop_word));
  const Status status = context.program.heroes[step.index]->run(arguments, context.call);
  // After a stop, the status of the library call itself doesn't matter.
  return is_stopped(context) ? stop_status(context.call.stop_word) : status;
}

constexpr size_t kCopied = size_t{1} << 24;  // bytes between checks of the stop word

void copy_bytes(const StepContext& context, void* to, const void* from, int64_t bytes) {
  const size_t count = bytes;
  if (count <= kCopied || context.call.stop_word == nullptr) {
    std::memcpy(to, from, count);
    return;
  }
  for (size_t at = 0; at < count && !is_stopped(context); at += kCopied)
    std::memcpy(static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at,
                std::min(kCopied, count - at));
}

}  // namespace

/// The host's data for a LoopContext.
struct LoopHost {
  const WholeLoop& loop;
  StepContext& run;
  std::variant<Status, std::exception_ptr> failure;
};

namespace {

/// Runs a host step of a whole loop. Exceptions are stored until the loop's frame, which can't unwind, has returned.
int32_t run_handed_out(LoopContext* context, uint32_t number, void* const* arguments) {
  LoopHost& host = *context->host;
  const Step& step = host.loop.handed_out[number];
  try {
    if (step.kind == StepKind::kKernel) {
      run_kernel(step, host.run, arguments);
      if (!is_stopped(host.run)) return 0;
      host.failure = stop_status(host.run.call.stop_word);
      return 1;
    }
    Status status = run_hero(step, host.run, arguments);
    if (status.ok()) return 0;
    host.failure = std::move(status);
  } catch (...) {  // NOLINT: rethrown by run_whole_loop
    host.failure = std::current_exception();
  }
  return 1;
}

Status run_whole_loop(uint32_t number, StepContext& context) {
  const WholeLoop& loop = context.program.plan.whole_loops[number];
  LoopHost host{loop, context, {}};
  LoopContext inner{run_handed_out, polled_word(context.call.stop_word), context.program.loop_kernels[number].data(),
                    &host};
  void** pointers = static_cast<void**>(alloca(sizeof(void*) * std::max<size_t>(loop.slots.size(), 1)));
  for (size_t k = 0; k < loop.slots.size(); ++k) pointers[k] = context.slots[loop.slots[k]];
  const int32_t end = context.program.loops[number](&inner, pointers);
  if (end == kLoopCancelled) return stop_status(context.call.stop_word, " in a loop");
  if (end == kLoopFailed) {
    if (const auto* thrown = std::get_if<std::exception_ptr>(&host.failure)) std::rethrow_exception(*thrown);
    return std::get<Status>(std::move(host.failure));
  }
  for (size_t k = 0; k < loop.slots.size(); ++k) context.slots[loop.slots[k]] = pointers[k];
  return ok_status();
}

Status run_while(const WhileLoop& loop, StepContext& context) {
  while (true) {
    HILO_RETURN_IF_ERROR(run_steps(loop.condition, context));
    if (*static_cast<const uint8_t*>(context.slots[loop.predicate]) == 0) return ok_status();
    HILO_RETURN_IF_ERROR(run_steps(loop.body, context));
    for (const Swap& swap : loop.swaps) std::swap(context.slots[swap.now], context.slots[swap.next]);
    if (is_stopped(context)) return stop_status(context.call.stop_word, " in a loop");
  }
}

Status run_branch(const Branches& branches, StepContext& context) {
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

StatusOr<Program> load_program(Plan plan, Isa isa, BindCall bind) {
  if (plan.target != isa_name(isa))
    return failed_precondition(
        fmt::format("loading a plan: it is for {}; this process compiles for {}", plan.target, isa_name(isa)));
  Program program;
  for (const ObjectPtr& object : plan.objects) {
    HILO_ASSIGN_OR_RETURN(program.code.emplace_back(), load_object(object));
  }
  std::vector<void*> functions;
  for (const PlannedFunction& function : plan.functions) {
    functions.push_back(program.code[function.object]->lookup(function.name));
    if (functions.back() == nullptr)
      return failed_precondition(fmt::format("loading a plan: its code has no function '{}'", function.name));
  }
  for (uint32_t k : plan.kernels) program.kernels.push_back(reinterpret_cast<RegionKernel>(functions[k]));
  for (const WholeLoop& loop : plan.whole_loops) {
    program.loops.push_back(reinterpret_cast<LoopFunction>(functions[loop.function]));
    std::vector<RegionKernel>& called = program.loop_kernels.emplace_back();
    for (uint32_t k : loop.kernels) called.push_back(program.kernels[k]);
  }
  for (const LibraryCall& call : plan.library_calls) {
    std::vector<void*> code;
    for (uint32_t k : call.code) code.push_back(functions[k]);
    HILO_ASSIGN_OR_RETURN(program.heroes.emplace_back(), bind(call, isa, code));
  }
  program.plan = std::move(plan);
  return program;
}

Status run_straight_steps(const Program& program, void* const* arguments, void* const* slots) {
  for (const Step& step : program.plan.steps) {
    void* const* const own = arguments + step.arguments;
    if (step.kind == StepKind::kKernel) program.kernels[step.index](own, 0, step.units);
    else if (step.kind == StepKind::kLibrary) HILO_RETURN_IF_ERROR(program.heroes[step.index]->run(own, {}));
    else if (slots[step.a] != slots[step.b]) std::memcpy(slots[step.b], slots[step.a], static_cast<size_t>(step.bytes));
  }
  return ok_status();
}

Status run_steps(const StepList& steps, StepContext& context) {
  void** arguments =
      static_cast<void**>(alloca(sizeof(void*) * std::max<uint32_t>(context.program.plan.max_arguments, 1)));
  for (const Step& step : steps) {
    switch (step.kind) {
      case StepKind::kKernel: {
        gather_arguments(step, context, arguments);
        const Timed timed(step, context);
        run_kernel(step, context, arguments);
        if (is_stopped(context)) return stop_status(context.call.stop_word);
        break;
      }
      case StepKind::kCopy:
        if (context.slots[step.a] != context.slots[step.b]) {
          const Timed timed(step, context);
          copy_bytes(context, context.slots[step.b], context.slots[step.a], step.bytes);
          if (is_stopped(context)) return stop_status(context.call.stop_word);
        }
        break;
      case StepKind::kAlias: context.slots[step.b] = context.slots[step.a]; break;
      case StepKind::kLibrary: {
        gather_arguments(step, context, arguments);
        const Timed timed(step, context);
        HILO_RETURN_IF_ERROR(run_hero(step, context, arguments));
        break;
      }
      case StepKind::kWhile: HILO_RETURN_IF_ERROR(run_while(context.program.plan.loops[step.index], context)); break;
      case StepKind::kConditional:
        HILO_RETURN_IF_ERROR(run_branch(context.program.plan.branches[step.index], context));
        break;
      case StepKind::kWholeLoop: {
        const Timed timed(step, context);
        HILO_RETURN_IF_ERROR(run_whole_loop(step.index, context));
        break;
      }
    }
  }
  return ok_status();
}

}  // namespace hilo::cpu
