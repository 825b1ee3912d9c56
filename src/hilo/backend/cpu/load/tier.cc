// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/tier.h"

#include "hilo/backend/host/device_queue.h"
#include "hilo/base/log.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/thread_pool.h"
#include "hilo/device/event.h"

namespace hilo::cpu {
namespace {

/// The thread that generates good code, for all programs in the order of their requests. Never destroyed: at the end of
/// the process it may be at work.
DeviceQueue& queue() {
  static auto* const instance = new DeviceQueue;
  return *instance;
}

/// Returns what a run reads of a plan, without its code and constants.
engine::Plan steps_of(const engine::Plan& plan) {
  engine::Plan steps;
  steps.target = plan.target;
  steps.steps = plan.steps;
  steps.slots = plan.slots;
  steps.argument_slots = plan.argument_slots;
  steps.argument_offsets = plan.argument_offsets;
  steps.loops = plan.loops;
  steps.branches = plan.branches;
  steps.whole_loops = plan.whole_loops;
  steps.donations = plan.donations;
  steps.arena_bytes = plan.arena_bytes;
  steps.max_arguments = plan.max_arguments;
  steps.forks = plan.forks;
  for (engine::WholeLoop& loop : steps.whole_loops) loop.function = 0;  // a number of code
  return steps;
}

bool equal(const engine::Plan& a, const engine::Plan& b) {
  return a.target == b.target && a.steps == b.steps && a.slots == b.slots && a.argument_slots == b.argument_slots &&
         a.argument_offsets == b.argument_offsets && a.loops == b.loops && a.branches == b.branches &&
         a.whole_loops == b.whole_loops && a.donations == b.donations && a.arena_bytes == b.arena_bytes &&
         a.max_arguments == b.max_arguments && a.forks == b.forks;
}

}  // namespace

Tier::Tier(const Program& quick, Generate generate, double seconds) : state_(std::make_shared<State>()) {
  state_->code.store(&quick, std::memory_order_relaxed);
  state_->enough_nanoseconds = static_cast<int64_t>(seconds * 1e9);
  state_->steps = steps_of(quick.plan);
  state_->generate = std::move(generate);
}

void Tier::add_run(std::chrono::nanoseconds time) {
  const int64_t before = state_->run_nanoseconds.fetch_add(time.count(), std::memory_order_relaxed);
  if (before + time.count() < state_->enough_nanoseconds) return;
  if (state_->requested.exchange(true, std::memory_order_relaxed)) return;
  static_cast<void>(or_out_of_memory([&]() -> Status {  // after an error the quick code stays
    HILO_RETURN_IF_ERROR(queue().start());
    queue().enqueue([weak = std::weak_ptr<State>(state_)] {
      if (const std::shared_ptr<State> state = weak.lock()) replace(*state);
    });
    return ok_status();
  }));
}

/// After an error the quick code stays.
void Tier::replace(State& state) {
  static auto* const caller = new ThreadPool(1);  // leaves the process's pool to runs
  const ExecutorScope alone(caller);
  const Status status = or_out_of_memory([&]() -> Status {
    HILO_ASSIGN_OR_RETURN(state.good, state.generate());
    return ok_status();
  });
  state.generate = nullptr;
  if (!status.ok()) {
    log_debug("generating good code: {}", status.to_string());
    return;
  }
  // Frames of quick code are valid for the good code only if the plans are equal.
  if (!equal(steps_of(state.good.plan), state.steps)) {
    log_debug("generating good code: another plan than that of the quick code");
    return;
  }
  state.code.store(&state.good, std::memory_order_release);
  state.replaced.store(true, std::memory_order_release);
}

void await_replacements() {
  EventSource done;
  const Event event = done.event();
  queue().enqueue([&done] { done.finish(ok_status()); });
  static_cast<void>(event.await());
}

}  // namespace hilo::cpu
