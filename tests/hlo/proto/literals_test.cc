// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/literals.h"

#include <gtest/gtest.h>

#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::hlo::proto {
namespace {

Literal literal_through(const Literal& literal, const Shape& layout) {
  return read_literal(write_literal(literal, layout).view()).value().literal;
}
Literal literal_through(const Literal& literal) { return literal_through(literal, literal.shape()); }

TEST(LiteralProto, KeepsEveryTypeOfConstant) {
  for (const std::string text :
       {"pred[2] constant({true, false})", "s4[3] constant({-8, 7, -1})", "u2[2] constant({3, 0})",
        "s64[] constant(-9223372036854775808)", "u64[] constant(18446744073709551615)", "f32[2] constant({nan, -0})",
        "bf16[] constant(1.5)", "c64[] constant((1, -2))", "f8e4m3fn[2] constant({448, -0.5})", "f32[0,3] constant({})",
        "s8[2,2] constant({{1, 2}, {3, 4}})"}) {
    const Module module = parse_module("HloModule m\nENTRY e {\n ROOT c = " + text + "\n}\n").value();
    const Literal value = attributes_of<ConstantAttributes>(module.entry->root()).value;
    EXPECT_TRUE(literal_through(value).identical(value)) << text;
  }
}

TEST(LiteralProto, WritesElementsInTheOrderOfTheLayout) {
  const Literal literal = Literal::array<uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const WireWriter out = write_literal(literal, literal.shape().with_layout(std::vector<int64_t>{0, 1}));
  EXPECT_EQ(WireMessage::read(out.view(), "L").value().text(3).value(), "\1\4\2\5\3\6");
  const LiteralAndShape again = read_literal(out.view()).value();
  EXPECT_TRUE(again.literal.identical(literal));
  EXPECT_EQ(again.shape.to_string_with_layout(), "u8[2,3]{0,1}");
}

TEST(LiteralProto, KeepsTuplesInTuples) {
  const Literal literal =
      Literal::tuple({Literal::scalar(1.5f), Literal::tuple({Literal::scalar<int32_t>(7), Literal::tuple({})})});
  EXPECT_TRUE(literal_through(literal).identical(literal));
}

TEST(LiteralProto, CountsElementsBeforeItAllocates) {
  WireWriter out;
  out.message(1, write_shape(Shape::array(ElementType::kF32, std::vector<int64_t>{1 << 20, 1 << 18})));
  out.bytes(8, "1234");
  EXPECT_EQ(read_literal(out.view()).status().message(),
            "LiteralProto: got 4 bytes; wanted those of f32[1048576,262144]{1,0}");
}

TEST(LiteralProto, RejectsSparseOnesAndTuplesOfAnotherSize) {
  WireWriter sparse;
  sparse.message(1, write_shape(Shape::scalar(ElementType::kF32)));
  sparse.integers(14, std::vector<int64_t>{0});
  EXPECT_EQ(read_literal(sparse.view()).status().code(), StatusCode::kUnimplemented);
  WireWriter tuple;
  tuple.message(1, write_shape(Shape::tuple({Shape::scalar(ElementType::kF32)})));
  EXPECT_EQ(read_literal(tuple.view()).status().message(),
            "LiteralProto: got 0 tuple elements; wanted those of (f32[])");
}

}  // namespace
}  // namespace hilo::hlo::proto
