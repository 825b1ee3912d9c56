// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/kernel_offsets.h"

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// y = sort(y + x[k]) for three rows of x.
const std::string kUnrolled = kLess + R"(ENTRY main {
 x = f32[4,8] parameter(0)
 y = f32[8] parameter(1)
 s1 = f32[1,8] slice(x), slice={[1:2],[0:8]}
 r1 = f32[8] reshape(s1)
 a1 = f32[8] add(y, r1)
 o1 = f32[8] sort(a1), dimensions={0}, to_apply=less
 s2 = f32[1,8] slice(x), slice={[2:3],[0:8]}
 r2 = f32[8] reshape(s2)
 a2 = f32[8] add(o1, r2)
 o2 = f32[8] sort(a2), dimensions={0}, to_apply=less
 s3 = f32[1,8] slice(x), slice={[3:4],[0:8]}
 r3 = f32[8] reshape(s3)
 a3 = f32[8] add(o2, r3)
 ROOT o3 = f32[8] sort(a3), dimensions={0}, to_apply=less
}
)";

/// A program and the module that its regions point into.
struct Planned {
  explicit Planned(const std::string& text)
      : module(parsed("HloModule m\n\n" + text)), program(*plan_steps(module, TestTarget())) {}

  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const PlannedKernel& kernel : program.kernels) texts.push_back(canonical_text(kernel.region));
    return texts;
  }
  /// "s0+64 s3 s4" for each kernel step of the program.
  std::vector<std::string> arguments() const {
    const Plan& plan = program.plan;
    std::vector<std::string> all;
    for (const Step& step : plan.steps) {
      if (step.kind != StepKind::kKernel) continue;
      std::string text;
      for (uint32_t k = step.arguments; k < step.arguments + step.argument_count; ++k) {
        const int64_t offset = plan.argument_offset(k);
        text += fmt::format("{}s{}{}", text.empty() ? "" : " ", plan.argument_slots[k],
                            offset == 0 ? "" : fmt::format("+{}", offset));
      }
      all.push_back(text);
    }
    return all;
  }

  hlo::Module module;
  PlannedProgram program;
};

TEST(KernelOffsets, KernelsOfAnUnrolledLoopAreEqual) {
  Planned p(kUnrolled);
  const std::vector<std::string> before = p.texts();
  ASSERT_EQ(before.size(), 3u);
  EXPECT_NE(before[0], before[1]);
  move_offsets_to_arguments(p.program);
  const std::vector<std::string> after = p.texts();
  EXPECT_EQ(after[0], after[1]);
  EXPECT_EQ(after[0], after[2]);
  const std::vector<std::string> arguments = p.arguments();
  EXPECT_NE(arguments[0].find("s0+32"), std::string::npos) << arguments[0];
  EXPECT_NE(arguments[1].find("s0+64"), std::string::npos) << arguments[1];
  EXPECT_NE(arguments[2].find("s0+96"), std::string::npos) << arguments[2];
}

TEST(KernelOffsets, TheFirstElementThatIsReadIsTheOffset) {
  Planned p(
      "ENTRY main {\n x = f64[8] parameter(0)\n a = f64[3] slice(x), slice={[4:7]}\n"
      " b = f64[3] slice(x), slice={[3:6]}\n ROOT d = f64[3] subtract(a, b)\n}\n");
  move_offsets_to_arguments(p.program);
  EXPECT_EQ(p.arguments(), (std::vector<std::string>{"s0+24 s1"}));
}

/// x[6 - i] begins at element 4, where its last turn reads.
TEST(KernelOffsets, IndicesStayPositive) {
  Planned p(
      "ENTRY main {\n x = u8[8] parameter(0)\n a = u8[3] slice(x), slice={[4:7]}\n"
      " ROOT r = u8[3] reverse(a), dimensions={0}\n}\n");
  move_offsets_to_arguments(p.program);
  EXPECT_EQ(p.arguments(), (std::vector<std::string>{"s0+4 s1"}));
  EXPECT_EQ(p.program.kernels[0].region.nodes[0].index.constant, 2);
}

TEST(KernelOffsets, ReadsBehindGuardsKeepTheBeginning) {
  for (const std::string padding : {"2_-2", "-2_2", "-4398046511104_4398046511104"}) {
    Planned p(
        "ENTRY main {\n x = f32[8] parameter(0)\n zero = f32[] constant(0)\n"
        " p = f32[8] pad(x, zero), padding=" +
        padding + "\n ROOT y = f32[8] sine(p)\n}\n");
    move_offsets_to_arguments(p.program);
    EXPECT_TRUE(p.program.plan.argument_offsets.empty()) << padding;
  }
}

TEST(KernelOffsets, LoopsPassTheArgumentsOfTheirKernels) {
  for (const bool is_called : {false, true}) {
    Planned p(kUnrolled);
    const std::vector<std::string> before = p.texts();
    WholeLoop loop;
    if (is_called) loop.kernels = {0, 1, 2};
    else loop.handed_out = p.program.plan.steps;
    p.program.plan.whole_loops.push_back(loop);
    move_offsets_to_arguments(p.program);
    EXPECT_EQ(p.texts(), before);
    EXPECT_TRUE(p.program.plan.argument_offsets.empty());
  }
}

}  // namespace
}  // namespace hilo::engine
