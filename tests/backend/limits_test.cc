// SPDX-License-Identifier: Apache-2.0
// Limits of compilation and execution costs, on both engines.
#include "hilo/backend/limits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/hlo/ir/expanded_size.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

hlo::Module parsed(const std::string& text) {
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  return module.ok() ? *std::move(module) : hlo::Module();
}

/// Each level chooses between the two computations of the level below: 2^levels leaves in a few KB of text.
std::string nested_conditionals(int levels) {
  const std::pair<char, const char*> sides[] = {{'a', "sine"}, {'b', "cosine"}};
  std::string text = "HloModule nested\n";
  for (const auto& [side, op] : sides)
    text += fmt::format("\n{}0 {{\n  x = f32[] parameter(0)\n  ROOT y = f32[] {}(x)\n}}\n", side, op);
  for (int k = 1; k <= levels; ++k) {
    for (const auto& [side, op] : sides) {
      text += fmt::format(
          "\n{0}{1} {{\n  x = f32[] parameter(0)\n  z = f32[] constant({1})\n  y = f32[] {2}(x)\n  p = pred[] "
          "compare(y, "
          "z), direction=LT\n  ROOT r = f32[] conditional(p, x, y), true_computation=a{3}, "
          "false_computation=b{3}\n}}\n",
          side, k, op, k - 1);
    }
  }
  return text +
         fmt::format("\nENTRY main {{\n  x = f32[] parameter(0)\n  ROOT r = f32[] call(x), to_apply=a{}\n}}\n", levels);
}

TEST(Limits, InstructionsAreCountedWhereTheyAreCalled) {
  EXPECT_EQ(hlo::expanded_instruction_count(parsed(nested_conditionals(0))), 2 + 2);
  EXPECT_EQ(hlo::expanded_instruction_count(parsed(nested_conditionals(1))), 2 + 5 + 2 * 2);
  EXPECT_EQ(hlo::expanded_instruction_count(parsed(nested_conditionals(2))), 2 + 5 + 2 * (5 + 2 * 2));
  EXPECT_EQ(hlo::expanded_instruction_count(parsed(nested_conditionals(70))), INT64_MAX) << "saturates";
}

TEST(Limits, NestedConditionalsEndWithResourceExhausted) {
  const Status status = tests::cpu_client()->compile(parsed(nested_conditionals(40)), {}, nullptr).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("Compile 'nested': too many instructions; got "), std::string::npos)
      << status.to_string();
  EXPECT_NE(status.message().find("after inlining and cloning; wanted at most 102656 for a program of 401. Hint: each "
                                  "call of a computation is a copy"),
            std::string::npos)
      << status.to_string();
  EXPECT_TRUE(tests::reference_client()->compile(parsed(nested_conditionals(40)), {}, nullptr).ok())
      << "it clones nothing";
}

TEST(Limits, InstructionsUpToTheLimitCompile) {
  const hlo::Module module = parsed(nested_conditionals(6));
  for (const ClientPtr& engine : tests::engine_clients()) {
    CompileOptions options;
    options.limits.instructions = 1000;
    EXPECT_TRUE(engine->compile(module, options, nullptr).ok());
    options.limits.instructions = 10;
    const Status status = engine->compile(module, options, nullptr).status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find("got 61 in all computations; wanted at most 10."), std::string::npos)
        << status.to_string();
    options.limits.instructions = 0;
    EXPECT_TRUE(engine->compile(module, options, nullptr).ok());
  }
}

TEST(Limits, InstructionsThatAPassAddsCount) {
  // A single op, which is lowered to other instructions.
  const hlo::Module module = parsed(
      "HloModule m\n\nENTRY main {\n  x = f32[4,3] parameter(0)\n  s = f32[3] parameter(1)\n  o = f32[3] parameter(2)\n"
      "  ROOT t = (f32[4,3], f32[3], f32[3]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=1\n}\n");
  CompileOptions options;
  options.limits.instructions = 5;
  const Status status = tests::cpu_client()->compile(module, options, nullptr).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.to_string();
}

TEST(Limits, PlannedMemoryIsCheckedBeforeAnyIsTaken) {
  // The sort needs its operand in memory: 4 GiB of temporaries, and 4 GiB for the result.
  const hlo::Module module = parsed(
      "HloModule big\n\nless {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT c = pred[] compare(a, b), "
      "direction=LT\n}\n\nENTRY main {\n  i = s32[1073741824] iota(), iota_dimension=0\n  r = s32[1073741824] "
      "reverse(i), dimensions={0}\n  ROOT s = s32[1073741824] sort(r), dimensions={0}, to_apply=less\n}\n");
  CompileOptions options;
  options.limits.memory_bytes = int64_t{6} << 30;
  const Status status = tests::cpu_client()->compile(module, options, nullptr).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("Compile 'big': too much memory; got "), std::string::npos) << status.to_string();
  EXPECT_NE(status.message().find("CompileLimits::memory_bytes"), std::string::npos) << status.to_string();
  options.limits.memory_bytes = int64_t{16} << 30;
  EXPECT_TRUE(tests::cpu_client()->compile(module, options, nullptr).ok());
}

/// One kernel per line, all different. Each takes milliseconds to compile.
std::string many_kernels(int lines) {
  std::string text =
      "HloModule slow\n\nless {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] "
      "compare(a, b), direction=LT\n}\n\nENTRY main {\n  x0 = f32[300] parameter(0)\n";
  for (int k = 0; k < lines; ++k) {
    text += fmt::format(
        "  c{0} = f32[] constant({1})\n  b{0} = f32[300] broadcast(c{0}), dimensions={{}}\n  t{0} = f32[300] "
        "tan(x{0})\n"
        "  p{0} = f32[300] power(t{0}, b{0})\n  y{0} = f32[300] atan2(p{0}, b{0})\n"
        "  x{1} = f32[300] sort(y{0}), dimensions={{0}}, to_apply=less\n",
        k, k + 1);
  }
  return text + fmt::format("  ROOT r = f32[300] negate(x{})\n}}\n", lines);
}

TEST(Limits, ASlowCompilationEndsWithDeadlineExceeded) {
  const hlo::Module module = parsed(many_kernels(3000));
  CompileOptions options;
  options.limits.compile_seconds = 0.05;
  const Status status = tests::cpu_client()->compile(module, options, nullptr).status();
  EXPECT_EQ(status.to_string(),
            "DEADLINE_EXCEEDED: Compile 'slow': compilation took too long; wanted at most 0.05 s. Hint: "
            "CompileLimits::compile_seconds, hilo_compile_seconds, --timeout");
}

TEST(Limits, ACancelledCompilationEndsWithCancelled) {
  CancellationToken token;
  token.cancel();
  CompileOptions options;
  options.cancellation.token = &token;
  EXPECT_EQ(tests::cpu_client()->compile(parsed(many_kernels(3)), options, nullptr).status().to_string(),
            "CANCELLED: Compile 'slow': cancelled");
}

/// Cancels when a given pass is about to run.
class CancelsAt final : public hlo::PassObserver {
 public:
  CancelsAt(CancellationToken& token, int pass) : token_(token), left_(pass) {}
  void before(std::string_view, const hlo::Module&) override {
    if (left_-- == 0) token_.cancel();
  }
  void after(std::string_view, const hlo::Module&, bool, double) override { ++passes; }
  int passes = 0;

 private:
  CancellationToken& token_;
  int left_;
};

TEST(Limits, ACancelIsSeenInThePassThatRuns) {
  for (int pass = 0; pass < 5; ++pass) {
    CancellationToken token;
    CompileOptions options;
    options.cancellation.token = &token;
    CancelsAt observer(token, pass);
    EXPECT_EQ(tests::cpu_client()->compile(parsed(many_kernels(3)), options, &observer).status().code(),
              StatusCode::kCancelled);
    EXPECT_LE(observer.passes, pass + 1);
  }
}

constexpr const char* kForever =
    "HloModule forever\n\nbody {\n  x = s32[] parameter(0)\n  one = s32[] constant(1)\n  ROOT y = s32[] add(x, "
    "one)\n}\n\n"
    "condition {\n  x = s32[] parameter(0)\n  ROOT yes = pred[] constant(true)\n}\n\nENTRY main {\n  x = s32[] "
    "parameter(0)\n  ROOT w = s32[] while(x), condition=condition, body=body\n}\n";

TEST(Limits, AnEndlessProgramEndsAtItsDeadline) {
  for (const ClientPtr& engine : tests::engine_clients()) {
    for (const bool by_options : {false, true}) {
      CompileOptions options;
      if (!by_options) options.limits.run_seconds = 0.02;
      const auto executable = engine->compile(parsed(kForever), options, nullptr);
      ASSERT_TRUE(executable.ok()) << executable.status().to_string();
      ExecuteOptions how;
      if (by_options) how.deadline = deadline_in(0.02);
      const std::vector<BufferPtr> arguments = {tests::argument_of(**executable, Literal::scalar<int32_t>(1))};
      std::vector<BufferPtr> results(1);
      const Status status = (*executable)->execute(arguments, results, how);
      EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.to_string();
      EXPECT_NE(status.message().find("Execute 'forever': "), std::string::npos) << status.to_string();
    }
  }
}

}  // namespace
}  // namespace hilo
