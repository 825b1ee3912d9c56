// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/trip_count.h"
#include "hilo/hlo/text/parser.h"

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
