// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/reduce.h"

#include <cmath>
#include <limits>

#include "hilo/hlo/ops/elementwise.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

AttributesPtr reduce_over(Int64List dimensions, ComputationPtr body) {
  auto attributes = std::make_shared<ReduceAttributes>();
  attributes->dimensions = std::move(dimensions);
  attributes->to_apply = std::move(body);
  return attributes;
}

template <typename T>
Literal reduced(Opcode opcode, const Literal& array, T initial, Int64List dimensions) {
  const AttributesPtr attributes = reduce_over(std::move(dimensions), body_of(opcode, array.shape().element_type()));
  StatusOr<Literal> result = run_op(Opcode::kReduce, {array, Literal::scalar(initial)}, attributes);
  EXPECT_TRUE(result.ok()) << result.status().to_string();
  return result.ok() ? *result : Literal();
}

/// (a, b) -> a - b: neither associative nor commutative.
ComputationPtr subtract_body(ElementType type) { return body_of(Opcode::kSubtract, type); }

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Reduce, SumsOverAnyDimensions) {
  const Literal a = Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(reduced<float>(Opcode::kAdd, a, 0, {0}).to_string(), "f32[3] {5, 7, 9}");
  EXPECT_EQ(reduced<float>(Opcode::kAdd, a, 0, {1}).to_string(), "f32[2] {6, 15}");
  EXPECT_EQ(reduced<float>(Opcode::kAdd, a, 0, {0, 1}).to_string(), "f32[] 21");
  EXPECT_EQ(reduced<float>(Opcode::kAdd, a, 0, {1, 0}).to_string(), "f32[] 21");
  EXPECT_TRUE(reduced<float>(Opcode::kAdd, a, 0, {}).identical(a));
}

TEST(Reduce, SumsOverTheMiddleOfThreeDimensions) {
  const Literal a = Literal::array<int32_t>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(reduced<int32_t>(Opcode::kAdd, a, 0, {1}).to_string(), "s32[2,2] {{9, 12}, {27, 30}}");
  EXPECT_EQ(reduced<int32_t>(Opcode::kAdd, a, 0, {0, 2}).to_string(), "s32[3] {18, 26, 34}");
}

TEST(Reduce, CountsTheInitialValueOnce) {
  const Literal a = Literal::array<float>({4}, {1, 2, 3, 4});
  EXPECT_EQ(reduced<float>(Opcode::kAdd, a, 100, {0}).to_string(), "f32[] 110");
  EXPECT_EQ(reduced<float>(Opcode::kMaximum, a, 9, {0}).to_string(), "f32[] 9");
}

TEST(Reduce, AddsFewFromLeftToRightAndManyByHalves) {
  const auto sum_of = [](int64_t count) {
    Literal ones = filled(Shape::array(ElementType::kF32, {count}), 1);
    ones.data<float>()[0] = 0x1p24F;  // adding one to it has no effect
    return reduced<float>(Opcode::kAdd, ones, 0, {0}).to_string();
  };
  EXPECT_EQ(sum_of(32), "f32[] 16777216");
  EXPECT_EQ(sum_of(64), "f32[] 16777248");
}

TEST(Reduce, KnowsEveryKindOfBody) {
  const Literal a = Literal::array<int32_t>({3}, {12, 10, 6});
  EXPECT_EQ(reduced<int32_t>(Opcode::kMultiply, a, 1, {0}).to_string(), "s32[] 720");
  EXPECT_EQ(reduced<int32_t>(Opcode::kMaximum, a, 0, {0}).to_string(), "s32[] 12");
  EXPECT_EQ(reduced<int32_t>(Opcode::kMinimum, a, 99, {0}).to_string(), "s32[] 6");
  EXPECT_EQ(reduced<int32_t>(Opcode::kAnd, a, -1, {0}).to_string(), "s32[] 0");
  EXPECT_EQ(reduced<int32_t>(Opcode::kOr, a, 0, {0}).to_string(), "s32[] 14");
  EXPECT_EQ(reduced<int32_t>(Opcode::kXor, a, 0, {0}).to_string(), "s32[] 0");
  const Literal p = Literal::array<bool>({2, 2}, {true, false, true, true});
  EXPECT_EQ(reduced<bool>(Opcode::kAnd, p, true, {0}).to_string(), "pred[2] {true, false}");
  EXPECT_EQ(reduced<bool>(Opcode::kOr, p, false, {0}).to_string(), "pred[2] {true, true}");
  EXPECT_EQ(reduced<bool>(Opcode::kXor, p, false, {0}).to_string(), "pred[2] {false, true}");
}

TEST(Reduce, MaximumAndMinimumKeepNan) {
  const Literal a = Literal::array<float>({2, 2}, {1, kNan, -kInfinity, 3});
  EXPECT_EQ(reduced<float>(Opcode::kMaximum, a, -kInfinity, {1}).to_string(), "f32[2] {nan, 3}");
  EXPECT_EQ(reduced<float>(Opcode::kMinimum, a, kInfinity, {1}).to_string(), "f32[2] {nan, -inf}");
}

TEST(Reduce, OverNothingGivesTheInitialValue) {
  EXPECT_EQ(reduced<float>(Opcode::kAdd, Literal(Shape::array(ElementType::kF32, {2, 0})), 7, {1}).to_string(),
            "f32[2] {7, 7}");
  EXPECT_EQ(reduced<float>(Opcode::kAdd, Literal(Shape::array(ElementType::kF32, {2, 0})), 7, {0}).to_string(),
            "f32[0] {}");
  EXPECT_EQ(reduced<float>(Opcode::kMultiply, Literal::scalar(3.0f), 2, {}).to_string(), "f32[] 6");
}

TEST(Reduce, SumsOfHalvesRoundOnce) {
  // Rounding at every step would stop at 2048 (f16) and 256 (bf16).
  const Literal half = Literal::array<float16>(std::vector<int64_t>{3000}, std::vector<float16>(3000, float16(1.0f)));
  EXPECT_EQ(reduced(Opcode::kAdd, half, float16(0.0f), {0}).to_string(), "f16[] 3000");
  const Literal brain =
      Literal::array<bfloat16>(std::vector<int64_t>{1000}, std::vector<bfloat16>(1000, bfloat16(1.0f)));
  EXPECT_EQ(reduced(Opcode::kAdd, brain, bfloat16(0.0f), {0}).to_string(), "bf16[] 1000");
}

TEST(Reduce, ErrorOfALongSumStaysSmall) {
  const std::vector<float> values(1000000, 0.1f);
  const Literal a = Literal::array<float>(std::vector<int64_t>{1000000}, values);
  const float sum = reduced<float>(Opcode::kAdd, a, 0, {0}).data<float>()[0];
  EXPECT_NEAR(sum, 1e6 * static_cast<double>(0.1f), 0.05);  // a left-to-right sum would be off by 958
}

template <typename T>
class ReduceTypes : public testing::Test {};
using AllTypes = testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float16,
                                bfloat16, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ReduceTypes, AllTypes);

TYPED_TEST(ReduceTypes, AddsAndMultiplies) {
  const auto value = [](float v) { return static_cast<TypeParam>(v); };
  const std::vector<TypeParam> values = {value(1), value(2), value(3), value(4)};
  const Literal a = Literal::array<TypeParam>(std::vector<int64_t>{4}, values);
  EXPECT_TRUE(reduced(Opcode::kAdd, a, value(0), {0}).identical(Literal::scalar(value(10))));
  EXPECT_TRUE(reduced(Opcode::kMultiply, a, value(1), {0}).identical(Literal::scalar(value(24))));
}

TEST(Reduce, IntegersWrap) {
  const Literal a = Literal::array<int8_t>({3}, {100, 100, 100});
  EXPECT_EQ(reduced<int8_t>(Opcode::kAdd, a, 0, {0}).to_string(), "s8[] 44");
}

TEST(Reduce, FoldsAnyOtherBodyFromTheLeft) {
  const AttributesPtr attributes = reduce_over({1}, subtract_body(ElementType::kF32));
  const Literal a = Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(text_of(run_op(Opcode::kReduce, {a, Literal::scalar(10.0f)}, attributes)), "f32[2] {4, -5}");
}

TEST(Reduce, MayAccumulateInAWiderType) {
  Builder builder("widen");
  const InstructionId x = builder.parameter(Shape::scalar(ElementType::kF32));
  const InstructionId y = builder.parameter(Shape::scalar(ElementType::kF16));
  StatusOr<InstructionId> wide = builder.add(Opcode::kConvert, {y}, nullptr, Shape::scalar(ElementType::kF32));
  ASSERT_TRUE(wide.ok());
  StatusOr<InstructionId> root = builder.add(Opcode::kAdd, {x, *wide});
  ASSERT_TRUE(root.ok());
  const AttributesPtr attributes = reduce_over({0}, *std::move(builder).build(*root));
  const Literal a = Literal::array<float16>({2}, {float16(60000.0f), float16(60000.0f)});
  EXPECT_EQ(text_of(run_op(Opcode::kReduce, {a, Literal::scalar(0.0f)}, attributes)), "f32[] 120000");
}

/// The body of JAX's argmax over (value, index) pairs.
StatusOr<ComputationPtr> argmax_body() {
  Builder b("argmax");
  const Shape f = Shape::scalar(ElementType::kF32), s = Shape::scalar(ElementType::kS32);
  const InstructionId x = b.parameter(f), i = b.parameter(s), y = b.parameter(f), j = b.parameter(s);
  const auto compare = [&](ComparisonDirection direction, InstructionId p, InstructionId q) {
    auto attributes = std::make_shared<CompareAttributes>();
    attributes->direction = direction;
    return b.add(Opcode::kCompare, {p, q}, attributes);
  };
  HILO_ASSIGN_OR_RETURN(const InstructionId greater, compare(ComparisonDirection::kGt, x, y));
  HILO_ASSIGN_OR_RETURN(const InstructionId nan, compare(ComparisonDirection::kNe, x, x));
  HILO_ASSIGN_OR_RETURN(const InstructionId keep, b.add(Opcode::kOr, {greater, nan}));
  HILO_ASSIGN_OR_RETURN(const InstructionId equal, compare(ComparisonDirection::kEq, x, y));
  HILO_ASSIGN_OR_RETURN(const InstructionId first, compare(ComparisonDirection::kLt, i, j));
  HILO_ASSIGN_OR_RETURN(const InstructionId tie, b.add(Opcode::kAnd, {equal, first}));
  HILO_ASSIGN_OR_RETURN(const InstructionId keep_index, b.add(Opcode::kOr, {keep, tie}));
  HILO_ASSIGN_OR_RETURN(const InstructionId value, b.add(Opcode::kSelect, {keep, x, y}));
  HILO_ASSIGN_OR_RETURN(const InstructionId index, b.add(Opcode::kSelect, {keep_index, i, j}));
  return std::move(b).build(b.tuple({value, index}));
}

TEST(Reduce, ReducesSeveralArraysTogether) {
  StatusOr<ComputationPtr> body = argmax_body();
  ASSERT_TRUE(body.ok()) << body.status().to_string();
  const Literal values = Literal::array<float>({2, 4}, {1, 7, 7, 2, 3, kNan, 9, 1});
  const Literal indices = Literal::array<int32_t>({2, 4}, {0, 1, 2, 3, 0, 1, 2, 3});
  EXPECT_EQ(text_of(run_op(Opcode::kReduce, {values, indices, Literal::scalar(-kInfinity), Literal::scalar(0)},
                           reduce_over({1}, *body))),
            "(f32[2] {7, nan}, s32[2] {1, 1})");
}

class ReduceErrors : public testing::Test {
 protected:
  const Shape scalar_ = Shape::scalar(ElementType::kF32);
  const Shape matrix_ = Shape::array(ElementType::kF32, {2, 3});
  const ComputationPtr add_ = body_of(Opcode::kAdd, ElementType::kF32);

  std::string error(const std::vector<Shape>& operands, Int64List dimensions) {
    return error_of(shape_of(Opcode::kReduce, operands, reduce_over(std::move(dimensions), add_)));
  }
};

TEST_F(ReduceErrors, OddNumberOfOperands) {
  EXPECT_EQ(error({matrix_}, {0}), "INVALID_ARGUMENT: got 1 operands, wanted n arrays and n initial values");
  EXPECT_EQ(error({}, {0}), "INVALID_ARGUMENT: got 0 operands, wanted n arrays and n initial values");
}

TEST_F(ReduceErrors, ArraysOfDifferentShapes) {
  EXPECT_EQ(error({matrix_, scalar_.with_dimensions(std::vector<int64_t>{3, 2}), scalar_, scalar_}, {0}),
            "INVALID_ARGUMENT: arrays differ in shape; operand 0 is f32[2,3], operand 1 is f32[3,2]");
}

TEST_F(ReduceErrors, InitialValueThatIsNoScalar) {
  EXPECT_EQ(error({matrix_, matrix_}, {0}),
            "INVALID_ARGUMENT: initial value 0 is f32[2,3], wanted the scalar f32[]. Hint: operands are all arrays, "
            "then all initial values");
}

TEST_F(ReduceErrors, DimensionOutOfRangeOrTwice) {
  EXPECT_EQ(error({matrix_, scalar_}, {2}), "INVALID_ARGUMENT: dimensions 2 out of range for f32[2,3] of rank 2");
  EXPECT_EQ(error({matrix_, scalar_}, {-1}), "INVALID_ARGUMENT: dimensions -1 out of range for f32[2,3] of rank 2");
  EXPECT_EQ(error({matrix_, scalar_}, {1, 1}), "INVALID_ARGUMENT: dimensions 1 appears twice in [1,1]");
}

TEST_F(ReduceErrors, BodyOfOtherTypes) {
  const Shape ints = Shape::array(ElementType::kS32, {2, 3}), integer = Shape::scalar(ElementType::kS32);
  EXPECT_EQ(error({ints, integer}, {0}), "INVALID_ARGUMENT: to_apply 'add.f32': parameter 0 is f32[], wanted s32[]");
  EXPECT_EQ(error({ints, scalar_}, {0}), "INVALID_ARGUMENT: to_apply 'add.f32': parameter 1 is f32[], wanted s32[]");
  EXPECT_EQ(error({matrix_, matrix_, scalar_, scalar_}, {0}),
            "INVALID_ARGUMENT: to_apply 'add.f32': takes 2 parameters, wanted 4: f32[], f32[], f32[], f32[]");
}

TEST_F(ReduceErrors, NoBody) {
  EXPECT_EQ(error_of(shape_of(Opcode::kReduce, {matrix_, scalar_}, reduce_over({0}, nullptr))),
            "INVALID_ARGUMENT: to_apply: the computation is missing");
}

TEST_F(ReduceErrors, BodyThatReturnsAnotherType) {
  Builder builder("less");
  const InstructionId x = builder.parameter(scalar_), y = builder.parameter(scalar_);
  StatusOr<InstructionId> root = builder.add(Opcode::kCompare, {x, y}, std::make_shared<CompareAttributes>());
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(error_of(shape_of(Opcode::kReduce, {matrix_, scalar_}, reduce_over({0}, *std::move(builder).build(*root)))),
            "INVALID_ARGUMENT: to_apply 'less': returns pred[], wanted f32[]");
}

TEST(Reduce, NamesItsAttributesAsHloTextDoes) {
  EXPECT_EQ(field_names(Opcode::kReduce), (std::vector<std::string_view>{"dimensions", "to_apply"}));
}

}  // namespace
}  // namespace hilo::hlo
