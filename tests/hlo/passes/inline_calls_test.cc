// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/passes/passes.h"

namespace hilo::hlo {
namespace {

const Shape kScalar = Shape::scalar(ElementType::kF32);

/// A body of `size` instructions.
ComputationPtr chain(int size) {
  Builder b(fmt::format("chain{}", size));
  InstructionId x = b.parameter(kScalar);
  while (static_cast<int>(b.size()) < size) x = *b.add(Opcode::kNegate, {x});
  return *std::move(b).build(x);
}

Module calls_of(const ComputationPtr& body, int sites) {
  auto attributes = std::make_shared<CallAttributes>();
  attributes->to_apply = body;
  Builder b("main");
  InstructionId x = b.parameter(kScalar);
  for (int i = 0; i < sites; ++i) x = *b.add(Opcode::kCall, {x}, attributes);
  Module module;
  module.entry = *std::move(b).build(x);
  return module;
}

bool inlines(int size, int sites) {
  Module module = calls_of(chain(size), sites);
  const StatusOr<bool> changed = inline_calls(module);
  EXPECT_TRUE(changed.ok()) << changed.status().to_string();
  return changed.ok() && *changed;
}

TEST(InlineCalls, InlinesALargeBodyThatIsCalledOnce) { EXPECT_TRUE(inlines(10000, 1)); }
TEST(InlineCalls, InlinesASmallBodyHoweverOftenItIsCalled) { EXPECT_TRUE(inlines(20, 1000)); }
TEST(InlineCalls, InlinesAMiddlingBodyThatIsCalledAFewTimes) { EXPECT_TRUE(inlines(500, 4)); }
TEST(InlineCalls, DoesNotInlineABodyThatWouldMakeTheProgramLarge) { EXPECT_FALSE(inlines(1000, 12)); }

TEST(InlineCalls, StaysSmallWhenEveryBodyCallsTheNextTwice) {
  ComputationPtr body = chain(20);
  for (int i = 0; i < 40; ++i) body = calls_of(body, 2).entry;
  Module module;
  module.entry = body;
  ASSERT_TRUE(inline_calls(module).ok());
  EXPECT_LT(instruction_count(module), 10000);  // without a limit: 2^40 bodies
}

TEST(InlineCalls, ChangesNothingWithoutCalls) {
  Module module;
  module.entry = chain(5);
  EXPECT_FALSE(*inline_calls(module));
}

}  // namespace
}  // namespace hilo::hlo
