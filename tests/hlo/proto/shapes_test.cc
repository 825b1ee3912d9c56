// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/shapes.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo::proto {
namespace {

TEST(ShapeProto, KeepsArraysTuplesLayoutsAndTokens) {
  for (const std::string_view text :
       {"f32[]", "s4[0,3]{1,0}", "c128[2,3]{0,1}", "()", "(f32[2]{0}, (), (pred[], token[]))", "opaque[]"}) {
    const Shape shape = parse_shape(text).value();
    EXPECT_EQ(read_shape(write_shape(shape).view()).value().to_string_with_layout(), shape.to_string_with_layout())
        << text;
  }
}

/// A ShapeProto of f32 with these sizes and, if not empty, this order.
std::string f32(const std::vector<int64_t>& sizes, const std::vector<int64_t>& order = {}) {
  WireWriter out, layout;
  out.integer(2, 11);
  out.integers(3, sizes);
  layout.integers(1, order);
  if (!order.empty()) out.message(5, layout);
  return std::move(out).take();
}

TEST(ShapeProto, RejectsWhatIsNoShape) {
  EXPECT_EQ(read_shape(f32({2, 3}, {0, 0})).status().message(),
            "LayoutProto: [0,0] doesn't order the 2 dimensions of f32[2,3]");
  EXPECT_FALSE(read_shape(f32({-2})).ok());
  EXPECT_EQ(read_shape(f32({INT64_MIN})).status().code(), StatusCode::kUnimplemented);
  WireWriter unknown;
  unknown.integer(2, 99);
  EXPECT_EQ(read_shape(unknown.view()).status().message(), "ShapeProto: element type 99 is not known");
}

TEST(ShapeProto, RejectsTuplesNestedTooDeep) {
  std::string message = f32({});
  for (int i = 0; i < 300; ++i) {
    WireWriter tuple;
    tuple.integer(2, 13);
    tuple.bytes(4, message);
    message = std::move(tuple).take();
  }
  EXPECT_EQ(read_shape(message).status().code(), StatusCode::kResourceExhausted);
}

TEST(ShapeProto, ABufferIsTheArrayThatItHolds) {
  WireWriter buffer;
  buffer.integer(2, 34);
  buffer.bytes(4, f32({4}));
  EXPECT_EQ(read_shape(buffer.view()).value().to_string(), "f32[4]");
  buffer.bytes(4, f32({4}));
  EXPECT_EQ(read_shape(buffer.view()).status().message(), "ShapeProto: a buffer of 2 shapes, wanted one");
}

TEST(ShapeReader, TellsBoundedSizesApart) {
  WireWriter bounded;
  bounded.integer(2, 11);
  bounded.integers(3, std::vector<int64_t>{6});
  bounded.integers(6, std::vector<int64_t>{1});
  const std::string plain = f32({6});
  ShapeReader reader;
  EXPECT_EQ(reader.read(bounded.view()).value().to_string(), "f32[6]");
  EXPECT_TRUE(reader.was_bounded());
  EXPECT_EQ(reader.read(plain).value().to_string(), "f32[6]");
  EXPECT_FALSE(reader.was_bounded());
}

TEST(ProgramShape, HoldsParametersTheirNamesAndTheResult) {
  const std::vector<std::string> names = {"x", "y"};
  const WireWriter out =
      write_program_shape({{Shape::scalar(ElementType::kF32), Shape::token()}, Shape::tuple({})}, names);
  ShapeReader shapes;
  const ProgramShape shape = read_program_shape(out.view(), shapes).value();
  ASSERT_EQ(shape.parameters.size(), 2u);
  EXPECT_EQ(shape.parameters[0].to_string(), "f32[]");
  EXPECT_EQ(shape.result.to_string(), "()");
  EXPECT_EQ(WireMessage::read(out.view(), "P").value().items(3).value()[1], "y");
}

}  // namespace
}  // namespace hilo::hlo::proto
