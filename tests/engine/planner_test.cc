// SPDX-License-Identifier: Apache-2.0
// Plans as text: what runs, in which memory. The target is a small one without code, so kernels are numbers.
#include "hilo/engine/planner.h"

#include "hilo/engine/plan_text.h"
#include "hilo/engine/whole_loops.h"
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// Fields of a plan's text from one to another, without work and constants.
std::string plan_of(const std::string& text) {
  const hlo::Module module = parsed("HloModule m\n\n" + text);
  StatusOr<PlannedProgram> program = plan_steps(module, TestTarget());
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  for_each_list(program->plan, [](StepList& steps) {
    for (Step& step : steps) step.work = 0;
  });
  program->plan.work.clear();
  program->plan.library_calls.clear();
  return plan_text(program->plan);
}

TEST(Planner, AFusedProgramIsOneStepFromArgumentToResult) {
  EXPECT_EQ(plan_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n ROOT z = f32[8] add(y, y)\n}\n"),
            R"(target = "test"
max_arguments = 2
steps = [
  {kind = kernel  argument_count = 2  units = 8}  // s0 s1
]
slots = [
  {source = argument}
  {source = result}
]
argument_slots = [0 1]
donations = [
  {}
]
)");
}

TEST(Planner, AValueBetweenTwoStepsLivesInTheArena) {
  EXPECT_EQ(plan_of("less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                    " ROOT c = pred[] compare(a, b), direction=LT\n}\n"
                    "ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n"
                    " s = f32[8] sort(y), dimensions={0}, to_apply=less\n ROOT z = f32[8] add(s, x)\n}\n"),
            R"(target = "test"
arena_bytes = 128
max_arguments = 3
steps = [
  {kind = kernel  argument_count = 2  units = 8}  // s0 s2
  {kind = library  arguments = 2  argument_count = 2}  // s2 s3
  {kind = kernel  index = 1  arguments = 4  argument_count = 3  units = 8}  // s0 s3 s1
]
slots = [
  {source = argument}
  {source = result}
  {source = arena}
  {source = arena  index = 64}
]
argument_slots = [0 2 2 3 0 3 1]
donations = [
  {}
]
)");
}

const char* const kLess =
    "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), direction=LT\n}\n";

std::string steps_of(const std::string& text) {
  const std::string plan = plan_of(text);
  const size_t begin = plan.find("steps"), end = plan.find("slots");
  return plan.substr(begin, end - begin);
}

TEST(Planner, AnotherShapeOfWhatNobodyReadsAnyMoreIsItsMemory) {
  const std::string sorted = " y = f32[8] reshape(x)\n s = f32[8] sort(y), dimensions={0}, to_apply=less\n";
  EXPECT_EQ(
      steps_of(kLess + ("ENTRY main {\n x = f32[2,4] parameter(0)\n" + sorted + " ROOT r = f32[8] negate(s)\n}\n")),
      R"(steps = [
  {kind = library  argument_count = 2}  // s0 s2
  {kind = kernel  arguments = 2  argument_count = 2  units = 8}  // s2 s1
]
)");
  // The argument is read again: its memory may be given away then, so the call has its own.
  EXPECT_EQ(steps_of(kLess + ("ENTRY main {\n x = f32[2,4] parameter(0)\n" + sorted +
                              " z = f32[2,4] reshape(s)\n ROOT r = f32[2,4] add(x, z)\n}\n")),
            R"(steps = [
  {kind = kernel  argument_count = 2  units = 8}  // s0 s2
  {kind = library  arguments = 2  argument_count = 2}  // s2 s3
  {kind = kernel  index = 1  arguments = 4  argument_count = 3  units = 8}  // s3 s0 s1
]
)");
  EXPECT_EQ(steps_of("ENTRY main {\n x = f32[2,4] parameter(0)\n ROOT y = f32[8] reshape(x)\n}\n"), R"(steps = [
  {kind = kernel  argument_count = 2  units = 8}  // s0 s1
]
)") << "a result has memory of its own";
}

TEST(Planner, ALibraryCallThatUpdatesInPlaceTakesACopyOfAnArgument) {
  EXPECT_EQ(plan_of("sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
                    "ENTRY main {\n x = f32[8] parameter(0)\n i = s32[2,1] parameter(1)\n u = f32[2] parameter(2)\n"
                    " ROOT r = f32[8] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
                    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum\n}\n"),
            R"(target = "test"
max_arguments = 4
steps = [
  {kind = copy  a = 0  b = 3  bytes = 32}
  {kind = library  argument_count = 4}  // s0 s1 s2 s3
]
slots = [
  {source = argument}
  {source = argument  index = 1}
  {source = argument  index = 2}
  {source = result}
]
argument_slots = [0 1 2 3]
donations = [
  {}
]
)");
}

/// Nothing is copied: what is updated in place begins in the result's memory.
TEST(Planner, AValueThatIsUpdatedToTheResultIsMadeInItsMemory) {
  const std::string sum = "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n";
  const std::string update =
      "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=sum\n";
  EXPECT_EQ(plan_of(sum +
                    "ENTRY main {\n x = f32[8] parameter(0)\n i = s32[2,1] parameter(1)\n u = f32[2] parameter(2)\n"
                    " y = f32[8] sine(x)\n z = f32[8] scatter(y, i, u), " +
                    update + " ROOT r = f32[8] scatter(z, i, u), " + update + "}\n"),
            R"(target = "test"
max_arguments = 4
steps = [
  {kind = kernel  argument_count = 2  units = 8}  // s0 s4
  {kind = library  arguments = 2  argument_count = 4}  // s4 s1 s2 s4
  {kind = library  index = 1  arguments = 6  argument_count = 4}  // s4 s1 s2 s3
]
slots = [
  {source = argument}
  {source = argument  index = 1}
  {source = argument  index = 2}
  {source = result}
  {source = result}
]
argument_slots = [0 4 4 1 2 4 4 1 2 3]
donations = [
  {}
]
)");
  // Read again after the update: a copy is what is updated.
  const std::string kept =
      plan_of(sum +
              "ENTRY main {\n x = f32[8] parameter(0)\n i = s32[2,1] parameter(1)\n u = f32[2] parameter(2)\n"
              " y = f32[8] sine(x)\n z = f32[8] scatter(y, i, u), " +
              update + " c = f32[8] cosine(y)\n ROOT t = (f32[8], f32[8]) tuple(z, c)\n}\n");
  EXPECT_NE(kept.find("kind = copy"), std::string::npos) << kept;
}

TEST(Planner, ALoopUpdatesItsCarryInPlaceWhereItStarts) {
  const std::string text = plan_of(
      "cond {\n p = (s32[], f32[8]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
      " n = s32[] constant(9)\n ROOT c = pred[] compare(i, n), direction=LT\n}\n"
      "body {\n p = (s32[], f32[8]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
      " x = f32[8] get-tuple-element(p), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n"
      " y = f32[8] sine(x)\n ROOT t = (s32[], f32[8]) tuple(j, y)\n}\n"
      "ENTRY main {\n x = f32[8] parameter(0)\n zero = s32[] constant(0)\n"
      " t = (s32[], f32[8]) tuple(zero, x)\n w = (s32[], f32[8]) while(t), condition=cond, body=body\n"
      " ROOT r = f32[8] get-tuple-element(w), index=1\n}\n");
  EXPECT_NE(text.find("{kind = while}"), std::string::npos) << text;
  EXPECT_NE(text.find("{kind = copy  a = 0  b = 6  bytes = 32}"), std::string::npos) << text;
  EXPECT_EQ(text.find("swaps = [\n    {now"), std::string::npos) << "both carries are updated in place\n" << text;
}

/// The bytes between arguments and results of a loop over (counter, f32[1024], f32[1024]), of which `step` makes `u`, `v`.
int64_t arena_bytes_of_loop(const std::string& step) {
  const std::string text = plan_of(
      "cond {\n p = (s32[], f32[1024], f32[1024]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
      " n = s32[] constant(9)\n ROOT c = pred[] compare(i, n), direction=LT\n}\n"
      "body {\n p = (s32[], f32[1024], f32[1024]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
      " x = f32[1024] get-tuple-element(p), index=1\n y = f32[1024] get-tuple-element(p), index=2\n"
      " one = s32[] constant(1)\n j = s32[] add(i, one)\n" +
      step +
      " ROOT t = (s32[], f32[1024], f32[1024]) tuple(j, u, v)\n}\n"
      "ENTRY main {\n x = f32[1024] parameter(0)\n y = f32[1024] parameter(1)\n zero = s32[] constant(0)\n"
      " t = (s32[], f32[1024], f32[1024]) tuple(zero, x, y)\n"
      " w = (s32[], f32[1024], f32[1024]) while(t), condition=cond, body=body\n"
      " a = f32[1024] get-tuple-element(w), index=1\n b = f32[1024] get-tuple-element(w), index=2\n"
      " ROOT r = (f32[1024], f32[1024]) tuple(a, b)\n}\n");
  const std::string name = "arena_bytes = ";
  const size_t at = text.find(name);
  return at == std::string::npos ? 0 : std::stoll(text.substr(at + name.size()));
}

TEST(Planner, ACarryThatIsUpdatedInPlaceHasOneStretchOfMemory) {
  constexpr int64_t kCarry = 4096, kScalars = 512;
  EXPECT_LE(arena_bytes_of_loop(" u = f32[1024] sine(x)\n v = f32[1024] cosine(y)\n"), kScalars);
  // Of one that isn't there is a second one, which the two exchange in each turn.
  EXPECT_GE(arena_bytes_of_loop(" u = f32[1024] add(x, y)\n v = f32[1024] multiply(x, y)\n"), kCarry);
  EXPECT_GE(arena_bytes_of_loop(" u = f32[1024] copy(y)\n v = f32[1024] copy(x)\n"), 2 * kCarry);
}

TEST(Planner, NumbersOnlyTheKernelsThatStepsCall) {
  Plan plan;
  plan.steps = {{StepKind::kKernel, 4}, {StepKind::kLibrary, 9}, {StepKind::kKernel, 2}, {StepKind::kKernel, 4}};
  plan.whole_loops.resize(1);
  plan.whole_loops[0].kernels = {7, 2};
  EXPECT_EQ(number_kernels(plan), (std::vector<uint32_t>{4, 2, 7}));
  EXPECT_EQ(plan.steps[0].index, 0u);
  EXPECT_EQ(plan.steps[1].index, 9u);
  EXPECT_EQ(plan.steps[2].index, 1u);
  EXPECT_EQ(plan.steps[3].index, 0u);
  EXPECT_EQ(plan.whole_loops[0].kernels, (std::vector<uint32_t>{2, 1}));
}

}  // namespace
}  // namespace hilo::engine
