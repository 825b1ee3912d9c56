// SPDX-License-Identifier: Apache-2.0
// Plans as text: steps and their memory. The target is small and has no code, so kernels are numbers.
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

TEST(Planner, AFusedProgramIsOneStepFromArgumentToResult) {
  EXPECT_EQ(plan_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n ROOT z = f32[8] add(y, y)\n}\n"),
            R"(target = "test"
max_arguments = 2
steps = [
  {kind = kernel  argument_count = 2  units = 8}  // s0 s1
]
slots = [
  {source = argument}
  {source = result}
]
argument_slots = [0 1]
donations = [
  {}
]
)");
}

TEST(Planner, AValueBetweenTwoStepsLivesInTheArena) {
  EXPECT_EQ(plan_of("less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                    " ROOT c = pred[] compare(a, b), direction=LT\n}\n"
                    "ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n"
                    " s = f32[8] sort(y), dimensions={0}, to_apply=less\n ROOT z = f32[8] add(s, x)\n}\n"),
            R"(target = "test"
arena_bytes = 128
max_arguments = 3
steps = [
  {kind = kernel  argument_count = 2  units = 8}  // s0 s2
  {kind = library  arguments = 2  argument_count = 2}  // s2 s3
  {kind = kernel  index = 1  arguments = 4  argument_count = 3  units = 8}  // s0 s3 s1
]
slots = [
  {source = argument}
  {source = result}
  {source = arena}
  {source = arena  index = 64}
]
argument_slots = [0 2 2 3 0 3 1]
donations = [
  {}
]
)");
}

/// Arguments are copied first, results last.
TEST(Planner, OtherLayoutsAreCopiedAtTheBoundary) {
  const hlo::Module module = parsed(
      "HloModule m, entry_computation_layout={(f32[4,8]{0,1})->f32[4,8]{0,1}}\n\n"
      "ENTRY main {\n x = f32[4,8] parameter(0)\n ROOT y = f32[4,8] sine(x)\n}\n");
  const StatusOr<PlannedProgram> program = plan_steps(module, TestTarget());
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  const Plan& plan = program->plan;
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_EQ(plan.library_calls[plan.steps[0].index].symbol, kToRowMajor);
  EXPECT_EQ(plan.steps[1].kind, StepKind::kKernel);
  EXPECT_EQ(plan.library_calls[plan.steps[2].index].symbol, kFromRowMajor);
  EXPECT_TRUE(plan.donations.empty());
}

TEST(Planner, NumbersOnlyTheKernelsThatStepsCall) {
  Plan plan;
  plan.steps = {{StepKind::kKernel, 4}, {StepKind::kLibrary, 9}, {StepKind::kKernel, 2}, {StepKind::kKernel, 4}};
  plan.whole_loops.resize(1);
  plan.whole_loops[0].kernels = {7, 2};
  EXPECT_EQ(number_kernels(plan), (std::vector<uint32_t>{4, 2, 7}));
  EXPECT_EQ(plan.steps[0].index, 0u);
  EXPECT_EQ(plan.steps[1].index, 9u);
  EXPECT_EQ(plan.steps[2].index, 1u);
  EXPECT_EQ(plan.steps[3].index, 0u);
  EXPECT_EQ(plan.whole_loops[0].kernels, (std::vector<uint32_t>{2, 1}));
}

}  // namespace
}  // namespace hilo::engine
