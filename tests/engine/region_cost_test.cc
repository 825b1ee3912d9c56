// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/regions.h"

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// The cost of the program's only region on the test machine.
double cost_of(const std::string& text) {
  const hlo::Module module = parsed("HloModule m\n\n" + text);
  const RegionGraph formed = *form_regions(*build_graph(*module.entry), kTestCosts);
  EXPECT_EQ(formed.regions.size(), 1U);
  return region_cost(formed.regions[0], kTestCosts);
}

TEST(RegionCost, CountsLoadsOpsAndStores) {
  EXPECT_DOUBLE_EQ(cost_of("ENTRY main {\n x = f32[100] parameter(0)\n ROOT y = f32[100] negate(x)\n}\n"),
                   100 * (0.1 + 0.05 + 0.1));
  EXPECT_DOUBLE_EQ(cost_of("ENTRY main {\n x = f64[100] parameter(0)\n ROOT y = f64[100] sine(x)\n}\n"),
                   100 * (0.1 + 1.3 + 0.1));
}

TEST(RegionCost, ARowCountsForEachOfItsElements) {
  EXPECT_DOUBLE_EQ(cost_of(kSum + "ENTRY main {\n x = f32[10,20] parameter(0)\n zero = f32[] constant(0)\n"
                                  " ROOT s = f32[10] reduce(x, zero), dimensions={1}, to_apply=sum\n}\n"),
                   10 * (0.2 + 20 * (0.1 + 0.05)));  // outside of the row: zero, the sum, and its store
}

TEST(RegionCost, SumsOfAProductShareWhatTheyLoad) {
  EXPECT_DOUBLE_EQ(cost_of("ENTRY main {\n x = f32[4,8] parameter(0)\n w = f32[8,16] parameter(1)\n"
                           " ROOT y = f32[4,16] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"),
                   4 * 16 * (0.2 + 8 * 3 * 0.01));
}

}  // namespace
}  // namespace hilo::engine
