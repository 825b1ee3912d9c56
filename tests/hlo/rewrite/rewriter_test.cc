// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/rewrite/rewriter.h"

#include <gtest/gtest.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo {
namespace {

const Shape kVector = Shape::array(ElementType::kF32, {4});

/// (x + y) twice, both multiplied: the second sum has its operands swapped.
ComputationPtr repeated_sum() {
  Builder b("main");
  const InstructionId x = b.parameter(kVector, "x"), y = b.parameter(kVector, "y");
  const InstructionId first = *b.add(Opcode::kAdd, {x, y}, nullptr, std::nullopt, "first");
  const InstructionId second = *b.add(Opcode::kAdd, {y, x}, nullptr, std::nullopt, "second");
  const InstructionId root = *b.add(Opcode::kMultiply, {first, second}, nullptr, std::nullopt, "product");
  return *std::move(b).build(root);
}

TEST(Rewriter, ReturnsTheSourceItselfIfNothingChanged) {
  const ComputationPtr c = repeated_sum();
  const auto result = rewrite(c, {.share = false});
  ASSERT_TRUE(result.ok()) << result.status().to_string();
  EXPECT_EQ(result->get(), c.get());
}

TEST(Rewriter, SharesEqualInstructionsWhateverTheOrderOfACommutativeOpsOperands) {
  const auto result = rewrite(repeated_sum(), {});
  ASSERT_TRUE(result.ok()) << result.status().to_string();
  EXPECT_EQ((*result)->size(), 4u);
  const Instruction& root = (*result)->root();
  EXPECT_EQ(root.name, "product");
  EXPECT_EQ(root.operands[0], root.operands[1]);
  EXPECT_EQ((*result)->instruction(root.operands[0]).name, "first");
}

TEST(Rewriter, DoesNotShareSubtractionsWithSwappedOperandsBecauseTheyDiffer) {
  Builder b("main");
  const InstructionId x = b.parameter(kVector), y = b.parameter(kVector);
  const InstructionId first = *b.add(Opcode::kSubtract, {x, y}), second = *b.add(Opcode::kSubtract, {y, x});
  const ComputationPtr c = *std::move(b).build(*b.add(Opcode::kMultiply, {first, second}));
  EXPECT_EQ(rewrite(c, {})->get(), c.get());
}

TEST(Rewriter, DoesNotShareZerosOfUnequalSignBecauseTheirBitsDiffer) {
  Builder b("main");
  const InstructionId zero = b.constant(Literal::scalar(0.0f)), minus_zero = b.constant(Literal::scalar(-0.0f));
  const InstructionId again = b.constant(Literal::scalar(0.0f));
  const ComputationPtr c = *std::move(b).build(b.tuple({zero, minus_zero, again}));
  const auto result = rewrite(c, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ((*result)->size(), 3u);
  EXPECT_NE((*result)->root().operands[0], (*result)->root().operands[1]);
  EXPECT_EQ((*result)->root().operands[0], (*result)->root().operands[2]);
}

TEST(Rewriter, TellsLargeConstantsApartThatDifferInTheMiddleOnly) {
  const int64_t size = 4096;
  std::vector<float> values(size, 1.0f);
  Builder b("main");
  const InstructionId first = b.constant(Literal::array<float>(std::span(&size, 1), values));
  values[2048] = 2.0f;
  const InstructionId second = b.constant(Literal::array<float>(std::span(&size, 1), values));
  const ComputationPtr c = *std::move(b).build(b.tuple({first, second}));
  EXPECT_EQ(rewrite(c, {})->get(), c.get());
}

TEST(Rewriter, DoesNotShareBarriersBecauseTheyKeepRecomputationApart) {
  Builder b("main");
  const InstructionId x = b.parameter(kVector);
  const InstructionId first = *b.add(Opcode::kOptimizationBarrier, {x}),
                      second = *b.add(Opcode::kOptimizationBarrier, {x});
  const ComputationPtr c = *std::move(b).build(b.tuple({first, second}));
  EXPECT_EQ(rewrite(c, {})->get(), c.get());
}

TEST(Rewriter, DropsWhatTheRootDoesNotNeedAndKeepsParameters) {
  Builder b("main");
  const InstructionId x = b.parameter(kVector, "x");
  b.parameter(kVector, "unused");
  (void)*b.add(Opcode::kNegate, {x});
  const ComputationPtr c = *std::move(b).build(*b.add(Opcode::kExp, {x}));
  const auto result = rewrite(c, {.share = false});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ((*result)->size(), 3u);
  EXPECT_EQ((*result)->parameter_count(), 2);
}

TEST(Rewriter, KeepsOriginAndAnnotationsThroughReplacement) {
  Builder b("main");
  const InstructionId x = b.parameter(kVector);
  auto annotations = std::make_shared<Annotations>();
  annotations->source_line = 41;
  b.set_annotations(annotations);
  const InstructionId sum = *b.add(Opcode::kAdd, {x, x});
  const ComputationPtr c = *std::move(b).build(sum);
  const RewriteRule rule = [](RewriteBuilder& builder, const RewriteNode& n) {
    return n.opcode == Opcode::kAdd ? builder.add(Opcode::kMultiply, {n.operand(0), n.operand(1)}) : kNoInstruction;
  };
  const auto result = rewrite(c, {.rule = rule});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ((*result)->root().opcode, Opcode::kMultiply);
  EXPECT_EQ((*result)->root().origin, c->root().origin);
  EXPECT_EQ((*result)->root().annotations->source_line, 41);
}

TEST(Rewriter, StopsAskingARuleThatNeverEnds) {
  Builder b("main");
  const InstructionId x = b.parameter(kVector);
  const ComputationPtr c = *std::move(b).build(*b.add(Opcode::kNegate, {x}));
  const RewriteRule rule = [](RewriteBuilder& builder, const RewriteNode& n) {
    return n.opcode == Opcode::kNegate ? builder.add(Opcode::kNegate, {builder.add(Opcode::kAbs, {n.operand(0)})})
                                       : kNoInstruction;
  };
  const auto result = rewrite(c, {.rule = rule});
  ASSERT_TRUE(result.ok());
  EXPECT_LE((*result)->size(), 2u * RewriteBuilder::kMaxRuleDepth);
}

TEST(Rewriter, SplicesABodyWithItsParametersBound) {
  const ComputationPtr body = *scalar_binary_computation(Opcode::kSubtract, ElementType::kF32);
  Builder b("main");
  const InstructionId x = b.parameter(Shape::scalar(ElementType::kF32), "x");
  const ComputationPtr c = *std::move(b).build(*b.add(Opcode::kNegate, {x}));
  RewriteBuilder r(c);
  r.copy_all();
  const std::vector<InstructionId> arguments{r.mapped(c->root_id()), r.mapped(c->parameters()[0])};
  const auto result = r.finish(r.splice(body, arguments));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ((*result)->size(), 3u);
  EXPECT_EQ((*result)->root().opcode, Opcode::kSubtract);
  EXPECT_EQ((*result)->instruction((*result)->root().operands[0]).opcode, Opcode::kNegate);
}

TEST(Rewriter, ReportsAnAdditionThatItsShapesForbid) {
  Builder b("main");
  const InstructionId x = b.parameter(kVector, "x"), y = b.parameter(Shape::array(ElementType::kF32, {5}), "y");
  const ComputationPtr c = *std::move(b).build(b.tuple({x, y}));
  RewriteBuilder r(c);
  r.copy_all();
  EXPECT_EQ(r.add(Opcode::kAdd, {r.mapped(x), r.mapped(y)}), kNoInstruction);
  EXPECT_EQ(r.add(Opcode::kNegate, {kNoInstruction}), kNoInstruction);
  const auto result = r.finish();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kInternal);
  EXPECT_NE(result.status().to_string().find("rewrite: add in 'main': operand shapes differ; got f32[4] and f32[5]"),
            std::string::npos)
      << result.status().to_string();
}

TEST(Rewriter, ReportsAReplacementOfAnotherShape) {
  Builder b("main");
  const InstructionId x = b.parameter(kVector, "x"), y = b.parameter(Shape::array(ElementType::kF32, {5}), "y");
  const ComputationPtr c = *std::move(b).build(b.tuple({x, y}));
  RewriteBuilder r(c);
  r.copy_all();
  r.replace(x, r.mapped(y));
  const auto result = r.finish();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kInternal);
  EXPECT_NE(result.status().to_string().find("got f32[5], wanted f32[4]"), std::string::npos)
      << result.status().to_string();
}

TEST(Rewriter, IsLinearInLongChains) {
  Builder b("main");
  InstructionId x = b.parameter(kVector);
  for (int i = 0; i < 200000; ++i) x = *b.add(Opcode::kNegate, {x});
  const ComputationPtr c = *std::move(b).build(x);
  EXPECT_EQ(rewrite(c, {})->get(), c.get());
}

}  // namespace
}  // namespace hilo::hlo
