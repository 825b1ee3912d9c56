// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/rewrite/rewrite_where.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

ComputationPtr entry() {
  return parse_module(
             "HloModule m\nENTRY e {\n  x = f32[3] parameter(0)\n  y = f32[3] sine(x)\n  z = f32[3] sine(y)\n"
             "  ROOT r = f32[3] negate(z)\n}\n")
      ->entry;
}
bool is_sine(const Instruction& i) { return i.opcode == Opcode::kSin; }

TEST(RewriteWhere, ReplacesWhatIsWantedAndCopiesTheRest) {
  const auto cosine = [](RewriteBuilder& b, const Instruction& i) -> StatusOr<InstructionId> {
    return b.add(Opcode::kCos, b.mapped(i.operands));
  };
  const StatusOr<ComputationPtr> made = rewrite_where(entry(), {}, is_sine, cosine);
  ASSERT_TRUE(made.ok()) << made.status().to_string();
  std::vector<Opcode> opcodes;
  for (const Instruction& i : (*made)->instructions()) opcodes.push_back(i.opcode);
  EXPECT_EQ(opcodes, (std::vector{Opcode::kParameter, Opcode::kCos, Opcode::kCos, Opcode::kNegate}));
}

TEST(RewriteWhere, GivesTheSourceItselfWhereNothingIsWanted) {
  const ComputationPtr source = entry();
  const auto never = [](RewriteBuilder&, const Instruction&) -> StatusOr<InstructionId> {
    return unimplemented("asked");
  };
  const auto nothing = [](const Instruction&) { return false; };
  EXPECT_EQ(*rewrite_where(source, {}, nothing, never), source);
  EXPECT_EQ(rewrite_where(source, {}, is_sine, never).status().message(), "asked");
}

}  // namespace
}  // namespace hilo::hlo
