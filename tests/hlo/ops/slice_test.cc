// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/slice.h"

#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

const Shape kMatrix = Shape::array(ElementType::kS32, {2, 3});
const Shape kIndex = Shape::scalar(ElementType::kS32);

Literal matrix() { return Literal::array<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}); }

AttributesPtr ranges(std::vector<SliceRange> list) {
  auto attributes = std::make_shared<SliceAttributes>();
  attributes->ranges = std::move(list);
  return attributes;
}
AttributesPtr sizes(Int64List list) {
  auto attributes = std::make_shared<DynamicSliceAttributes>();
  attributes->sizes = std::move(list);
  return attributes;
}
AttributesPtr joined(int64_t dimension) {
  auto attributes = std::make_shared<ConcatenateAttributes>();
  attributes->dimension = dimension;
  return attributes;
}
AttributesPtr padding(std::vector<PaddingDimension> list) {
  auto attributes = std::make_shared<PadAttributes>();
  attributes->padding = std::move(list);
  return attributes;
}

TEST(Slice, TakesEveryStride) {
  EXPECT_EQ(text_of(run_op(Opcode::kSlice, {matrix()}, ranges({{0, 2, 1}, {1, 3, 1}}))), "s32[2,2] {{2, 3}, {5, 6}}");
  EXPECT_EQ(text_of(run_op(Opcode::kSlice, {matrix()}, ranges({{1, 2, 1}, {0, 3, 2}}))), "s32[1,2] {{4, 6}}");
  EXPECT_EQ(text_of(run_op(Opcode::kSlice, {matrix()}, ranges({{0, 2, INT64_MAX}, {2, 2, 1}}))), "s32[1,0] {{}}");
}

TEST(Slice, ErrorsNameTheDimension) {
  EXPECT_EQ(error_of(shape_of(Opcode::kSlice, {kMatrix}, ranges({{0, 2, 1}}))),
            "INVALID_ARGUMENT: one range per dimension is needed; got 1 for s32[2,3]");
  EXPECT_EQ(error_of(shape_of(Opcode::kSlice, {kMatrix}, ranges({{0, 2, 1}, {0, 9, 1}}))),
            "INVALID_ARGUMENT: dim 1: limit 9 > size 3");
  EXPECT_EQ(error_of(shape_of(Opcode::kSlice, {kMatrix}, ranges({{-1, 2, 1}, {0, 3, 1}}))),
            "INVALID_ARGUMENT: dim 0: start -1 < 0");
  EXPECT_EQ(error_of(shape_of(Opcode::kSlice, {kMatrix}, ranges({{2, 1, 1}, {0, 3, 1}}))),
            "INVALID_ARGUMENT: dim 0: start 2 > limit 1");
  EXPECT_EQ(error_of(shape_of(Opcode::kSlice, {kMatrix}, ranges({{0, 2, 0}, {0, 3, 1}}))),
            "INVALID_ARGUMENT: dim 0: stride 0; must be at least 1");
}

TEST(DynamicSlice, ClampsItsStart) {
  const auto at = [](int32_t i, int32_t j) {
    return run_op(Opcode::kDynamicSlice, {matrix(), Literal::scalar(i), Literal::scalar(j)}, sizes({1, 2}));
  };
  EXPECT_EQ(text_of(at(1, 1)), "s32[1,2] {{5, 6}}");
  EXPECT_EQ(text_of(at(9, 9)), "s32[1,2] {{5, 6}}");
  EXPECT_EQ(text_of(at(-9, -9)), "s32[1,2] {{1, 2}}");
  const Literal far = Literal::scalar<uint64_t>(~uint64_t{0});
  EXPECT_EQ(text_of(run_op(Opcode::kDynamicSlice, {matrix(), far, far}, sizes({1, 2}))), "s32[1,2] {{5, 6}}");
  const Literal low = Literal::scalar<int8_t>(-128);
  EXPECT_EQ(text_of(run_op(Opcode::kDynamicSlice, {matrix(), low, low}, sizes({2, 1}))), "s32[2,1] {{1}, {4}}");
}

TEST(DynamicSlice, ErrorsNameTheIndex) {
  EXPECT_EQ(error_of(shape_of(Opcode::kDynamicSlice, {kMatrix, kIndex}, sizes({1, 1}))),
            "INVALID_ARGUMENT: one start index per dimension of s32[2,3] is needed; got 1");
  EXPECT_EQ(error_of(shape_of(Opcode::kDynamicSlice, {kMatrix, kIndex, kMatrix}, sizes({1, 1}))),
            "INVALID_ARGUMENT: start index 1 must be an integer scalar; got s32[2,3]");
  EXPECT_EQ(
      error_of(shape_of(Opcode::kDynamicSlice, {kMatrix, kIndex, Shape::scalar(ElementType::kS64)}, sizes({1, 1}))),
      "INVALID_ARGUMENT: start indices must share one type; got s32[] and s64[]");
  EXPECT_EQ(error_of(shape_of(Opcode::kDynamicSlice, {kMatrix, kIndex, kIndex}, sizes({1}))),
            "INVALID_ARGUMENT: one size per dimension is needed; got [1] for s32[2,3]");
  EXPECT_EQ(error_of(shape_of(Opcode::kDynamicSlice, {kMatrix, kIndex, kIndex}, sizes({3, 1}))),
            "INVALID_ARGUMENT: dim 0: slice size 3 doesn't fit size 2");
  EXPECT_EQ(error_of(shape_of(Opcode::kDynamicSlice, {}, sizes({}))),
            "INVALID_ARGUMENT: got 0 operands, wanted an array and its start indices");
}

TEST(DynamicUpdateSlice, WritesWhereTheClampedStartSays) {
  const Literal update = Literal::array<int32_t>({1, 2}, {8, 9});
  const auto at = [&](int32_t i, int32_t j) {
    return run_op(Opcode::kDynamicUpdateSlice, {matrix(), update, Literal::scalar(i), Literal::scalar(j)}, nullptr);
  };
  EXPECT_EQ(text_of(at(0, 0)), "s32[2,3] {{8, 9, 3}, {4, 5, 6}}");
  EXPECT_EQ(text_of(at(7, 7)), "s32[2,3] {{1, 2, 3}, {4, 8, 9}}");
  EXPECT_EQ(text_of(run_op(Opcode::kDynamicUpdateSlice, {Literal::scalar(1), Literal::scalar(2)}, nullptr)), "s32[] 2");
}

TEST(DynamicUpdateSlice, ErrorsNameTheShapes) {
  const Shape wide = Shape::array(ElementType::kS32, {1, 4}), flat = Shape::array(ElementType::kS32, {1});
  const Shape other = Shape::array(ElementType::kF32, {1, 1});
  EXPECT_EQ(error_of(shape_of(Opcode::kDynamicUpdateSlice, {kMatrix}, nullptr)),
            "INVALID_ARGUMENT: got 1 operands, wanted an array, an update and start indices");
  EXPECT_EQ(error_of(shape_of(Opcode::kDynamicUpdateSlice, {kMatrix, wide, kIndex, kIndex}, nullptr)),
            "INVALID_ARGUMENT: dim 1: update size 4 doesn't fit size 3");
  EXPECT_EQ(error_of(shape_of(Opcode::kDynamicUpdateSlice, {kMatrix, flat, kIndex, kIndex}, nullptr)),
            "INVALID_ARGUMENT: array and update must have equal ranks; got s32[2,3] and s32[1]");
  EXPECT_EQ(error_of(shape_of(Opcode::kDynamicUpdateSlice, {kMatrix, other, kIndex, kIndex}, nullptr)),
            "INVALID_ARGUMENT: operand element types differ; got s32[2,3] and f32[1,1]. Hint: convert one operand");
}

TEST(Concatenate, JoinsAlongOneDimension) {
  EXPECT_EQ(text_of(run_op(Opcode::kConcatenate, {matrix(), matrix()}, joined(0))),
            "s32[4,3] {{1, 2, 3}, {4, 5, 6}, {1, 2, 3}, {4, 5, 6}}");
  const Literal column = Literal::array<int32_t>({2, 1}, {7, 8}),
                nothing = Literal(Shape::array(ElementType::kS32, {2, 0}));
  EXPECT_EQ(text_of(run_op(Opcode::kConcatenate, {column, nothing, matrix()}, joined(1))),
            "s32[2,4] {{7, 1, 2, 3}, {8, 4, 5, 6}}");
}

TEST(Concatenate, ErrorsNameTheOperands) {
  const Shape a = Shape::array(ElementType::kF32, {4, 3}), b = Shape::array(ElementType::kF32, {5, 3});
  EXPECT_EQ(error_of(shape_of(Opcode::kConcatenate, {a, b}, joined(1))),
            "INVALID_ARGUMENT: operands 0 and 1 differ outside dimension 1; got f32[4,3] and f32[5,3]");
  EXPECT_EQ(error_of(shape_of(Opcode::kConcatenate, {a, a}, joined(2))),
            "INVALID_ARGUMENT: dimension 2 out of range for f32[4,3] of rank 2");
  EXPECT_EQ(error_of(shape_of(Opcode::kConcatenate, {a, kMatrix}, joined(0))),
            "INVALID_ARGUMENT: operand element types differ; operand 0 is f32[4,3], operand 1 is s32[2,3]. Hint: "
            "convert one operand");
  EXPECT_EQ(error_of(shape_of(Opcode::kConcatenate, {}, joined(0))),
            "INVALID_ARGUMENT: got 0 operands, wanted at least one");
  const Shape half = Shape::array(ElementType::kU8, {int64_t{1} << 62});
  EXPECT_EQ(error_of(shape_of(Opcode::kConcatenate, {half, half}, joined(0))),
            "INVALID_ARGUMENT: dimension 0 of the result doesn't fit 2^63-1");
}

TEST(Pad, AddsEdgesAndInteriors) {
  const Literal x = Literal::array<int32_t>({3}, {1, 2, 3}), zero = Literal::scalar(0);
  EXPECT_EQ(text_of(run_op(Opcode::kPad, {x, zero}, padding({{1, 2, 0}}))), "s32[6] {0, 1, 2, 3, 0, 0}");
  EXPECT_EQ(text_of(run_op(Opcode::kPad, {x, zero}, padding({{0, 0, 2}}))), "s32[7] {1, 0, 0, 2, 0, 0, 3}");
  EXPECT_EQ(text_of(run_op(Opcode::kPad, {matrix(), Literal::scalar(9)}, padding({{0, 1, 0}, {1, 0, 0}}))),
            "s32[3,4] {{9, 1, 2, 3}, {9, 4, 5, 6}, {9, 9, 9, 9}}");
}

TEST(Pad, CropsWithNegativeEdges) {
  const Literal x = Literal::array<int32_t>({4}, {1, 2, 3, 4}), zero = Literal::scalar(0);
  EXPECT_EQ(text_of(run_op(Opcode::kPad, {x, zero}, padding({{-1, -2, 0}}))), "s32[1] {2}");
  EXPECT_EQ(text_of(run_op(Opcode::kPad, {x, zero}, padding({{-1, -1, 1}}))), "s32[5] {0, 2, 0, 3, 0}");
  EXPECT_EQ(text_of(run_op(Opcode::kPad, {x, zero}, padding({{-4, 1, 0}}))), "s32[1] {0}");
  EXPECT_EQ(text_of(run_op(Opcode::kPad, {x, zero}, padding({{-9, 7, 0}}))), "s32[2] {0, 0}");
  EXPECT_EQ(text_of(run_op(Opcode::kPad, {x, zero}, padding({{2, -6, 0}}))), "s32[0] {}");
  EXPECT_EQ(text_of(run_op(Opcode::kPad, {Literal::array<int32_t>({1}, {5}), zero}, padding({{1, 0, INT64_MAX}}))),
            "s32[2] {0, 5}");
  EXPECT_EQ(
      text_of(run_op(Opcode::kPad, {Literal::array<int32_t>({1}, {5}), zero}, padding({{INT64_MIN, INT64_MAX, 0}}))),
      "s32[0] {}");
  EXPECT_EQ(text_of(run_op(Opcode::kPad, {Literal(Shape::array(ElementType::kS32, {0})), zero}, padding({{1, 1, 3}}))),
            "s32[2] {0, 0}");
}

TEST(Pad, ErrorsNameTheDimension) {
  EXPECT_EQ(error_of(shape_of(Opcode::kPad, {kMatrix, kMatrix}, padding({{0, 0, 0}, {0, 0, 0}}))),
            "INVALID_ARGUMENT: the padding value must be a s32 scalar; got s32[2,3]");
  EXPECT_EQ(error_of(shape_of(Opcode::kPad, {kMatrix, kIndex}, padding({{0, 0, 0}}))),
            "INVALID_ARGUMENT: one padding per dimension is needed; got 1 for s32[2,3]");
  EXPECT_EQ(error_of(shape_of(Opcode::kPad, {kMatrix, kIndex}, padding({{0, 0, -1}, {0, 0, 0}}))),
            "INVALID_ARGUMENT: dim 0: interior padding -1 < 0");
  EXPECT_EQ(error_of(shape_of(Opcode::kPad, {kMatrix, kIndex}, padding({{0, 0, 0}, {-2, -2, 0}}))),
            "INVALID_ARGUMENT: dim 1: padding -2_-2_0 leaves -1 of 3 elements");
  EXPECT_EQ(error_of(shape_of(Opcode::kPad, {kMatrix, kIndex}, padding({{INT64_MAX, 0, 0}, {0, 0, 0}}))),
            "INVALID_ARGUMENT: dim 0: padded size doesn't fit 2^63-1");
}

}  // namespace
}  // namespace hilo::hlo
