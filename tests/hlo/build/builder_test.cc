// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/build/builder.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {
namespace {

const Shape kVector = Shape::array(ElementType::kF32, std::vector<int64_t>{2});

TEST(Builder, AppendsWhatItIsAskedForAndMergesNothing) {
  Builder b("main");
  const InstructionId x = b.parameter(kVector, "x");
  const InstructionId one = b.add(Opcode::kMaximum, {x, x}).value(), same = b.add(Opcode::kMaximum, {x, x}).value();
  EXPECT_NE(one, same);
  const ComputationPtr c = std::move(b).build(same).value();
  EXPECT_EQ(c->size(), 3u);
  EXPECT_EQ(c->root_id(), same);
}

TEST(Builder, ErrorsNameTheInstruction) {
  Builder b("main");
  const InstructionId x = b.parameter(kVector), n = b.parameter(Shape::scalar(ElementType::kS32));
  const Status status = b.add(Opcode::kAdd, {x, n}, nullptr, std::nullopt, "sum").status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(status.message().starts_with("add 'sum'")) << status.message();
  EXPECT_EQ(b.get_tuple_element(x, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(b.size(), 2u);
}

TEST(Builder, ParametersAreNumberedInOrderOrAsAsked) {
  Builder b("main");
  b.parameter(kVector, "second", 1);
  const InstructionId first = b.parameter(kVector, "first", 0);
  const ComputationPtr c = std::move(b).build(first).value();
  EXPECT_EQ(c->parameter(0).name, "first");
  Builder twice("main");
  const InstructionId x = twice.parameter(kVector, "x", 0);
  twice.parameter(kVector, "y", 0);
  EXPECT_EQ(std::move(twice).build(x).status().code(), StatusCode::kInvalidArgument);
}

TEST(Builder, AnEmptyComputationIsAnError) {
  EXPECT_EQ(Builder("main").size(), 0u);
  EXPECT_EQ(Builder("main").build(0).status().code(), StatusCode::kInvalidArgument);
}

TEST(ScalarBinary, IsTheOpOnTwoScalars) {
  const ComputationPtr add = scalar_binary_computation(Opcode::kAdd, ElementType::kBf16).value();
  EXPECT_EQ(add->result_shape().to_string(), "bf16[]");
  EXPECT_EQ(add->reducer_kind(), ReducerKind::kAdd);
  EXPECT_EQ(scalar_binary_computation(Opcode::kAnd, ElementType::kF32).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::hlo
