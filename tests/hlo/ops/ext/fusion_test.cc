// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/instruction.h"

#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

const std::string kX = "  x = f32[2]{0} parameter(0)\n";
const std::string kDouble = "double { p = f32[2]{0} parameter(0)\n ROOT s = f32[2]{0} add(p, p) }\n";
const std::vector<Literal> kArguments = {Literal::array<float>({2}, {1.5f, 4.0f})};

TEST(Fusion, IsTheComputationThatItCalls) {
  EXPECT_EQ(value_of_text(kX + "  ROOT r = f32[2]{0} fusion(x), kind=kLoop, calls=double", kArguments, kDouble),
            "f32[2] {3, 8}");
}

TEST(Fusion, RefusesOperandsThatItsComputationDoesntTake) {
  expect_refused(kX + "  ROOT r = f32[2]{0} fusion(x, x), kind=kLoop, calls=double", "takes 1 parameters, wanted 2",
                 kDouble);
  expect_refused(kX + "  ROOT r = f32[2]{0} fusion(x), kind=kLoop", "calls: got 0 computations");
}

TEST(Domain, IsItsOperand) {
  EXPECT_EQ(value_of_text(kX + "  ROOT r = f32[2]{0} domain(x), domain={kind=\"sharding\", entry={maximal device=0}, "
                               "exit={maximal device=1}}",
                          kArguments),
            "f32[2] {1.5, 4}");
  expect_refused(kX + "  ROOT r = f32[3]{0} domain(x), domain={kind=\"sharding\"}", "declared shape");
}

TEST(Bitcast, GoesByTheOrderInMemory) {
  const Literal x = Literal::array<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  // Memory holds columns: 1 4 2 5 3 6.
  EXPECT_EQ(value_of_text("  x = s32[2,3]{0,1} parameter(0)\n  ROOT r = s32[3,2]{1,0} bitcast(x)", {x}),
            "s32[3,2] {{1, 4}, {2, 5}, {3, 6}}");
  EXPECT_EQ(value_of_text("  x = s32[2,3]{0,1} parameter(0)\n  ROOT r = s32[6]{0} bitcast(x)", {x}),
            "s32[6] {1, 4, 2, 5, 3, 6}");
  EXPECT_EQ(value_of_text("  x = s32[2,3]{1,0} parameter(0)\n  ROOT r = s32[2,3]{0,1} bitcast(x)", {x}),
            "s32[2,3] {{1, 3, 5}, {2, 4, 6}}");
  EXPECT_EQ(value_of_text("  x = s32[2,3]{1,0} parameter(0)\n  ROOT r = u32[3,2]{1,0} bitcast(x)", {x}),
            "u32[3,2] {{1, 2}, {3, 4}, {5, 6}}");
}

TEST(Bitcast, RefusesAnotherSize) {
  expect_refused("  x = s32[2,3]{1,0} parameter(0)\n  ROOT r = s32[5]{0} bitcast(x)", "wanted 6 elements of 32 bits");
  expect_refused("  x = s32[2,3]{1,0} parameter(0)\n  ROOT r = s16[2,3]{1,0} bitcast(x)", "elements of 32 bits");
}

}  // namespace
}  // namespace hilo::hlo
