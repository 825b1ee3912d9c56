// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/cost/cost.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

Cost cost_of(const std::string& entry, const std::string& others = "") {
  const StatusOr<Module> module = parse_module("HloModule m\n\n" + others + "\nENTRY main {\n" + entry + "}\n");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return CostAnalysis(module->entry).of(*module->entry);
}

constexpr const char* kAdd = "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n";

TEST(Cost, AnElementwiseOpIsOneOperationAnElement) {
  EXPECT_EQ(cost_of("x = f32[3,5] parameter(0)\n ROOT y = f32[3,5] multiply(x, x)\n"),
            (Cost{.flops = 15, .bytes = 3 * 60}));
}

TEST(Cost, TranscendentalsAreCountedApart) {
  EXPECT_EQ(cost_of("x = f32[7] parameter(0)\n ROOT y = f32[7] exponential(x)\n"),
            (Cost{.transcendentals = 7, .bytes = 56}));
}

TEST(Cost, CopiesAndViewsDoNoArithmetic) {
  EXPECT_EQ(cost_of("x = f32[6] parameter(0)\n c = f32[6] copy(x)\n ROOT y = f32[2,3] reshape(c)\n"),
            (Cost{.bytes = 96}));
}

TEST(Cost, ADotIsTwoMNK) {
  EXPECT_EQ(cost_of("x = f32[4,8,5] parameter(0)\n y = f32[4,5,6] parameter(1)\n"
                    " ROOT z = f32[4,8,6] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                    "lhs_contracting_dims={2}, rhs_contracting_dims={1}\n")
                .flops,
            2.0 * 4 * 8 * 6 * 5);
}

TEST(Cost, AReduceRunsItsBodyForEachElementThatGoesAway) {
  const Cost cost = cost_of(
      "x = f32[4,8] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[4] reduce(x, z), dimensions={1}, "
      "to_apply=sum\n",
      kAdd);
  EXPECT_EQ(cost.flops, 28);
  EXPECT_EQ(cost.bytes, 128 + 4 + 16);
  EXPECT_TRUE(cost.exact);
}

TEST(Cost, ASliceReadsOnlyWhatItTakes) {
  EXPECT_EQ(cost_of("x = f32[1000] parameter(0)\n ROOT y = f32[10] slice(x), slice={[5:15]}\n").bytes, 80);
}

TEST(Cost, ASortComparesNLogNTimes) {
  const Cost cost = cost_of("x = f32[2,8] parameter(0)\n ROOT y = f32[2,8] sort(x), dimensions={1}, to_apply=less\n",
                            "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                            " ROOT c = pred[] compare(a, b), direction=LT\n}\n");
  EXPECT_EQ(cost.flops, 16 * 3);
}

constexpr const char* kLoop =
    "body {\n c = (s32[], f32[9]) parameter(0)\n i = s32[] get-tuple-element(c), index=0\n"
    " one = s32[] constant(1)\n n = s32[] add(i, one)\n x = f32[9] get-tuple-element(c), index=1\n"
    " y = f32[9] add(x, x)\n ROOT t = (s32[], f32[9]) tuple(n, y)\n}\n"
    "condition {\n c = (s32[], f32[9]) parameter(0)\n i = s32[] get-tuple-element(c), index=0\n"
    " ten = s32[] constant(10)\n ROOT p = pred[] compare(i, ten), direction=LT\n}\n";

TEST(Cost, ACountedLoopCountsEveryTurn) {
  const Cost cost = cost_of(
      "i = s32[] constant(0)\n x = f32[9] parameter(0)\n t = (s32[], f32[9]) tuple(i, x)\n"
      " ROOT w = (s32[], f32[9]) while(t), condition=condition, body=body\n",
      kLoop);
  EXPECT_EQ(cost.flops, 10 * (9 + 1) + 11);
  EXPECT_TRUE(cost.exact);
}

TEST(Cost, ALoopOfUnknownLengthCountsOnceAndIsNotExact) {
  const Cost cost = cost_of(
      "i = s32[] parameter(1)\n x = f32[9] parameter(0)\n t = (s32[], f32[9]) tuple(i, x)\n"
      " ROOT w = (s32[], f32[9]) while(t), condition=condition, body=body\n",
      kLoop);
  EXPECT_EQ(cost.flops, (9 + 1) + 2);
  EXPECT_FALSE(cost.exact);
}

TEST(Cost, AConditionalCountsAsItsDearestBranch) {
  const Cost cost = cost_of(
      "p = pred[] parameter(0)\n x = f32[4] parameter(1)\n"
      " ROOT c = f32[4] conditional(p, x, x), true_computation=big, false_computation=small\n",
      "big {\n x = f32[4] parameter(0)\n a = f32[4] add(x, x)\n ROOT b = f32[4] add(a, a)\n}\n"
      "small {\n x = f32[4] parameter(0)\n ROOT a = f32[4] add(x, x)\n}\n");
  EXPECT_EQ(cost.flops, 8);
  EXPECT_FALSE(cost.exact);
}

TEST(Cost, AnOpWithoutARuleCountsItsBytesAndIsNotExact) {
  const Cost cost = cost_of("x = f32[8] parameter(0)\n ROOT y = f32[8] custom-call(x), custom_call_target=\"t\"\n");
  EXPECT_EQ(cost.flops, 0);
  EXPECT_EQ(cost.bytes, 64);
  EXPECT_FALSE(cost.exact);
}

}  // namespace
}  // namespace hilo::hlo
