// SPDX-License-Identifier: Apache-2.0
// Conditionals: a list of steps for each branch, and results that all branches write to the same memory.
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

const std::string kBranches =
    "up {\n a = f32[8] parameter(0)\n ROOT b = f32[8] sine(a)\n}\n"
    "same {\n a = f32[8] parameter(0)\n ROOT b = f32[8] copy(a)\n}\n";

TEST(Conditionals, EachBranchEndsInTheResult) {
  EXPECT_EQ(
      plan_of(kBranches + "ENTRY main {\n p = pred[] parameter(0)\n x = f32[8] parameter(1)\n"
                          " ROOT r = f32[8] conditional(p, x, x), true_computation=up, false_computation=same\n}\n"),
      R"(target = "test"
max_arguments = 2
steps = [
  {kind = conditional}
]
branches = [
  {selector = 0  predicated = true  lists = [
    [
      {kind = kernel  argument_count = 2  units = 8}  // s1 s2
    ]
    [
      {kind = copy  a = 1  b = 2  bytes = 32}
    ]
  ]}
]
slots = [
  {source = argument}
  {source = argument  index = 1}
  {source = result}
]
argument_slots = [1 2]
)");
}

TEST(Conditionals, AValueThatABranchReadsIsNotWrittenOverBefore) {
  const std::string steps =
      steps_of(kBranches +
               "ENTRY main {\n i = s32[] parameter(0)\n x = f32[8] parameter(1)\n y = f32[8] cosine(x)\n"
               " c = f32[8] conditional(i, y, y), branch_computations={up, same}\n"
               " ROOT r = f32[8] add(c, y)\n}\n");
  EXPECT_NE(steps.find("{kind = conditional}"), std::string::npos) << steps;
  EXPECT_NE(steps.find("argument_count = 3"), std::string::npos) << steps;
}

TEST(Conditionals, AreNestedToABound) {
  std::string text = "c0 {\n a = f32[8] parameter(0)\n ROOT b = f32[8] sine(a)\n}\n";
  for (int k = 1; k <= 130; ++k)
    text += fmt::format(
        "c{0} {{\n a = f32[8] parameter(0)\n p = pred[] constant(true)\n"
        " ROOT b = f32[8] conditional(p, a, a), true_computation=c{1}, false_computation=c{1}\n}}\n",
        k, k - 1);
  const hlo::Module module =
      parsed("HloModule m\n\n" + text +
             "ENTRY main {\n a = f32[8] parameter(0)\n ROOT r = f32[8] call(a), to_apply=c130\n}\n");
  const Status status = plan_steps(module, TestTarget()).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_NE(status.message().find("branches are nested more than 128 deep"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace hilo::engine
