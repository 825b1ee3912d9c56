// SPDX-License-Identifier: Apache-2.0
// Slots and the memory to which they point.
#include "hilo/engine/plan_state.h"

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

struct PlanStateTest : testing::Test {
  const hlo::Module module = parsed("HloModule m\n\nENTRY main {\n ROOT x = f32[8] parameter(0)\n}\n");
  const TestTarget target;
  PlanState state{module, target};
};

TEST_F(PlanStateTest, MemoryThatIsNeededAtDifferentTimesIsShared) {
  const SlotId a = new_arena_slot(state, 64);
  ++state.clock;
  const SlotId b = new_arena_slot(state, 64), c = new_arena_slot(state, 64);
  ++state.clock;
  use(state, b);
  ASSERT_TRUE(assign_arena(state).ok());
  EXPECT_EQ(state.plan.arena_bytes, 128);
  EXPECT_EQ(state.plan.slots[a].index, state.plan.slots[b].index);
  EXPECT_NE(state.plan.slots[b].index, state.plan.slots[c].index);
}

TEST_F(PlanStateTest, WhatASlotMayPointToIsUsedWithIt) {
  const SlotId a = new_arena_slot(state, 64), moving = new_slot(state, SlotSource::kMoving, 0);
  may_become(state, moving, a);
  ++state.clock;
  const SlotId b = new_arena_slot(state, 64);
  use(state, moving);
  ASSERT_TRUE(assign_arena(state).ok());
  EXPECT_NE(state.plan.slots[a].index, state.plan.slots[b].index);
}

TEST_F(PlanStateTest, AConstantIsStoredOnce) {
  const Literal value(Shape::array(ElementType::kF32, {8})), other(Shape::array(ElementType::kF32, {8}));
  EXPECT_EQ(constant_slot(state, value), constant_slot(state, value));
  EXPECT_NE(constant_slot(state, value), constant_slot(state, other)) << "of other memory";
  EXPECT_EQ(state.plan.constants.size(), 2U);
}

TEST_F(PlanStateTest, TooMuchMemoryIsRejected) {
  new_arena_slot(state, int64_t{1} << 62);
  new_arena_slot(state, 1);
  const Status status = assign_arena(state);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("plan 'm': its temporaries are too large"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace hilo::engine
