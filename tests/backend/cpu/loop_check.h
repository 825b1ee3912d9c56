// SPDX-License-Identifier: Apache-2.0
// tests/backend/cpu/loop_check.h -- whether a program's loop is one in registers.
#pragma once

#include <algorithm>

#include "hilo/backend/cpu/codegen/compile.h"
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

}  // namespace hilo::cpu
