// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/part_of.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/trace/trace.h"

namespace hilo {
namespace {

hlo::ComputationPtr program(const std::string& body) {
  return or_throw(hlo::parse_module("HloModule m\nENTRY f {\n" + body + "}\n")).entry;
}

hlo::InstructionId named(const hlo::Computation& c, const std::string& name) {
  for (const hlo::Instruction& i : c.instructions()) {
    if (i.name == name) return i.id;
  }
  ADD_FAILURE() << name;
  return hlo::kNoInstruction;
}

const char* const kChain =
    "  x = f32[2] parameter(0)\n  w = f32[2] parameter(1)\n  s = f32[2] sine(w)\n  p = f32[2] multiply(s, x)\n"
    "  e = f32[2] exponential(p)\n  ROOT r = (f32[2], f32[2]) tuple(e, s)\n";

TEST(PartOf, ComputesTheOutputsFromWhatIsGiven) {
  const hlo::ComputationPtr c = program(kChain);
  const std::vector<hlo::InstructionId> given = {named(*c, "p")}, outputs = {named(*c, "e")};
  const hlo::ComputationPtr part = part_of(*c, given, outputs, "part");
  EXPECT_EQ(part->parameter_count(), 1);
  EXPECT_EQ(part->size(), 3u);  // parameter, exponential, tuple
  const Array p = Array::from_vector<float>({0, 1}, {2});
  EXPECT_NEAR(run_computation(*part, {{p}})[0].to_vector<float>()[1], 2.7182817f, 1e-6);
}

TEST(PartOf, GivesBackWhatIsGivenAndKeepsWhatIsAskedFor) {
  const hlo::ComputationPtr c = program(kChain);
  const std::vector<hlo::InstructionId> given = {named(*c, "x"), named(*c, "w")}, also = {named(*c, "e")};
  EXPECT_EQ(part_of(*c, given, given, "same")->size(), 3u);
  EXPECT_EQ(part_of(*c, given, given, "same", also)->size(), 6u);
  EXPECT_EQ(part_of(*c, {}, {}, "none")->result_shape().leaves().size(), 0u);
}

TEST(FollowsFrom, MarksWhatTheGivenValuesAndConstantsMake) {
  const hlo::ComputationPtr c = program(
      "  x = f32[] parameter(0)\n  w = f32[] parameter(1)\n  one = f32[] constant(1)\n  s = f32[] sine(w)\n"
      "  t = f32[] add(s, one)\n  ROOT p = f32[] multiply(t, x)\n");
  const std::vector<hlo::InstructionId> given = {named(*c, "w")};
  const std::vector<bool> follows = follows_from(*c, given);
  for (const char* name : {"w", "one", "s", "t"}) EXPECT_TRUE(follows[named(*c, name)]) << name;
  for (const char* name : {"x", "p"}) EXPECT_FALSE(follows[named(*c, name)]) << name;
}

TEST(FollowsFrom, AnEffectFollowsFromNothing) {
  const hlo::ComputationPtr c = program(
      "  w = f32[] parameter(0)\n  t = token[] after-all()\n  o = token[] outfeed(w, t)\n  ROOT s = f32[] sine(w)\n");
  const std::vector<hlo::InstructionId> given = {named(*c, "w")};
  const std::vector<bool> follows = follows_from(*c, given);
  EXPECT_FALSE(follows[named(*c, "o")]);
  EXPECT_TRUE(follows[named(*c, "s")]);
  EXPECT_TRUE(has_effect(c->instruction(named(*c, "o"))));
  EXPECT_FALSE(has_effect(c->instruction(named(*c, "s"))));
}

}  // namespace
}  // namespace hilo
