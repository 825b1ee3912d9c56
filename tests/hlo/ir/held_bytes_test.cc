// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/held_bytes.h"

#include <gtest/gtest.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/control_flow.h"

namespace hilo::hlo {
namespace {

ComputationPtr with_constant(int64_t elements) {
  Builder b("constant");
  return *std::move(b).build(b.constant(Literal(Shape::array(ElementType::kF32, {elements}))));
}

ComputationPtr that_calls(const ComputationPtr& callee, int times) {
  Builder b("caller");
  auto attributes = std::make_shared<CallAttributes>();
  attributes->to_apply = callee;
  InstructionId last = 0;
  for (int i = 0; i < times; ++i) last = *b.add(Opcode::kCall, {}, attributes);
  return *std::move(b).build(last);
}

TEST(HeldBytes, CountLiterals) { EXPECT_EQ(held_bytes(with_constant(1001)) - held_bytes(with_constant(1)), 4000); }

TEST(HeldBytes, CountACalledComputationOnce) {
  const ComputationPtr callee = with_constant(1 << 20);
  const int64_t once = held_bytes(that_calls(callee, 1));
  EXPECT_GT(once, 4 << 20);
  EXPECT_LT(held_bytes(that_calls(callee, 9)), once + (1 << 20));
}

TEST(HeldBytes, OfNothingAreZero) { EXPECT_EQ(held_bytes(nullptr), 0); }

TEST(HeldBytes, OfALongChainOfCallsAreCountedWithoutRecursion) {
  ComputationPtr chain = with_constant(1);
  for (int i = 0; i < 100000; ++i) chain = that_calls(chain, 1);
  EXPECT_GT(held_bytes(chain), 100000);
}

}  // namespace
}  // namespace hilo::hlo
