// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/growth.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

const Module& calling() {
  static const Module module = parse_module(
                                   "HloModule m\ntwice { p = f32[] parameter(0)  ROOT s = f32[] add(p, p) }\n"
                                   "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT c = f32[] call(x), to_apply=twice\n}\n")
                                   .value();
  return module;
}

TEST(GrowthBudget, IsAFixedNumberAndAFactorOfTheProgram) {
  GrowthBudget budget(calling(), 10);  // of four instructions
  EXPECT_TRUE(budget.take(0));
  EXPECT_FALSE(budget.take((1 << 14) + 41));
  EXPECT_TRUE(budget.take((1 << 14) + 39));  // a request that doesn't fit is not subtracted
  EXPECT_TRUE(budget.take(1));
  EXPECT_FALSE(budget.take(1));
}

TEST(SpliceOrCall, WritesTheBodyDownWhileThereIsRoom) {
  for (const bool room : {true, false}) {
    GrowthBudget budget(calling());
    if (!room) {
      while (budget.take(2)) {}
    }
    RewriteBuilder builder(calling().entry);
    builder.copy(calling().entry->parameter(0));
    const InstructionId arguments[] = {builder.mapped(0)};
    const ComputationPtr body = computations_of(calling())[0];
    EXPECT_EQ(builder.opcode(splice_or_call(builder, body, arguments, budget)), room ? Opcode::kAdd : Opcode::kCall);
  }
}

}  // namespace
}  // namespace hilo::hlo
