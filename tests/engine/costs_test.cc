// SPDX-License-Identifier: Apache-2.0
// Plans depend on the costs that the target reports. Each machine below differs from the test machine in one cost.
#include "hilo/engine/costs.h"

#include <fmt/format.h>

#include "hilo/engine/plan_text.h"
#include "hilo/engine/whole_loops.h"
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// The plan for a machine with these costs.
Plan plan_with(const Costs& costs, const std::string& text) {
  const hlo::Module module = parsed("HloModule m\n\n" + text);
  StatusOr<PlannedProgram> program = plan_steps(module, TestTarget(costs));
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  make_whole_loops(*program, costs);
  return std::move(program->plan);
}

Costs changed(const std::function<void(Costs&)>& change) {
  Costs costs = kTestCosts;
  change(costs);
  return costs;
}

TEST(Costs, AnOpCostsWhatItsClassAndTypeDo) {
  EXPECT_DOUBLE_EQ(op_cost(kTestCosts, hlo::CostClass::kCheap, ElementType::kF32), 0.05);
  EXPECT_DOUBLE_EQ(op_cost(kTestCosts, hlo::CostClass::kExpensive, ElementType::kF32), 0.25);
  EXPECT_DOUBLE_EQ(op_cost(kTestCosts, hlo::CostClass::kTranscendental, ElementType::kF32), 0.65);
  EXPECT_DOUBLE_EQ(op_cost(kTestCosts, hlo::CostClass::kTranscendental, ElementType::kF64), 1.3);
}

TEST(Costs, ThreadsShareWhatTakesLongerThanAFork) {
  const std::string sines = "ENTRY main {\n x = f32[8000] parameter(0)\n ROOT y = f32[8000] sine(x)\n}\n";
  const Plan alone = plan_with(kTestCosts, sines);
  EXPECT_EQ(alone.steps[0].chunk, 0);
  EXPECT_DOUBLE_EQ(alone.work[0].nanoseconds, 8000 * 0.85);
  EXPECT_FALSE(alone.forks);
  for (const Costs& costs : {changed([](Costs& c) { c.fork = 5000; }), changed([](Costs& c) { c.load = 10; }),
                             changed([](Costs& c) { c.ops.transcendental = 5; })}) {
    const Plan shared = plan_with(costs, sines);
    EXPECT_EQ(shared.steps[0].chunk, 500);
    EXPECT_TRUE(shared.forks);
    EXPECT_NE(plan_text(shared), plan_text(alone));
  }
  EXPECT_EQ(plan_with(changed([](Costs& c) { c.wide_ops.transcendental = 5; }), sines).steps[0].chunk, 0)
      << "of another type";
}

TEST(Costs, AProductIsALoopWhereACallCostsMoreThanItSaves) {
  const std::string product =
      "ENTRY main {\n x = f32[32,32] parameter(0)\n"
      " ROOT y = f32[32,32] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  EXPECT_EQ(plan_with(kTestCosts, product).steps[0].kind, StepKind::kKernel);
  for (const Costs& costs :
       {changed([](Costs& c) { c.product_call = 10; }), changed([](Costs& c) { c.products.blocked = 1; })})
    EXPECT_EQ(plan_with(costs, product).steps[0].kind, StepKind::kLibrary);
  const Costs small_cache = changed([](Costs& c) {
    c.core_cache_bytes = 1000;  // then rows are separate regions
    c.products.plain = 1;
  });
  EXPECT_EQ(plan_with(small_cache, product).steps[0].kind, StepKind::kLibrary);
}

/// A loop over a batch of small products needs adjacent columns. Otherwise it sums along vectors, or reads across the
/// batch.
TEST(Costs, ABatchOfProductsIsALoopWhereColumnsAreAdjacent) {
  const auto kind_of = [](std::string_view right, int batch, int contracted, const Costs& costs) {
    const std::string text = fmt::format(
        "ENTRY main {{\n x = f32[300,9,9] parameter(0)\n y = f32[{}] parameter(1)\n ROOT z = f32[300,9,8] dot(x, y), "
        "lhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_batch_dims={{{}}}, rhs_contracting_dims={{{}}}\n}}\n",
        right, batch, contracted);
    return plan_with(costs, text).steps[0].kind;
  };
  EXPECT_EQ(kind_of("300,9,8", 0, 1, kTestCosts), StepKind::kKernel);
  EXPECT_EQ(kind_of("300,8,9", 0, 2, kTestCosts), StepKind::kLibrary);
  EXPECT_EQ(kind_of("9,8,300", 2, 0, kTestCosts), StepKind::kLibrary);
  EXPECT_EQ(kind_of("300,8,9", 0, 2, changed([](Costs& c) { c.product_item = 1000; })), StepKind::kKernel);
  EXPECT_EQ(kind_of("300,8,9", 0, 2, changed([](Costs& c) { c.products.short_sum_term = 0.04; })), StepKind::kKernel);
}

/// Fusing recomputes the function for the padding of each row. Otherwise the value is written to memory first.
TEST(Costs, AFunctionIsComputedMoreOftenWhereMemoryIsSlow) {
  const std::string twice =
      "ENTRY main {\n x = f32[10,1000] parameter(0)\n y = f32[10,1000] sine(x)\n zero = f32[] constant(0)\n"
      " ROOT z = f32[10,1200] pad(y, zero), padding=0_0x100_100\n}\n";
  const size_t stored = plan_with(changed([](Costs& c) { c.cached = 0; }), twice).steps.size();
  EXPECT_LT(plan_with(changed([](Costs& c) { c.cached = 10; }), twice).steps.size(), stored);
  EXPECT_EQ(plan_with(changed([](Costs& c) { c.uncached = 10; }), twice).steps.size(), stored) << "a cache holds it";
  const Costs none = changed([](Costs& c) {
    c.cached = 0;
    c.uncached = 10;
    c.cache_bytes = 100;
  });
  EXPECT_LT(plan_with(none, twice).steps.size(), stored);
}

TEST(Costs, ALoopIsAFunctionWhereDispatchCounts) {
  const std::string loop =
      "body {\n c = (s32[], f32[900]) parameter(0)\n i = s32[] get-tuple-element(c), index=0\n"
      " one = s32[] constant(1)\n n = s32[] add(i, one)\n x = f32[900] get-tuple-element(c), index=1\n"
      " y = f32[900] sine(x)\n ROOT t = (s32[], f32[900]) tuple(n, y)\n}\n"
      "condition {\n c = (s32[], f32[900]) parameter(0)\n i = s32[] get-tuple-element(c), index=0\n"
      " ten = s32[] constant(10)\n ROOT p = pred[] compare(i, ten), direction=LT\n}\n"
      "ENTRY main {\n i = s32[] constant(0)\n x = f32[900] parameter(0)\n t = (s32[], f32[900]) tuple(i, x)\n"
      " w = (s32[], f32[900]) while(t), condition=condition, body=body\n"
      " ROOT r = f32[900] get-tuple-element(w), index=1\n}\n";
  const Plan whole = plan_with(kTestCosts, loop);
  ASSERT_EQ(whole.whole_loops.size(), 1U);
  EXPECT_EQ(whole.whole_loops[0].kernels.size(), 1U) << "the sines are called, the counter is written into it";
  EXPECT_EQ(plan_with(changed([](Costs& c) { c.call = 100; }), loop).whole_loops[0].kernels.size(), 0U);
  EXPECT_EQ(plan_with(changed([](Costs& c) { c.dispatch = 0.1; }), loop).whole_loops.size(), 0U);
}

}  // namespace
}  // namespace hilo::engine
