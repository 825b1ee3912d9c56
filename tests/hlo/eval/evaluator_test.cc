// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/eval/evaluator.h"

#include <sys/resource.h>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/not_yet.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

const Shape kS32 = Shape::scalar(ElementType::kS32);
const Shape kF32x3 = Shape::array(ElementType::kF32, {3});

ComputationPtr sum_of_two() {
  Builder builder("main");
  const InstructionId x = builder.parameter(kF32x3, "x"), y = builder.parameter(kF32x3, "y");
  return *std::move(builder).build(*builder.add(Opcode::kAdd, {x, y}));
}

AttributesPtr calls(ComputationPtr f) {
  auto attributes = std::make_shared<CallAttributes>();
  attributes->to_apply = std::move(f);
  return attributes;
}

TEST(Evaluate, RunsAComputation) {
  const Literal x = Literal::array<float>({3}, {1, 2, 3});
  EXPECT_EQ(text_of(evaluate(*sum_of_two(), {x, x})), "f32[3] {2, 4, 6}");
}

TEST(Evaluate, RunsAModule) {
  const Module module{.name = "m",
                      .entry = sum_of_two(),
                      .aliases = {},
                      .entry_parameter_layouts = {},
                      .entry_result_layout = {},
                      .other_attributes = {}};
  const Literal x = Literal::array<float>({3}, {1, 2, 3});
  EXPECT_EQ(text_of(evaluate(module, {x, x})), "f32[3] {2, 4, 6}");
  EXPECT_EQ(error_of(evaluate(module, {x})), "INVALID_ARGUMENT: Execute 'm': got 1 argument, compiled for 2");
  EXPECT_EQ(error_of(evaluate(Module{}, {})), "INVALID_ARGUMENT: Execute '': the module has no entry computation");
}

TEST(Evaluate, ErrorsNameTheArgument) {
  const Literal x = Literal::array<float>({3}, {1, 2, 3}), longer = Literal(Shape::array(ElementType::kF32, {4}));
  EXPECT_EQ(error_of(evaluate(*sum_of_two(), {longer, x})),
            "INVALID_ARGUMENT: Execute 'main': argument 0 'x' is f32[4], compiled for f32[3]");
  EXPECT_EQ(error_of(evaluate(*sum_of_two(), {x, Literal::scalar(1)})),
            "INVALID_ARGUMENT: Execute 'main': argument 1 'y' is s32[], compiled for f32[3]");
  EXPECT_EQ(error_of(evaluate(*sum_of_two(), {x, x, x})),
            "INVALID_ARGUMENT: Execute 'main': got 3 arguments, compiled for 2");
}

TEST(Evaluate, ReturnsAParameterAsItIs) {
  Builder builder("main");
  const InstructionId x = builder.parameter(kS32);
  builder.parameter(kS32);
  const ComputationPtr first = *std::move(builder).build(x);
  EXPECT_EQ(text_of(evaluate(*first, {Literal::scalar(1), Literal::scalar(2)})), "s32[] 1");
}

TEST(Evaluate, ReadsAValueTwiceInOneInstruction) {
  Builder builder("main");
  const InstructionId x = builder.parameter(kS32);
  const InstructionId twice = *builder.add(Opcode::kAdd, {x, x});
  const InstructionId square = *builder.add(Opcode::kMultiply, {twice, twice});
  const ComputationPtr f = *std::move(builder).build(*builder.add(Opcode::kSubtract, {square, twice}));
  EXPECT_EQ(text_of(evaluate(*f, {Literal::scalar(3)})), "s32[] 30");
}

int64_t peak_memory_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Evaluate, FreesValuesAfterTheirLastUse) {
  // 12 values of 40 MiB each, at most two alive at a time. malloc returns blocks of this size to the system
  // immediately.
  constexpr int64_t kBytes = 40 << 20;
  Builder builder("main");
  InstructionId x = builder.parameter(Shape::array(ElementType::kU8, {kBytes}));
  for (int i = 0; i < 12; ++i) x = *builder.add(Opcode::kNot, {x});
  const ComputationPtr f = *std::move(builder).build(x);
  const Literal argument(Shape::array(ElementType::kU8, {kBytes}));
  const int64_t before = peak_memory_kib();
  const StatusOr<Literal> result = evaluate(*f, std::span(&argument, 1));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->data<uint8_t>()[0], 0);
  EXPECT_LT(peak_memory_kib() - before, 6 * (kBytes >> 10));
}

TEST(Evaluate, ShowsEveryInstructionToTheObserver) {
  std::vector<std::string> names;
  EvaluateOptions options;
  options.observe = [&](const Instruction& i, const Literal& value) {
    names.push_back(i.name + "=" + value.to_string());
  };
  Builder inner("inner");
  const InstructionId a = inner.parameter(kS32, "a");
  const ComputationPtr negated = *std::move(inner).build(*inner.add(Opcode::kNegate, {a}, nullptr, std::nullopt, "n"));
  Builder outer("outer");
  const InstructionId x = outer.parameter(kS32, "x");
  const ComputationPtr f = *std::move(outer).build(*outer.add(Opcode::kCall, {x}, calls(negated), std::nullopt, "c"));
  const Literal argument = Literal::scalar(5);
  ASSERT_TRUE(evaluate(*f, std::span(&argument, 1), options).ok());
  EXPECT_EQ(names, (std::vector<std::string>{"x=s32[] 5", "a=s32[] 5", "n=s32[] -5", "c=s32[] -5"}));
}

TEST(Evaluate, NamesTheInnermostInstructionOfAnError) {
  Builder inner("inner");
  const InstructionId a = inner.parameter(kS32, "a");
  const ComputationPtr failing =
      *std::move(inner).build(*inner.add(Opcode::kShuffle, {a}, std::make_shared<RawAttributes>(), kS32, "f"));
  EXPECT_EQ(error_of(run_op(Opcode::kCall, {Literal::scalar(1)}, calls(failing))),
            "UNIMPLEMENTED: shuffle 'f': shuffle is not implemented in this version");
}

TEST(Evaluate, StopsWhenCancelled) {
  std::atomic<uint32_t> word = 0;
  EvaluateOptions options;
  options.cancel_word = &word;
  int steps = 0;
  options.observe = [&](const Instruction& i, const Literal&) {
    if (i.name == "n" && ++steps == 3) word = 1;
  };
  Builder body("body");
  const InstructionId a = body.parameter(kS32, "a");
  auto loop = std::make_shared<WhileAttributes>();
  loop->body = *std::move(body).build(*body.add(Opcode::kNegate, {a}, nullptr, std::nullopt, "n"));
  Builder condition("condition");
  condition.parameter(kS32);
  loop->condition = *std::move(condition).build(condition.constant(Literal::scalar(true)));
  const ComputationPtr forever = *computation_of(Opcode::kWhile, {kS32}, loop);
  const Literal argument = Literal::scalar(1);
  EXPECT_EQ(error_of(evaluate(*forever, std::span(&argument, 1), options)),
            "CANCELLED: while 'op': the program was cancelled");
  EXPECT_EQ(steps, 3);
}

TEST(Evaluate, RefusesCallsNestedTooDeep) {
  ComputationPtr f = *computation_of(Opcode::kNegate, {kS32}, nullptr);
  for (int i = 0; i < kMaxEvaluateDepth - 1; ++i) f = *computation_of(Opcode::kCall, {kS32}, calls(f));
  EXPECT_TRUE(evaluate(*f, {Literal::scalar(1)}).ok());
  f = *computation_of(Opcode::kCall, {kS32}, calls(f));
  EXPECT_EQ(error_of(evaluate(*f, {Literal::scalar(1)})),
            "RESOURCE_EXHAUSTED: call 'op': 'main' is called at depth 501; the limit is 500. Hint: inline calls first");
}

TEST(Evaluate, RunsALongChain) {
  Builder builder("main");
  InstructionId x = builder.parameter(kS32);
  for (int i = 0; i < 100000; ++i) x = *builder.add(Opcode::kNegate, {x});
  const ComputationPtr f = *std::move(builder).build(x);
  EXPECT_EQ(text_of(evaluate(*f, {Literal::scalar(1)})), "s32[] 1");
}

}  // namespace
}  // namespace hilo::hlo
