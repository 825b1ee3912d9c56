// SPDX-License-Identifier: Apache-2.0
// No pass drops, merges or moves an instruction with an effect.
#include <gtest/gtest.h>

#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {
namespace {

constexpr std::string_view kCalls = R"(
HloModule m

says {
  a = f32[4] parameter(0)
  ROOT e = f32[4] custom-call(a), custom_call_target="say"
}

ENTRY main {
  x = f32[4] parameter(0)
  first = f32[4] custom-call(x), custom_call_target="say"
  second = f32[4] custom-call(x), custom_call_target="say"
  third = f32[4] call(x), to_apply=says
  fourth = f32[4] call(x), to_apply=says
  ROOT result = f32[4] negate(x)
}
)";

constexpr std::string_view kLoop = R"(
HloModule m

body {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[4] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[4] exponential(x)
  said = f32[4] custom-call(y), custom_call_target="say"
  ROOT r = (s32[], f32[4]) tuple(next, y)
}

condition {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}

ENTRY main {
  x = f32[4] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[4]) tuple(zero, x)
  loop = (s32[], f32[4]) while(init), condition=condition, body=body
  ROOT result = s32[] get-tuple-element(loop), index=0
}
)";

int count(const Module& module, Opcode opcode) {
  int n = 0;
  for (const ComputationPtr& c : computations_of(module)) {
    for (const Instruction& i : c->instructions()) n += i.opcode == opcode;
  }
  return n;
}

Module after(std::string_view text, std::initializer_list<StatusOr<bool> (*)(Module&)> passes) {
  Module module = *parse_module(text);
  for (const auto pass : passes) {
    const StatusOr<bool> changed = pass(module);
    EXPECT_TRUE(changed.ok()) << changed.status().to_string();
  }
  return module;
}

TEST(Effects, StayThoughNobodyUsesTheirValues) {
  const Module module = after(kCalls, {dce});
  EXPECT_EQ(count(module, Opcode::kCustomCall), 3);
  EXPECT_EQ(count(module, Opcode::kCall), 2);
}

TEST(Effects, AreNotMergedBecauseEachIsSeen) {
  const Module module = after(kCalls, {cse, simplify});
  EXPECT_EQ(count(module, Opcode::kCustomCall), 3);
  EXPECT_EQ(count(module, Opcode::kCall), 2);
}

TEST(Effects, KeepTheirNumberWhenCallsAreInlined) {
  const Module module = after(kCalls, {inline_calls, cse, simplify, dce});
  EXPECT_EQ(count(module, Opcode::kCustomCall), 4);
  EXPECT_EQ(count(module, Opcode::kCall), 0);
}

TEST(Effects, KeepTheCarriesThatTheyReadInALoop) {
  const Module module = after(kLoop, {simplify_while, hoist_invariants, simplify, dce});
  EXPECT_EQ(count(module, Opcode::kCustomCall), 1);
  EXPECT_EQ(count(module, Opcode::kExp), 1);
  EXPECT_EQ(count(module, Opcode::kWhile), 1);
}

}  // namespace
}  // namespace hilo::hlo
