// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/appender.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/printer.h"

namespace hilo::hlo::text {
namespace {

TEST(Appender, AddsCheckedInstructions) {
  ComputationDraft draft("c");
  Appender out(draft);
  const Shape shape = Shape::array(ElementType::kS32, std::vector<int64_t>{3});
  const InstructionId one = out.constant(Literal::scalar<int32_t>(1)).value();
  const InstructionId ones = out.spread(one, shape).value();
  const InstructionId places = out.iota(shape, 0).value();
  const InstructionId less = out.less(places, ones).value();
  EXPECT_EQ(out.shape(less).to_string(), "pred[3]");
  const InstructionId pair = out.add(Opcode::kTuple, {places, less}).value();
  EXPECT_EQ(out.shape(out.element(pair, 1).value()).to_string(), "pred[3]");
}

TEST(Appender, SaysWhatTheShapeRuleSays) {
  ComputationDraft draft("c");
  Appender out(draft);
  const InstructionId number = out.constant(Literal::scalar<int32_t>(1)).value();
  const InstructionId other = out.constant(Literal::scalar(1.0f)).value();
  EXPECT_EQ(out.less(number, other).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(out.element(number, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(out.iota(Shape::array(ElementType::kF32, std::vector<int64_t>{2}), 1).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(Appender, FindsFieldsByName) {
  EXPECT_EQ(field_named(Opcode::kTranspose, "dimensions").kind, FieldKind::kInt64List);
  EXPECT_EQ(field_named(Opcode::kCompare, "direction").kind, FieldKind::kEnum);
}

}  // namespace
}  // namespace hilo::hlo::text
