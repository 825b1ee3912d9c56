// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/loop_carry.h"

#include <gtest/gtest.h>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

/// A loop over (i, sum, constant, unused) with these lines as body.
Module loop_of(const std::string& body) {
  return parse_module("HloModule m\nbody {\n  t = (s32[], f32[], f32[], f32[]) parameter(0)\n" + body +
                      "}\ncondition {\n  t = (s32[], f32[], f32[], f32[]) parameter(0)\n  i = s32[] "
                      "get-tuple-element(t), index=0\n"
                      "  k = s32[] constant(3)\n  ROOT l = pred[] compare(i, k), direction=LT\n}\n"
                      "ENTRY e {\n  t = (s32[], f32[], f32[], f32[]) parameter(0)\n"
                      "  ROOT w = (s32[], f32[], f32[], f32[]) while(t), condition=condition, body=body\n}\n")
      .value();
}

const std::string kBody =
    "  i = s32[] get-tuple-element(t), index=0\n  s = f32[] get-tuple-element(t), index=1\n  c = f32[] "
    "get-tuple-element(t), index=2\n"
    "  u = f32[] get-tuple-element(t), index=3\n  one = s32[] constant(1)\n  n = s32[] add(i, one)\n  m = f32[] add(s, "
    "c)\n"
    "  v = f32[] negate(u)\n  ROOT r = (s32[], f32[], f32[], f32[]) tuple(n, m, c, v)\n";

const WhileAttributes& loop(const Module& module) { return attributes_of<WhileAttributes>(module.entry->root()); }
using Flags = std::vector<bool>;

TEST(LoopCarry, InvariantElementsAreHandedOnUnchanged) {
  const Module module = loop_of(kBody);
  EXPECT_EQ(invariant_elements(*loop(module).body), (Flags{false, false, true, false}));
}

TEST(LoopCarry, AnElementInAnotherPlaceIsNotInvariant) {
  const Module module = loop_of(
      "  i = s32[] get-tuple-element(t), index=0\n  a = f32[] get-tuple-element(t), index=1\n  b = f32[] "
      "get-tuple-element(t), index=2\n"
      "  u = f32[] get-tuple-element(t), index=3\n  ROOT r = (s32[], f32[], f32[], f32[]) tuple(i, b, a, u)\n");
  EXPECT_EQ(invariant_elements(*loop(module).body), (Flags{true, false, false, true}));
}

TEST(LoopCarry, LiveElementsAreThoseReadOutsideAndWhatTheyNeed) {
  const Module module = loop_of(kBody);
  const auto live = [&](size_t read) { return live_elements(loop(module), [=](size_t i) { return i == read; }); };
  EXPECT_EQ(live(1), (Flags{true, true, true, false}));  // the condition reads the first
  EXPECT_EQ(live(2), (Flags{true, false, true, false}));
  EXPECT_EQ(live(3), (Flags{true, false, false, true}));
}

TEST(LoopCarry, ACarryThatIsReadAsAWholeIsNotReadByElement) {
  EXPECT_TRUE(reads_carry_by_element(*loop(loop_of(kBody)).body));
  const Module whole = loop_of("  ROOT c = (s32[], f32[], f32[], f32[]) opt-barrier(t)\n");
  EXPECT_FALSE(reads_carry_by_element(*loop(whole).body));
  const Module same = parse_module("HloModule m\nENTRY e {\n  ROOT t = (s32[]) parameter(0)\n}\n").value();
  EXPECT_FALSE(reads_carry_by_element(*same.entry));
}

TEST(LoopCarry, NeededInstructionsAreThoseOfTheElementsAsked) {
  const Module module = loop_of(kBody);
  const Computation& body = *loop(module).body;
  const Flags needed = needed_for(body, [](size_t i) { return i == 1; }, true);
  for (const Instruction& i : body.instructions()) {
    const bool wanted = i.name == "t" || i.name == "s" || i.name == "c" || i.name == "m";
    EXPECT_EQ(needed[i.id], wanted) << i.name;
  }
}

}  // namespace
}  // namespace hilo::hlo
