// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/register_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "hilo/hlo/build/builder.h"

namespace hilo::engine {
namespace {

using hlo::InstructionId;

/// A random expression: parameters, constants, and operations on earlier values.
struct Expression {
  hlo::ComputationPtr computation;
  std::vector<ValueHome> homes;
  std::vector<InstructionId> roots;
  std::vector<ScheduleGroup> groups;
};

Expression random_expression(unsigned seed, int operations) {
  std::mt19937 random(seed);
  hlo::Builder b("e");
  Expression e;
  const Shape f32 = Shape::scalar(ElementType::kF32);
  for (int k = 0; k < 5; ++k) b.parameter(f32), e.homes.push_back(ValueHome::kMemory);
  for (int k = 0; k < 3; ++k) b.constant(Literal::scalar(k + 0.5F)), e.homes.push_back(ValueHome::kImmediate);
  const auto any = [&] { return static_cast<InstructionId>(random() % b.size()); };
  for (int k = 0; k < operations; ++k) {
    if (random() % 8 == 0) {
      ScheduleGroup group;
      const InstructionId end = b.size();
      for (int member = 0; member < 4; ++member) {
        const StatusOr<InstructionId> id = b.add(hlo::Opcode::kSin, {static_cast<InstructionId>(random() % end)});
        group.push_back(*id);
        e.homes.push_back(ValueHome::kNowhere);
      }
      e.groups.push_back(group);
    } else {
      EXPECT_TRUE(b.add(hlo::Opcode::kAdd, {any(), any()}).ok());
      e.homes.push_back(ValueHome::kNowhere);
    }
  }
  for (int k = 0; k < 7; ++k) e.roots.push_back(any());
  const InstructionId last = b.size() - 1;
  e.computation = *std::move(b).build(last);
  return e;
}

/// Follows a schedule: which values are in registers and in the frame.
class Machine {
 public:
  explicit Machine(const ScheduleProblem& problem) : problem_(problem) {}

  void run(const RegisterSchedule& schedule) {
    for (const ScheduleStep& step : schedule.steps) perform(step, schedule.slot_count);
    EXPECT_EQ(written_, problem_.roots.size());
  }

 private:
  std::vector<InstructionId> members(InstructionId id) const {
    for (const ScheduleGroup& group : problem_.groups) {
      if (std::ranges::count(group, id) != 0) return group;
    }
    return {id};
  }
  bool is_ready(InstructionId id) const {
    return problem_.homes[id] == ValueHome::kImmediate || std::ranges::count(registers_, id) != 0;
  }

  void perform(const ScheduleStep& step, uint32_t slot_count) {
    switch (step.action) {
      case ScheduleAction::kLoad:
        if (step.slot == ScheduleStep::kNoSlot) EXPECT_EQ(problem_.homes[step.value], ValueHome::kMemory);
        else EXPECT_EQ(frame_.at(step.slot), step.value);
        registers_.push_back(step.value);
        break;
      case ScheduleAction::kStore:
        EXPECT_LT(step.slot, slot_count);
        EXPECT_TRUE(is_ready(step.value));
        frame_[step.slot] = step.value;
        break;
      case ScheduleAction::kCompute:
        for (InstructionId member : members(step.value)) {
          for (InstructionId o : problem_.computation.instruction(member).operands) EXPECT_TRUE(is_ready(o)) << o;
        }
        for (InstructionId member : members(step.value)) registers_.push_back(member);
        break;
      case ScheduleAction::kWrite:
        EXPECT_EQ(step.slot, written_++);
        EXPECT_EQ(step.value, problem_.roots[step.slot]);
        EXPECT_TRUE(is_ready(step.value));
        break;
      case ScheduleAction::kPart: registers_.clear(); break;
    }
  }

  const ScheduleProblem& problem_;
  std::vector<InstructionId>
      registers_;  ///< values that were in a register in this part; none is dropped before its end
  std::map<uint32_t, InstructionId> frame_;
  size_t written_ = 0;
};

TEST(RegisterSchedule, HasEveryOperandInARegister) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Expression e = random_expression(seed, 20 + static_cast<int>(seed) * 5);
    for (const size_t registers : {3, 8, 24}) {
      for (const size_t part : {10, 50, 100'000}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << registers << " registers, parts of " << part);
        const ScheduleProblem problem{*e.computation, e.roots, e.groups, e.homes, registers, part};
        Machine(problem).run(schedule_registers(problem));
      }
    }
  }
}

/// f = ((p0 + p1) + p2) + ...: the sum is the only computed value at any time.
TEST(RegisterSchedule, NeedsNoFrameForAChain) {
  hlo::Builder b("chain");
  std::vector<ValueHome> homes;
  for (int k = 0; k < 20; ++k) b.parameter(Shape::scalar(ElementType::kF32)), homes.push_back(ValueHome::kMemory);
  InstructionId sum = 0;
  for (InstructionId k = 1; k < 20; ++k)
    sum = *b.add(hlo::Opcode::kAdd, {sum, k}), homes.push_back(ValueHome::kNowhere);
  const hlo::ComputationPtr computation = *std::move(b).build(sum);
  const InstructionId roots[] = {sum};
  const RegisterSchedule schedule = schedule_registers({*computation, roots, {}, homes, 3, 1000});
  EXPECT_EQ(schedule.slot_count, 0u);
  EXPECT_EQ(std::ranges::count(schedule.steps, ScheduleAction::kCompute, &ScheduleStep::action), 19);
  EXPECT_EQ(std::ranges::count(schedule.steps, ScheduleAction::kLoad, &ScheduleStep::action), 20);
}

TEST(RegisterSchedule, ComputesOnlyWhatTheRootsNeed) {
  hlo::Builder b("dead");
  const InstructionId p = b.parameter(Shape::scalar(ElementType::kF32));
  const InstructionId dead = *b.add(hlo::Opcode::kSin, {p}), live = *b.add(hlo::Opcode::kCos, {p});
  const hlo::ComputationPtr computation = *std::move(b).build(live);
  const InstructionId roots[] = {live};
  const ValueHome homes[] = {ValueHome::kMemory, ValueHome::kNowhere, ValueHome::kNowhere};
  const RegisterSchedule schedule = schedule_registers({*computation, roots, {}, homes, 8, 1000});
  EXPECT_EQ(std::ranges::count(schedule.steps, dead, &ScheduleStep::value), 0);
  EXPECT_EQ(schedule.steps.size(), 3u);  // load, compute, write
}

}  // namespace
}  // namespace hilo::engine
