// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/reshape.h"

#include "hilo/types/twins.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

const Shape kMatrix = Shape::array(ElementType::kS32, {2, 3});

Literal matrix() { return Literal::array<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}); }

AttributesPtr broadcast_dimensions(Int64List dimensions) {
  auto attributes = std::make_shared<BroadcastAttributes>();
  attributes->dimensions = std::move(dimensions);
  return attributes;
}
AttributesPtr permutation(Int64List dimensions) {
  auto attributes = std::make_shared<TransposeAttributes>();
  attributes->permutation = std::move(dimensions);
  return attributes;
}
AttributesPtr reversed(Int64List dimensions) {
  auto attributes = std::make_shared<ReverseAttributes>();
  attributes->dimensions = std::move(dimensions);
  return attributes;
}
AttributesPtr iota_dimension(int64_t dimension) {
  auto attributes = std::make_shared<IotaAttributes>();
  attributes->dimension = dimension;
  return attributes;
}

TEST(Reshape, KeepsRowMajorOrder) {
  EXPECT_EQ(text_of(run_op(Opcode::kReshape, {matrix()}, nullptr, Shape::array(ElementType::kS32, {3, 2}))),
            "s32[3,2] {{1, 2}, {3, 4}, {5, 6}}");
  EXPECT_EQ(text_of(run_op(Opcode::kReshape, {Literal::scalar(7)}, nullptr, Shape::array(ElementType::kS32, {1, 1}))),
            "s32[1,1] {{7}}");
}

TEST(Reshape, ErrorsNameTheShapes) {
  const Shape a = Shape::array(ElementType::kF32, {4, 8});
  EXPECT_EQ(error_of(shape_of(Opcode::kReshape, {a}, nullptr, Shape::array(ElementType::kF32, {31}))),
            "INVALID_ARGUMENT: 32 elements cannot become f32[31] (31 elements)");
  EXPECT_EQ(error_of(shape_of(Opcode::kReshape, {a}, nullptr, Shape::array(ElementType::kS32, {32}))),
            "INVALID_ARGUMENT: the result must have the operand's element type; got s32[32] from f32[4,8]. Hint: "
            "convert first");
  EXPECT_EQ(error_of(shape_of(Opcode::kReshape, {a}, nullptr)), "INVALID_ARGUMENT: the result's shape must be stated");
  EXPECT_EQ(error_of(shape_of(Opcode::kReshape, {a}, nullptr, Shape::tuple({a}))),
            "INVALID_ARGUMENT: the result must be an array; got (f32[4,8])");
}

TEST(Broadcast, RepeatsAlongNewDimensions) {
  const Literal row = Literal::array<int32_t>({2}, {1, 2});
  EXPECT_EQ(
      text_of(run_op(Opcode::kBroadcast, {row}, broadcast_dimensions({1}), Shape::array(ElementType::kS32, {3, 2}))),
      "s32[3,2] {{1, 2}, {1, 2}, {1, 2}}");
  EXPECT_EQ(
      text_of(run_op(Opcode::kBroadcast, {row}, broadcast_dimensions({0}), Shape::array(ElementType::kS32, {2, 3}))),
      "s32[2,3] {{1, 1, 1}, {2, 2, 2}}");
  EXPECT_EQ(text_of(run_op(Opcode::kBroadcast, {Literal::scalar(std::complex<double>(1, 2))}, broadcast_dimensions({}),
                           Shape::array(ElementType::kC128, {2}))),
            "c128[2] {(1, 2), (1, 2)}");
  EXPECT_EQ(
      text_of(run_op(Opcode::kBroadcast, {row}, broadcast_dimensions({0}), Shape::array(ElementType::kS32, {2, 0}))),
      "s32[2,0] {{}, {}}");
}

TEST(Broadcast, ErrorsNameTheDimension) {
  const Shape row = Shape::array(ElementType::kS32, {2});
  EXPECT_EQ(error_of(shape_of(Opcode::kBroadcast, {row}, broadcast_dimensions({}), kMatrix)),
            "INVALID_ARGUMENT: dimensions must have one result dimension per operand dimension; got [] for s32[2]");
  EXPECT_EQ(error_of(shape_of(Opcode::kBroadcast, {row}, broadcast_dimensions({2}), kMatrix)),
            "INVALID_ARGUMENT: dimensions 2 out of range for s32[2,3] of rank 2");
  EXPECT_EQ(error_of(shape_of(Opcode::kBroadcast, {row}, broadcast_dimensions({1}), kMatrix)),
            "INVALID_ARGUMENT: operand s32[2] dimension 0 is 2, result s32[2,3] dimension 1 is 3. Hint: reshape "
            "degenerate dimensions away first");
  EXPECT_EQ(error_of(shape_of(Opcode::kBroadcast, {kMatrix}, broadcast_dimensions({0, 0}), kMatrix)),
            "INVALID_ARGUMENT: dimensions 0 appears twice in [0,0]");
}

TEST(Transpose, PermutesDimensions) {
  EXPECT_EQ(text_of(run_op(Opcode::kTranspose, {matrix()}, permutation({1, 0}))), "s32[3,2] {{1, 4}, {2, 5}, {3, 6}}");
  std::vector<int8_t> values(24);
  for (size_t i = 0; i < 24; ++i) values[i] = static_cast<int8_t>(i);
  const int64_t extents[] = {2, 3, 4};
  const StatusOr<Literal> turned =
      run_op(Opcode::kTranspose, {Literal::array<int8_t>(extents, values)}, permutation({2, 0, 1}));
  ASSERT_TRUE(turned.ok());
  EXPECT_EQ(turned->shape().to_string(), "s8[4,2,3]");
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      for (int64_t k = 0; k < 3; ++k)
        EXPECT_EQ(turned->data<int8_t>()[static_cast<size_t>((i * 2 + j) * 3 + k)], j * 12 + k * 4 + i);
    }
  }
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  EXPECT_EQ(error_of(shape_of(Opcode::kTranspose, {kMatrix}, permutation({0}))),
            "INVALID_ARGUMENT: dimensions [0] are not a permutation of the 2 dimensions of s32[2,3]");
  EXPECT_EQ(error_of(shape_of(Opcode::kTranspose, {kMatrix}, permutation({0, 0}))),
            "INVALID_ARGUMENT: dimensions 0 appears twice in [0,0]");
  EXPECT_EQ(error_of(shape_of(Opcode::kTranspose, {kMatrix}, permutation({0, -1}))),
            "INVALID_ARGUMENT: dimensions -1 out of range for s32[2,3] of rank 2");
}

TEST(Reverse, TurnsDimensionsAround) {
  EXPECT_EQ(text_of(run_op(Opcode::kReverse, {matrix()}, reversed({1}))), "s32[2,3] {{3, 2, 1}, {6, 5, 4}}");
  EXPECT_EQ(text_of(run_op(Opcode::kReverse, {matrix()}, reversed({0, 1}))), "s32[2,3] {{6, 5, 4}, {3, 2, 1}}");
  EXPECT_EQ(text_of(run_op(Opcode::kReverse, {Literal(Shape::array(ElementType::kF16, {0, 2}))}, reversed({0}))),
            "f16[0,2] {}");
  EXPECT_EQ(error_of(shape_of(Opcode::kReverse, {kMatrix}, reversed({5}))),
            "INVALID_ARGUMENT: dimensions 5 out of range for s32[2,3] of rank 2");
}

TEST(BitcastConvert, ReadsTheSameBytes) {
  EXPECT_EQ(
      text_of(run_op(Opcode::kBitcastConvert, {Literal::scalar(1.0f)}, nullptr, Shape::scalar(ElementType::kU32))),
      "u32[] 1065353216");
  EXPECT_EQ(text_of(run_op(Opcode::kBitcastConvert, {Literal::scalar<uint32_t>(0x01020304)}, nullptr,
                           Shape::array(ElementType::kU8, {4}))),
            "u8[4] {4, 3, 2, 1}");
  EXPECT_EQ(text_of(run_op(Opcode::kBitcastConvert, {Literal::array<uint32_t>({2, 2}, {1, 0, 0, 1})}, nullptr,
                           Shape::array(ElementType::kU64, {2}))),
            "u64[2] {1, 4294967296}");
  EXPECT_EQ(text_of(run_op(Opcode::kBitcastConvert, {Literal::array<uint8_t>({2}, {0, 200})}, nullptr,
                           Shape::array(ElementType::kPred, {2}))),
            "pred[2] {false, true}");
}

TEST(BitcastConvert, JoinsAndSplitsNarrowElementsLowOnesFirst) {
  EXPECT_EQ(text_of(run_op(Opcode::kBitcastConvert, {Literal::array<uint8_t>({2}, {0x1f, 0x80})}, nullptr,
                           Shape::array(ElementType::kS4, {2, 2}))),
            "s4[2,2] {{-1, 1}, {0, -8}}");
  EXPECT_EQ(
      text_of(run_op(Opcode::kBitcastConvert, {Literal::array<uint4>({4}, {uint4(1), uint4(2), uint4(3), uint4(15)})},
                     nullptr, Shape::scalar(ElementType::kU16))),
      "u16[] 62241");
  EXPECT_EQ(text_of(run_op(Opcode::kBitcastConvert, {Literal::array<uint4>({2}, {uint4(7), uint4(9)})}, nullptr,
                           Shape::array(ElementType::kS4, {2}))),
            "s4[2] {7, -7}");
}

TEST(BitcastConvert, ErrorsNameTheWidths) {
  const Shape bytes = Shape::array(ElementType::kU8, {3});
  EXPECT_EQ(error_of(shape_of(Opcode::kBitcastConvert, {bytes}, nullptr, Shape::scalar(ElementType::kU32))),
            "INVALID_ARGUMENT: to make u32, the last dimension of u8[3] must be 4");
  EXPECT_EQ(error_of(shape_of(Opcode::kBitcastConvert, {bytes}, nullptr, Shape::array(ElementType::kS8, {4}))),
            "INVALID_ARGUMENT: declared shape is s8[4]; the operands imply s8[3]");
  EXPECT_EQ(error_of(shape_of(Opcode::kBitcastConvert, {Shape::scalar(ElementType::kC64)}, nullptr,
                              Shape::scalar(ElementType::kU64))),
            "INVALID_ARGUMENT: complex numbers convert only to complex numbers; got c64[] to u64[]");
  EXPECT_EQ(error_of(shape_of(Opcode::kBitcastConvert, {Shape::scalar(ElementType::kS4)}, nullptr,
                              Shape::scalar(ElementType::kU8))),
            "INVALID_ARGUMENT: to make u8, the last dimension of s4[] must be 2");
}

TEST(Iota, CountsAlongOneDimension) {
  EXPECT_EQ(text_of(run_op(Opcode::kIota, {}, iota_dimension(1), kMatrix)), "s32[2,3] {{0, 1, 2}, {0, 1, 2}}");
  EXPECT_EQ(text_of(run_op(Opcode::kIota, {}, iota_dimension(0), Shape::array(ElementType::kBf16, {3, 2}))),
            "bf16[3,2] {{0, 0}, {1, 1}, {2, 2}}");
  EXPECT_EQ(text_of(run_op(Opcode::kIota, {}, iota_dimension(0), Shape::array(ElementType::kC64, {2}))),
            "c64[2] {(0, 0), (1, 0)}");
  const StatusOr<Literal> wrapped = run_op(Opcode::kIota, {}, iota_dimension(0), Shape::array(ElementType::kS8, {130}));
  ASSERT_TRUE(wrapped.ok());
  EXPECT_EQ(wrapped->data<int8_t>()[129], -127);
  EXPECT_EQ(text_of(run_op(Opcode::kIota, {}, iota_dimension(0), Shape::array(ElementType::kU2, {6}))),
            "u2[6] {0, 1, 2, 3, 0, 1}");
}

TEST(Iota, ErrorsNameTheDimension) {
  EXPECT_EQ(error_of(shape_of(Opcode::kIota, {}, iota_dimension(2), kMatrix)),
            "INVALID_ARGUMENT: iota_dimension 2 out of range for s32[2,3] of rank 2");
  EXPECT_EQ(error_of(shape_of(Opcode::kIota, {}, iota_dimension(0), Shape::array(ElementType::kPred, {2}))),
            "INVALID_ARGUMENT: the result must be numbers; got pred[2]");
}

TEST(Constant, KeepsItsValueUnderAnyLayout) {
  auto attributes = std::make_shared<ConstantAttributes>();
  attributes->value = matrix();
  const int64_t column_major[] = {0, 1};
  const Shape declared = kMatrix.with_layout(column_major);
  EXPECT_EQ(text_of(run_op(Opcode::kConstant, {}, attributes, declared)), "s32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  EXPECT_EQ(error_of(shape_of(Opcode::kConstant, {}, attributes, Shape::array(ElementType::kS32, {6}))),
            "INVALID_ARGUMENT: declared shape is s32[6]; the operands imply s32[2,3]");
}

TEST(Reshape, MemoryThatIsNotThereIsAnError) {
  const Shape huge = Shape::array(ElementType::kF32, {int64_t{1} << 60});
  const StatusOr<Literal> result = run_op(Opcode::kBroadcast, {Literal::scalar(1.0f)}, broadcast_dimensions({}), huge);
  const std::string wanted =
      "RESOURCE_EXHAUSTED: broadcast 'op': literal f32[1152921504606846976]: buffer: out of memory; wanted 4.00 EiB "
      "(4611686018427387904 bytes); free ";
  EXPECT_EQ(error_of(result).substr(0, wanted.size()), wanted);
}

}  // namespace
}  // namespace hilo::hlo
