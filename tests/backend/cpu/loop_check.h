// SPDX-License-Identifier: Apache-2.0
// tests/backend/cpu/loop_check.h -- whether a program's loop is one in registers, and its bits with several threads.
#pragma once

#include <algorithm>

#include "hilo/backend/cpu/codegen/compile.h"
#include "hilo/base/thread_pool.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/passes/pass_list.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {

inline hlo::Module parsed(const std::string& text) {
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  return module.ok() ? *std::move(module) : hlo::Module{};
}

inline bool lives_in_registers(const hlo::Module& module) {
  hlo::Module optimized = module;
  EXPECT_TRUE(hlo::run_passes(optimized, hlo::default_pipeline(), {}).ok());
  const StatusOr<EmittedPlan> emitted = compile_plan(optimized, *selected_isa(), engine::LoopForm::kRegisters);
  EXPECT_TRUE(emitted.ok()) << emitted.status().to_string();
  return emitted.ok() && std::ranges::any_of(emitted->plan.library_calls, [](const engine::LibraryCall& call) {
           return call.symbol == engine::kRegisterLoop;
         });
}

inline void expect_same_bits_with_any_threads(Executable& executable, const std::vector<Literal>& arguments) {
  set_default_thread_count(1);
  const std::vector<Literal> wanted = run(executable, arguments);
  for (int threads : {2, 4}) {
    set_default_thread_count(threads);
    const std::vector<Literal> got = run(executable, arguments);
    for (size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(got[k].identical(wanted[k])) << threads;
  }
  set_default_thread_count(0);
}

}  // namespace hilo::cpu
