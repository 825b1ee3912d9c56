// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/control_flow.h"

#include "hilo/hlo/ops/elementwise.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

const Shape kS32 = Shape::scalar(ElementType::kS32);
const Shape kPred = Shape::scalar(ElementType::kPred);
const Shape kF32x4 = Shape::array(ElementType::kF32, {4});

/// x -> op(x, c).
ComputationPtr with_constant(Opcode opcode, int32_t c) {
  Builder builder("f");
  const InstructionId x = builder.parameter(kS32, "x");
  return *std::move(builder).build(*builder.add(opcode, {x, builder.constant(Literal::scalar(c))}));
}

/// x -> x < c.
ComputationPtr less_than(int32_t c) {
  Builder builder("less");
  const InstructionId x = builder.parameter(kS32, "x");
  auto attributes = std::make_shared<CompareAttributes>();
  attributes->direction = ComparisonDirection::kLt;
  return *std::move(builder).build(
      *builder.add(Opcode::kCompare, {x, builder.constant(Literal::scalar(c))}, attributes));
}

ComputationPtr identity(const Shape& shape, std::string name = "id") {
  Builder builder(std::move(name));
  return *std::move(builder).build(builder.parameter(shape));
}

AttributesPtr index(int64_t i) {
  auto attributes = std::make_shared<GetTupleElementAttributes>();
  attributes->index = i;
  return attributes;
}
AttributesPtr calls(ComputationPtr f) {
  auto attributes = std::make_shared<CallAttributes>();
  attributes->to_apply = std::move(f);
  return attributes;
}
AttributesPtr loop(ComputationPtr condition, ComputationPtr body) {
  auto attributes = std::make_shared<WhileAttributes>();
  attributes->condition = std::move(condition);
  attributes->body = std::move(body);
  return attributes;
}
AttributesPtr branches(std::vector<ComputationPtr> list, bool predicated) {
  auto attributes = std::make_shared<ConditionalAttributes>();
  attributes->branches = std::move(list);
  attributes->predicated = predicated;
  return attributes;
}

TEST(Parameter, StatesItsShape) {
  auto attributes = std::make_shared<ParameterAttributes>();
  EXPECT_EQ(error_of(shape_of(Opcode::kParameter, {}, attributes)),
            "INVALID_ARGUMENT: the parameter's shape must be stated");
  attributes->number = -1;
  EXPECT_EQ(error_of(shape_of(Opcode::kParameter, {}, attributes, kS32)), "INVALID_ARGUMENT: parameter number -1 < 0");
}

TEST(Tuple, HoldsItsElements) {
  EXPECT_EQ(text_of(run_op(Opcode::kTuple, {Literal::scalar(1), Literal::scalar(2.5f)}, nullptr)),
            "(s32[] 1, f32[] 2.5)");
  EXPECT_EQ(text_of(run_op(Opcode::kTuple, {}, nullptr)), "()");
}

TEST(GetTupleElement, TakesOneElement) {
  const Literal pair = Literal::tuple({Literal::scalar(1), Literal::scalar(2.5f)});
  EXPECT_EQ(text_of(run_op(Opcode::kGetTupleElement, {pair}, index(1))), "f32[] 2.5");
}

TEST(GetTupleElement, RefusesAnIndexOutOfRange) {
  const Shape one = Shape::tuple({Shape::scalar(ElementType::kF32)});
  EXPECT_EQ(error_of(shape_of(Opcode::kGetTupleElement, {one}, index(7))),
            "INVALID_ARGUMENT: index 7 out of range for (f32[]) of 1 element");
  EXPECT_EQ(error_of(shape_of(Opcode::kGetTupleElement, {Shape()}, index(-1))),
            "INVALID_ARGUMENT: index -1 out of range for () of 0 elements");
  EXPECT_EQ(error_of(shape_of(Opcode::kGetTupleElement, {kS32}, index(0))),
            "INVALID_ARGUMENT: the operand must be a tuple; got s32[]");
}

TEST(Call, RunsItsComputation) {
  EXPECT_EQ(text_of(run_op(Opcode::kCall, {Literal::scalar(4)}, calls(with_constant(Opcode::kMultiply, 3)))),
            "s32[] 12");
}

TEST(Call, RefusesOtherArguments) {
  const ComputationPtr f = with_constant(Opcode::kAdd, 1);
  EXPECT_EQ(error_of(shape_of(Opcode::kCall, {kS32, kS32}, calls(f))),
            "INVALID_ARGUMENT: to_apply 'f' takes 1 arguments; got 2");
  EXPECT_EQ(error_of(shape_of(Opcode::kCall, {kF32x4}, calls(f))),
            "INVALID_ARGUMENT: to_apply 'f' takes s32[] as argument 0; got f32[4]");
  EXPECT_EQ(error_of(shape_of(Opcode::kCall, {kS32}, calls(nullptr))), "INVALID_ARGUMENT: to_apply is missing");
}

TEST(While, RunsUntilTheConditionFails) {
  EXPECT_EQ(text_of(run_op(Opcode::kWhile, {Literal::scalar(0)}, loop(less_than(100), with_constant(Opcode::kAdd, 7)))),
            "s32[] 105");
  EXPECT_EQ(
      text_of(run_op(Opcode::kWhile, {Literal::scalar(200)}, loop(less_than(100), with_constant(Opcode::kAdd, 7)))),
      "s32[] 200");
}

TEST(While, RunsManyStepsWithoutDepth) {
  EXPECT_EQ(
      text_of(run_op(Opcode::kWhile, {Literal::scalar(0)}, loop(less_than(50000), with_constant(Opcode::kAdd, 1)))),
      "s32[] 50000");
}

TEST(While, RefusesABodyThatChangesTheCarry) {
  const Shape carry = Shape::tuple({kS32, Shape::array(ElementType::kF32, {3})});
  Builder condition("condition");
  condition.parameter(carry);
  const ComputationPtr always = *std::move(condition).build(condition.constant(Literal::scalar(true)));
  Builder body("body");
  const InstructionId state = body.parameter(carry);
  const InstructionId wide = body.constant(Literal(kF32x4));
  const ComputationPtr step = *std::move(body).build(body.tuple({*body.get_tuple_element(state, 0), wide}));
  EXPECT_EQ(error_of(shape_of(Opcode::kWhile, {carry}, loop(always, step))),
            "INVALID_ARGUMENT: body returns (s32[], f32[4]), carry is (s32[], f32[3]); element 1 differs");
  EXPECT_EQ(error_of(shape_of(Opcode::kWhile, {kS32}, loop(identity(kS32, "c"), identity(kS32)))),
            "INVALID_ARGUMENT: condition 'c' must return pred[]; got s32[]");
  EXPECT_EQ(error_of(shape_of(Opcode::kWhile, {kS32}, loop(less_than(1), nullptr))),
            "INVALID_ARGUMENT: body is missing");
  EXPECT_EQ(error_of(shape_of(Opcode::kWhile, {carry}, loop(less_than(1), step))),
            "INVALID_ARGUMENT: condition 'less' takes s32[] as argument 0; got (s32[], f32[3])");
}

TEST(Conditional, ChoosesByPredicate) {
  const AttributesPtr attributes =
      branches({with_constant(Opcode::kAdd, 1), with_constant(Opcode::kMultiply, 2)}, true);
  EXPECT_EQ(text_of(run_op(Opcode::kConditional, {Literal::scalar(true), Literal::scalar(10), Literal::scalar(20)},
                           attributes)),
            "s32[] 11");
  EXPECT_EQ(text_of(run_op(Opcode::kConditional, {Literal::scalar(false), Literal::scalar(10), Literal::scalar(20)},
                           attributes)),
            "s32[] 40");
}

TEST(Conditional, TakesTheLastBranchForAnIndexOutOfRange) {
  const AttributesPtr attributes =
      branches({with_constant(Opcode::kAdd, 1), with_constant(Opcode::kAdd, 2), with_constant(Opcode::kAdd, 3)}, false);
  const auto choose = [&](int32_t i) {
    return text_of(run_op(Opcode::kConditional,
                          {Literal::scalar(i), Literal::scalar(10), Literal::scalar(20), Literal::scalar(30)},
                          attributes));
  };
  EXPECT_EQ(choose(0), "s32[] 11");
  EXPECT_EQ(choose(1), "s32[] 22");
  EXPECT_EQ(choose(2), "s32[] 33");
  EXPECT_EQ(choose(3), "s32[] 33");
  EXPECT_EQ(choose(-1), "s32[] 33");
}

TEST(Conditional, ErrorsNameTheBranch) {
  const ComputationPtr f = with_constant(Opcode::kAdd, 1), g = less_than(3);
  EXPECT_EQ(error_of(shape_of(Opcode::kConditional, {kPred, kS32, kS32}, branches({f, g}, true))),
            "INVALID_ARGUMENT: branches must return one shape; branch 0 returns s32[], branch 1 returns pred[]");
  EXPECT_EQ(error_of(shape_of(Opcode::kConditional, {kPred, kS32}, branches({f, f}, true))),
            "INVALID_ARGUMENT: got 2 operands, wanted a selector and one per branch (3)");
  EXPECT_EQ(error_of(shape_of(Opcode::kConditional, {kS32, kS32, kS32}, branches({f, f}, true))),
            "INVALID_ARGUMENT: operand 0 of the predicated form must be pred[]; got s32[]");
  EXPECT_EQ(error_of(shape_of(Opcode::kConditional, {kPred, kS32}, branches({f}, false))),
            "INVALID_ARGUMENT: operand 0 of the indexed form must be s32[]; got pred[]");
  EXPECT_EQ(error_of(shape_of(Opcode::kConditional, {kPred, kS32}, branches({f}, true))),
            "INVALID_ARGUMENT: the predicated form has 2 branches; got 1");
  EXPECT_EQ(error_of(shape_of(Opcode::kConditional, {kS32}, branches({}, false))),
            "INVALID_ARGUMENT: there must be at least one branch");
  EXPECT_EQ(error_of(shape_of(Opcode::kConditional, {kS32, kF32x4}, branches({f}, false))),
            "INVALID_ARGUMENT: branch 0 'f' takes s32[] as argument 0; got f32[4]");
}

TEST(OptimizationBarrier, PassesTuplesThrough) {
  const Literal pair = Literal::tuple({Literal::scalar(1), Literal::scalar(2.5f)});
  EXPECT_EQ(text_of(run_op(Opcode::kOptimizationBarrier, {pair}, nullptr)), "(s32[] 1, f32[] 2.5)");
  EXPECT_TRUE(has_trait(Opcode::kOptimizationBarrier, kBarrier));
}

}  // namespace
}  // namespace hilo::hlo
