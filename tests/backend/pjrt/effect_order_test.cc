// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/effect_order.h"

#include <gtest/gtest.h>

#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::plugins {
namespace {

constexpr std::string_view kProgram = R"(HloModule f
body {
  p = f32[] parameter(0)
  ROOT inner = f32[] custom-call(p), custom_call_target="acts"
}
condition {
  q = f32[] parameter(0)
  ten = f32[] constant(10)
  ROOT less = pred[] compare(q, ten), direction=LT
}
inside {
  p = f32[] parameter(0)
  minus = f32[] negate(p)
  ROOT called = f32[] custom-call(minus), custom_call_target="acts"
}
other {
  p = f32[] parameter(0)
  ROOT m = f32[] negate(p)
}
ENTRY e {
  a = f32[] parameter(0)
  yes = pred[] parameter(1)
  first = f32[] custom-call(a), custom_call_target="acts"
  pure = f32[] custom-call(a), custom_call_target="computes"
  loop = f32[] while(a), condition=condition, body=body
  call = f32[] call(a), to_apply=inside
  plain = f32[] call(a), to_apply=other
  branch = f32[] conditional(yes, a, a), true_computation=inside, false_computation=other
  last = f32[] custom-call(a), custom_call_target="acts"
  ROOT t = (f32[], f32[], f32[], f32[], f32[], f32[], f32[]) tuple(first, pure, loop, call, plain, branch, last)
})";

bool acts(const hlo::Instruction& i) {
  return i.opcode == hlo::Opcode::kCustomCall &&
         hlo::custom_call_target(hlo::attributes_of<hlo::CustomCallAttributes>(i)) == "acts";
}

/// For each instruction of the main computation, the names of the instructions that it waits for, in order. Omits those
/// that wait for nothing.
std::vector<std::pair<std::string, std::string>> waits(const hlo::Module& module) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const hlo::Instruction& i : module.entry->instructions()) {
    if (i.annotations == nullptr) continue;
    for (const std::string& name : i.annotations->control_predecessors) found.emplace_back(i.name, name);
  }
  return found;
}

TEST(EffectOrder, IsThatOfTheProgram) {
  hlo::Module module = *hlo::parse_module(kProgram);
  ASSERT_TRUE(put_in_order(module, acts).ok());
  const std::string text = hlo::print_module(module);
  const std::vector<std::pair<std::string, std::string>> found = waits(module);
  ASSERT_EQ(found.size(), 4) << text;
  EXPECT_EQ(found[0], (std::pair<std::string, std::string>("loop", "first"))) << text;
  EXPECT_EQ(found[1], (std::pair<std::string, std::string>("called", "loop"))) << text;
  EXPECT_EQ(found[2].second, "called") << text;
  EXPECT_EQ(found[3], (std::pair<std::string, std::string>("last", found[2].first))) << text;
  EXPECT_NE(text.find("%" + found[2].first + " = (f32[]) conditional("), std::string::npos) << "of tuples\n" << text;
  EXPECT_NE(text.find("call(%a), to_apply=%other"), std::string::npos) << "without effects it stays\n" << text;
}

TEST(EffectOrder, OfNothingIsTheProgramAsItIs) {
  hlo::Module module = *hlo::parse_module(kProgram);
  const hlo::ComputationPtr before = module.entry;
  ASSERT_TRUE(put_in_order(module, [](const hlo::Instruction&) { return false; }).ok());
  EXPECT_EQ(module.entry, before);
}

}  // namespace
}  // namespace hilo::plugins
