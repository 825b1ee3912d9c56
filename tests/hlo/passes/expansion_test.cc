// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/expansion.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

/// A copy of the entry, with ids by name.
struct Copied {
  explicit Copied(const std::string& lines)
      : module(parse_module("HloModule m\nENTRY e {\n" + lines + "}\n").value()),
        builder(module.entry, {.share = false}) {
    builder.copy_all();
  }
  InstructionId id(std::string_view name) {
    for (const Instruction& i : module.entry->instructions()) {
      if (i.name == name) return builder.mapped(i.id);
    }
    ADD_FAILURE() << name;
    return 0;
  }
  Module module;
  RewriteBuilder builder;
};

const std::string kExpanded =
    "  x = f32[2] parameter(0)\n  c = f32[] constant(676.520368)\n  cs = f32[2] broadcast(c), dimensions={}\n  d = "
    "f32[2] divide(cs, x)\n"
    "  l = f32[2] log(d)\n  other = f32[2] parameter(1)\n  m = f32[2] add(l, other)\n  ROOT t = (f32[2], f32[2]) "
    "tuple(l, m)\n";

TEST(SplatNumber, IsTheNumberEverywhereWhateverItsType) {
  Copied c(
      "  a = bf16[] constant(1.5)\n  b = bf16[3] broadcast(a), dimensions={}\n  n = s32[] constant(-7)\n  v = s32[2] "
      "constant({1, 2})\n"
      "  x = f32[] parameter(0)\n  ROOT t = (bf16[3], s32[], s32[2], f32[]) tuple(b, n, v, x)\n");
  EXPECT_EQ(splat_number(c.builder, c.id("b")), 1.5);
  EXPECT_EQ(splat_number(c.builder, c.id("n")), -7);
  EXPECT_EQ(splat_number(c.builder, c.id("v")), std::nullopt);
  EXPECT_EQ(splat_number(c.builder, c.id("x")), std::nullopt);
}

TEST(IsExpansion, HasTheOpAndACoefficientAndNothingButX) {
  Copied c(kExpanded);
  EXPECT_TRUE(is_expansion(c.builder, c.id("l"), c.id("x"), Opcode::kLog, kLanczos));
  EXPECT_FALSE(is_expansion(c.builder, c.id("l"), c.id("x"), Opcode::kSin, kLanczos));
  const double others[] = {1.0};
  EXPECT_FALSE(is_expansion(c.builder, c.id("l"), c.id("x"), Opcode::kLog, others));
  EXPECT_FALSE(is_expansion(c.builder, c.id("m"), c.id("x"), Opcode::kLog, kLanczos));
}

TEST(AddRaised, RefusesTypesThatTheOpLacks) {
  Copied c("  x = f32[2] parameter(0)\n  n = s32[2] parameter(1)\n  ROOT t = (f32[2], s32[2]) tuple(x, n)\n");
  EXPECT_EQ(c.builder.opcode(add_raised(c.builder, Opcode::kSin, c.id("x"))), Opcode::kSin);
  EXPECT_EQ(add_raised(c.builder, Opcode::kSin, c.id("n")), kNoInstruction);
}

}  // namespace
}  // namespace hilo::hlo
