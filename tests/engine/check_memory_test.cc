// SPDX-License-Identifier: Apache-2.0
// Plans with planted faults.
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

PlannedProgram planned(const hlo::Module& module) { return *plan_steps(module, TestTarget()); }

/// Three kernels: a = sine(x), b = a reversed and sorted, c = b + a.
const std::string kThree = kLess +
                           "ENTRY main {\n x = f32[8] parameter(0)\n a = f32[8] sine(x)\n"
                           " r = f32[8] reverse(a), dimensions={0}\n"
                           " s = f32[8] sort(r), dimensions={0}, to_apply=less\n ROOT c = f32[8] add(s, a)\n}\n";

SlotId& output_of(PlannedProgram& program, size_t step) {
  const Step& s = program.plan.steps[step];
  return program.plan.argument_slots[s.arguments + s.argument_count - 1];
}
SlotId& input_of(PlannedProgram& program, size_t step, size_t k = 0) {
  return program.plan.argument_slots[program.plan.steps[step].arguments + k];
}

TEST(CheckMemory, PlansOfThePlannerHold) {
  const hlo::Module module = parsed("HloModule m\n\n" + kThree);
  EXPECT_TRUE(check_memory(planned(module)).ok());
}

TEST(CheckMemory, AKernelDoesNotWriteOverWhatItReadsAtAnotherIndex) {
  const hlo::Module module = parsed("HloModule m\n\n" + kThree);
  PlannedProgram program = planned(module);
  ASSERT_EQ(program.plan.steps.size(), 4u);
  output_of(program, 1) = input_of(program, 1);
  EXPECT_EQ(check_memory(program).to_string(),
            "INTERNAL: plan: kernel 1 writes value 2 over value 1, which it still reads (this is a bug in hilo)");
}

TEST(CheckMemory, AKernelDoesNotReadWhereALaterValueWasWritten) {
  const hlo::Module module = parsed("HloModule m\n\n" + kThree);
  PlannedProgram program = planned(module);
  output_of(program, 1) = output_of(program, 0);
  input_of(program, 1) = input_of(program, 0);
  EXPECT_EQ(check_memory(program).to_string(),
            "INTERNAL: plan: kernel 2 reads value 1 where value 2 was written (this is a bug in hilo)");
}

TEST(CheckMemory, ValuesThatAreReadLaterHaveTheirOwnPartOfTheArena) {
  const hlo::Module module = parsed("HloModule m\n\n" + kThree);
  PlannedProgram program = planned(module);
  program.plan.slots[output_of(program, 1)].index = program.plan.slots[output_of(program, 0)].index;
  EXPECT_EQ(check_memory(program).to_string(),
            "INTERNAL: plan: kernel 2 reads value 1 whose memory another value has taken (this is a bug in hilo)");
}

}  // namespace
}  // namespace hilo::engine
