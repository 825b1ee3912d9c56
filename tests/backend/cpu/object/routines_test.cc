// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/routines.h"

#include <gtest/gtest.h>

#include "hilo/backend/cpu/codegen/compile.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/passes/pass_list.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::cpu {
namespace {

EmittedPlan planned(std::string_view text) {
  StatusOr<hlo::Module> module = hlo::parse_module(std::string(text));
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_TRUE(hlo::run_passes(*module, hlo::default_pipeline(), {}).ok());
  StatusOr<EmittedPlan> plan = compile_plan(*module, *selected_isa());
  EXPECT_TRUE(plan.ok()) << plan.status().to_string();
  return plan.ok() ? *std::move(plan) : EmittedPlan{};
}

TEST(Routines, AreCallsOfTheRuntime) {
  const EmittedPlan emitted = planned(R"(HloModule m
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}
ENTRY e {
  x = f32[3,700] parameter(0)
  ROOT s = f32[3,700] sort(x), dimensions={1}, to_apply=less
})");
  const StatusOr<Routines> routines = routines_of(emitted.plan, *selected_isa());
  ASSERT_TRUE(routines.ok()) << routines.status().to_string();
  ASSERT_EQ(routines->size(), 1u);
  ASSERT_TRUE((*routines)[0]);
  EXPECT_EQ((*routines)[0]->routine, runtime::Routine::kSort);
  EXPECT_EQ((*routines)[0]->units, 3);
  EXPECT_GE(scratch_bytes(*routines), 2 * 700 * 8);  // two arrays of keys and positions
  EXPECT_EQ(scratch_offset(emitted.plan) % 64, 0);
}

TEST(Routines, OtherLibraryCallsAreNone) {
  const EmittedPlan emitted = planned(R"(HloModule m
ENTRY e {
  ROOT s = u64[2] rng-get-and-update-state(), delta=1
})");
  const StatusOr<Routines> routines = routines_of(emitted.plan, *selected_isa());
  ASSERT_TRUE(routines.ok()) << routines.status().to_string();
  ASSERT_EQ(routines->size(), 1u);
  EXPECT_FALSE((*routines)[0]);
  EXPECT_EQ(scratch_bytes(*routines), 0);
}

}  // namespace
}  // namespace hilo::cpu
