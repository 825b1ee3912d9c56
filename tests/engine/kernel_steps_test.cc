// SPDX-License-Identifier: Apache-2.0
// The steps of regions: tasks, polls of the stop flag, and partial reductions.
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

std::string sine_of(int64_t elements) {
  return fmt::format("ENTRY main {{\n x = f32[{0}] parameter(0)\n ROOT y = f32[{0}] sine(x)\n}}\n", elements);
}

/// An element costs 0.85 ns, a fork 10 us.
TEST(KernelSteps, ThreadsShareSixteenTasks) {
  EXPECT_EQ(steps_of(sine_of(11760)), "steps = [\n  {kind = kernel  argument_count = 2  units = 11760}  // s0 s1\n]\n");
  EXPECT_EQ(steps_of(sine_of(11776)),
            "steps = [\n  {kind = kernel  argument_count = 2  units = 11776  chunk = 736}  // s0 s1\n]\n");
}

TEST(KernelSteps, LongOnesLookAtTheStopWord) {
  EXPECT_EQ(steps_of(sine_of(4'000'000)).find("stretch"), std::string::npos);
  EXPECT_NE(steps_of(sine_of(8'000'000)).find("stretch = 2666666"), std::string::npos) << steps_of(sine_of(8'000'000));
}

TEST(KernelSteps, AReductionToOneNumberIsParts) {
  EXPECT_EQ(plan_of(kSum + "ENTRY main {\n x = f32[65536] parameter(0)\n zero = f32[] constant(0)\n"
                           " ROOT s = f32[] reduce(x, zero), dimensions={0}, to_apply=sum\n}\n"),
            R"(target = "test"
arena_bytes = 64
max_arguments = 3
steps = [
  {kind = kernel  argument_count = 2  units = 4}  // s0 s2
  {kind = kernel  index = 1  arguments = 2  argument_count = 3}  // s0 s2 s1
]
slots = [
  {source = argument}
  {source = result}
  {source = arena}
]
argument_slots = [0 2 0 2 1]
)");
}

TEST(KernelSteps, NothingToWriteIsNoStep) {
  EXPECT_EQ(plan_of("ENTRY main {\n x = f32[0,8] parameter(0)\n ROOT y = f32[0,8] sine(x)\n}\n").find("kernel"),
            std::string::npos);
}

}  // namespace
}  // namespace hilo::engine
