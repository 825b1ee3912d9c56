// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/trip_count.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {
namespace {

constexpr std::string_view kScan = R"(
HloModule m

step {
  c = f32[] parameter(0)
  x = f32[] parameter(1)
  s = f32[] add(c, x)
  ROOT r = (f32[], f32[]) tuple(s, s)
}

ENTRY main {
  c = f32[] parameter(0)
  xs = f32[5] parameter(1)
  ROOT sums = (f32[], f32[5]) hilo.scan(c, xs), step=step, length=5, constant_count=0, carry_count=1
}
)";

TEST(LowerExtensions, LeavesWhatTheBackendRunsItself) {
  Module module = *parse_module(kScan);
  constexpr Opcode kNative[] = {kExtScan};
  const StatusOr<bool> changed = lower_extensions(module, kNative);
  ASSERT_TRUE(changed.ok()) << changed.status().to_string();
  EXPECT_FALSE(*changed);
}

TEST(LowerExtensions, ThePipelineLeavesThemToo) {
  Module module = *parse_module(kScan);
  constexpr Opcode kNative[] = {kExtScan};
  DriverOptions options;
  options.engine.whole = kNative;
  ASSERT_TRUE(run_passes(module, default_pipeline(), options).ok());
  EXPECT_EQ(module.entry->root().opcode, kExtScan);
}

int64_t count_fused(const Module& module) {
  return std::ranges::count(module.entry->instructions(), kExtFma, &Instruction::opcode);
}

TEST(LowerExtensions, FormulasAreFusedIfTheEngineHasTheInstruction) {
  constexpr std::string_view kText =
      "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] hilo.erfc(x)\n}\n";
  Module fused = *parse_module(kText), rounded = *parse_module(kText);
  constexpr Opcode kNative[] = {kExtFma};
  ASSERT_TRUE(lower_extensions(fused, kNative).ok());
  ASSERT_TRUE(lower_extensions(rounded).ok());
  EXPECT_GT(count_fused(fused), 10);
  EXPECT_EQ(count_fused(rounded), 0);
}

// The step belongs to the program, which relies on one rounding.
TEST(LowerExtensions, FusedProductsOfALoopsStepStay) {
  Module module = *parse_module(R"(
HloModule m

step {
  c = f32[] parameter(0)
  x = f32[] parameter(1)
  s = f32[] hilo.fma(c, x, x)
  ROOT r = (f32[], f32[]) tuple(s, s)
}

ENTRY main {
  c = f32[] parameter(0)
  xs = f32[5] parameter(1)
  ROOT sums = (f32[], f32[5]) hilo.scan(c, xs), step=step, length=5, constant_count=0, carry_count=1
}
)");
  ASSERT_TRUE(lower_extensions(module).ok());
  EXPECT_NE(print_module(module).find("hilo.fma"), std::string::npos);
}

TEST(LowerExtensions, MakesLoopsWhoseTripCountIsKnown) {
  Module module = *parse_module(kScan);
  ASSERT_TRUE(lower_extensions(module).ok());
  ASSERT_TRUE(inline_calls(module).ok());
  int loops = 0;
  for (const Instruction& i : module.entry->instructions()) {
    if (i.opcode != Opcode::kWhile) continue;
    ++loops;
    EXPECT_EQ(trip_count(i, *module.entry), 5);
  }
  EXPECT_EQ(loops, 1);
}

}  // namespace
}  // namespace hilo::hlo
