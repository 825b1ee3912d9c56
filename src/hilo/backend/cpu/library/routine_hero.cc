// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/routine_hero.h"

#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/base/buffer_pool.h"

namespace hilo::cpu {
namespace {

class RoutineHero final : public Hero {
 public:
  RoutineHero(RoutineCall call, std::vector<void*> code, const RoutineWork& work)
      : call_(std::move(call)), code_(std::move(code)), tasks_(tasks_of(work)) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const size_t scratch_bytes = (call_.scratch_bytes + 63) / 64 * 64;
    AlignedBuffer scratch;
    if (scratch_bytes != 0) {
      HILO_ASSIGN_OR_RETURN(scratch, allocate_buffer(scratch_bytes * static_cast<size_t>(tasks_)));
    }
    const uint32_t* const stop = polled_word(stop_word());
    const runtime::Function function = runtime::function_of(call_.routine).function;
    const auto task = [&](int64_t t) {
      std::byte* const memory = scratch_bytes == 0 ? nullptr : scratch.data() + scratch_bytes * static_cast<size_t>(t);
      const runtime::Call call{call_.problem.data(), buffers, code_.data(), memory, stop};
      function(&call, call_.units * t / tasks_, call_.units * (t + 1) / tasks_);
    };
    if (tasks_ > 1) run_tasks(default_pool(), tasks_, task);
    else task(0);
    return ok_status();
  }

  std::optional<RoutineCall> routine() const override { return call_; }

 private:
  static int64_t tasks_of(const RoutineWork& work) {
    return worth_forking(work.nanoseconds) ? std::clamp<int64_t>(work.most_tasks, 1, std::max<int64_t>(work.units, 1))
                                           : 1;
  }

  RoutineCall call_;
  std::vector<void*> code_;
  int64_t tasks_;
};

}  // namespace

std::unique_ptr<Hero> make_routine_hero(RoutineCall call, std::vector<void*> code, const RoutineWork& work) {
  call.units = work.units;
  return std::make_unique<RoutineHero>(std::move(call), std::move(code), work);
}

}  // namespace hilo::cpu
