// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/explain/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hilo/backend/cpu/load/saved_program.h"
#include "hilo/hlo/text/parser.h"
#include "tests/inspect/explain/some_machine.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

const MachineFigures& kFigures = tests::kSomeMachine;

Work work_of(WorkKind kind, double nanoseconds) {
  Work work;
  work[kind] = nanoseconds;
  return work;
}

TEST(FloorOf, IsTheTimeOfBytesOrOfWork) {
  const Floor bytes = floor_of(work_of(WorkKind::kArithmetic, 10), 10'000, 1, kFigures);
  EXPECT_EQ(bytes.nanoseconds, 100);
  EXPECT_EQ(bytes.bound, "cache");
  Work work = work_of(WorkKind::kArithmetic, 80);
  work[WorkKind::kFunctions] = 90;
  const Floor computed = floor_of(work, 10'000, 1, kFigures);
  EXPECT_EQ(computed.nanoseconds, 170);
  EXPECT_EQ(computed.bound, "functions");
  EXPECT_EQ(floor_of({}, 8, 1, kFigures).bound, "unit");
  EXPECT_EQ(floor_of({}, 8, 1, kFigures).nanoseconds, 10);
}

TEST(FloorOf, EachLevelOfCachesHasItsSpeed) {
  EXPECT_EQ(floor_of({}, 1 << 15, 1, kFigures).nanoseconds, (1 << 15) / 100.0);
  EXPECT_EQ(floor_of({}, 1 << 20, 1, kFigures).nanoseconds, (1 << 20) / 50.0);
  EXPECT_EQ(floor_of({}, 1 << 24, 1, kFigures).nanoseconds, (1 << 24) / 25.0);
  EXPECT_EQ(floor_of({}, 1 << 25, 1, kFigures).nanoseconds, (1 << 25) / 10.0);
  EXPECT_EQ(floor_of({}, 1 << 25, 1, kFigures).bound, "memory");
}

TEST(FloorOf, ThreadsShareWorkAndCachesButNotMemory) {
  EXPECT_EQ(floor_of({}, 1 << 25, 2, kFigures).nanoseconds, (1 << 25) / 16.0);
  EXPECT_EQ(floor_of({}, 1 << 20, 2, kFigures).nanoseconds, (1 << 20) / 100.0);
  EXPECT_EQ(floor_of(work_of(WorkKind::kScans, 400), 0, 2, kFigures).nanoseconds, 200);
}

/// A compiled program with its plan.
struct Planned {
  explicit Planned(const std::string& entry) {
    const StatusOr<hlo::Module> module = hlo::parse_module("HloModule m\n\nENTRY main {\n" + entry + "}\n");
    EXPECT_TRUE(module.ok()) << module.status().to_string();
    executable = *tests::cpu_client()->compile(*module, {}, nullptr);
    plan = cpu::read_program(*executable->serialize())->plan;
  }
  /// Units that each took `nanoseconds`.
  std::vector<ExplainedUnit> taken(int64_t nanoseconds) const {
    UnitClock clock;
    for (const ExecutionUnit& unit : executable->units()) {
      clock.on_unit(unit, {.duration = 2 * nanoseconds});
      clock.on_unit(unit, {.duration = nanoseconds});
    }
    return *explained(*executable, plan, clock, kFigures);
  }
  std::unique_ptr<Executable> executable;
  engine::Plan plan;
};

bool says(const std::vector<std::string>& lines, std::string_view text) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

TEST(Explained, AValueBetweenALibraryCallAndALoopIsInMemory) {
  const Planned program(
      "  x = f32[200,300] parameter(0)\n  w = f32[300,400] parameter(1)\n"
      "  z = f32[200,400] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT y = f32[200,400] tanh(z)\n");
  const std::vector<ExplainedUnit> units = program.taken(240000);
  ASSERT_EQ(units.size(), 2);
  EXPECT_EQ(units[0].label, "dot z");
  EXPECT_EQ(units[0].nanoseconds, 240000);
  EXPECT_EQ(units[0].floor.nanoseconds, 240000);
  EXPECT_EQ(units[0].runs, 2);
  EXPECT_TRUE(units[0].chosen.empty() && units[0].doubtful.empty());
  EXPECT_EQ(units[1].label, "map kernel y");
  EXPECT_TRUE(says(units[1].chosen, "threads share it: "));
  EXPECT_TRUE(says(units[1].chosen, "reads z f32[200,400] from memory: what a dot computes is left in memory"));
  EXPECT_TRUE(units[1].doubtful.empty());
  EXPECT_EQ(explanation_text(units, kFigures).find("no choice that measured times contradict\n") != std::string::npos,
            true);
}

TEST(Explained, TheClockSpeaksAgainstThreadsThatShareLittleAndAgainstOneThatIsAlone) {
  const Planned large("  x = f32[100000] parameter(0)\n  ROOT y = f32[100000] exponential(x)\n");
  EXPECT_TRUE(says(large.taken(3000)[0].doubtful, "threads share it, and all of it takes 3.00 us"));
  EXPECT_TRUE(large.taken(4000)[0].doubtful.empty());
  const Planned small("  x = f32[1000] parameter(0)\n  ROOT y = f32[1000] exponential(x)\n");
  const std::vector<ExplainedUnit> units = small.taken(31000);
  // The planner's cost: a load, an exponential and a store are 0.83 ns.
  EXPECT_TRUE(says(units[0].chosen, "runs on one thread; planned as 830 ns of one thread"));
  EXPECT_TRUE(
      says(units[0].doubtful, "one thread takes 31.00 us; threads share what is estimated at 15.00 us or more"));
  EXPECT_TRUE(small.taken(29000)[0].doubtful.empty());
  EXPECT_NE(explanation_text(units, kFigures)
                .find("choices that measured times contradict:\n  map kernel y: one thread takes"),
            std::string::npos);
}

TEST(Explained, TheClockSpeaksAgainstAProductInALoop) {
  const Planned program(
      "  x = f32[30,30] parameter(0)\n"
      "  ROOT y = f32[30,30] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  const std::vector<ExplainedUnit> units = program.taken(1300);  // a library call: 54000 / 100 + 100
  ASSERT_EQ(units.size(), 1);
  EXPECT_TRUE(says(units[0].chosen, "y in a loop: too small for a call, or bound by memory"));
  EXPECT_TRUE(says(units[0].doubtful, "a product in a loop takes 1.30 us; a call should take 640 ns"));
  EXPECT_TRUE(program.taken(1200)[0].doubtful.empty());
}

TEST(Explained, WhatDidNotRunIsNotThere) {
  const Planned program("  x = f32[8] parameter(0)\n  ROOT y = f32[8] negate(x)\n");
  EXPECT_TRUE(explained(*program.executable, program.plan, {}, kFigures)->empty());
}

TEST(Explained, APlanOfAnotherProgramIsRefused) {
  const Planned program("  x = f32[8] parameter(0)\n  ROOT y = f32[8] negate(x)\n");
  const auto units = explained(*program.executable, {}, {}, kFigures);
  EXPECT_EQ(units.status().to_string(), "INVALID_ARGUMENT: plan: of another program: has 0 units, the program 1");
}

}  // namespace
}  // namespace hilo
