// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/build/expr.h"

#include <gtest/gtest.h>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/ext/decomposition.h"

namespace hilo::hlo {
namespace {

const Shape kVector = Shape::array(ElementType::kF32, {3});

Literal evaluated(Decomposition&& d, Expr root, std::initializer_list<Literal> arguments) {
  const StatusOr<ComputationPtr> computation = std::move(d).finish(root);
  EXPECT_TRUE(computation.ok()) << computation.status().to_string();
  return *evaluate(**computation, arguments);
}

Literal vector(std::initializer_list<float> values) { return Literal::array<float>({3}, values); }

TEST(Expr, IsArithmeticWithNumbersOfTheOperandsType) {
  const Shape shapes[] = {kVector, kVector};
  Decomposition d("arithmetic", shapes);
  const Expr x = d.operand(0), y = d.operand(1);
  const Expr root = select(x < y, (1.0 - x) * y / 2.0, -sqrt(x) + 10);
  EXPECT_EQ(evaluated(std::move(d), root, {vector({1, 3, 4}), vector({2, 5, 0})}).to_string(), "f32[3] {0, -5, 8}");
}

TEST(Expr, AddsNothingForAConversionToTheSameType) {
  const Shape shapes[] = {kVector};
  Decomposition d("same", shapes);
  const Expr x = d.operand(0);
  EXPECT_EQ(convert(x, ElementType::kF32).id, x.id);
  EXPECT_EQ(convert(x, ElementType::kS32).type(), ElementType::kS32);
}

TEST(Expr, LeavesAScalarThatShallBeAScalar) {
  const Shape shapes[] = {Shape::scalar(ElementType::kF32)};
  Decomposition d("scalar", shapes);
  const Expr x = d.operand(0);
  EXPECT_EQ(broadcast(x, {}, {}).id, x.id);
  EXPECT_TRUE(full_like(x, 2).shape().is_scalar());
}

TEST(Expr, MovesAndSumsDimensions) {
  const Shape shapes[] = {Shape::array(ElementType::kF32, {2, 3})};
  Decomposition d("shapes", shapes);
  const Expr x = d.operand(0);
  const Expr moved = transpose(concatenate({slice(x, 1, 1, 3), slice(x, 1, 0, 1)}, 1), {1, 0});
  const int64_t sizes[] = {6};
  const Expr root = tuple(d, {reshape(moved, sizes), sum(x, {0}), sum(x, {0, 1}), iota(d, kVector, 0)});
  const Literal out = evaluated(std::move(d), root, {Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(out.elements()[0].to_string(), "f32[6] {2, 5, 3, 6, 1, 4}");
  EXPECT_EQ(out.elements()[1].to_string(), "f32[3] {5, 7, 9}");
  EXPECT_EQ(out.elements()[2].to_string(), "f32[] 21");
  EXPECT_EQ(out.elements()[3].to_string(), "f32[3] {0, 1, 2}");
}

TEST(Expr, KeepsTheFirstErrorAndAddsNothingAfterIt) {
  const Shape shapes[] = {kVector, Shape::array(ElementType::kF32, {4})};
  Decomposition d("wrong", shapes);
  const Expr sum = d.operand(0) + d.operand(1);
  const Expr after = slice(transpose(sum, {7}), 5, 1, 2) * 2.0;
  EXPECT_EQ(after.type(), ElementType::kPred);
  d.fail(internal_error("a second one"));
  const StatusOr<ComputationPtr> made = std::move(d).finish(after);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(made.status().message().find("f32[4]"), std::string::npos) << made.status().to_string();
}

}  // namespace
}  // namespace hilo::hlo
