// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/sort.h"

#include <algorithm>
#include <limits>

#include "hilo/hlo/ops/elementwise.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

/// Compares the first key; takes two parameters per operand.
ComputationPtr comparator(const std::vector<ElementType>& types,
                          ComparisonDirection direction = ComparisonDirection::kLt,
                          ComparisonType order = ComparisonType::kDefault) {
  Builder b("compare");
  std::vector<InstructionId> parameters;
  for (ElementType type : types) {
    parameters.push_back(b.parameter(Shape::scalar(type)));
    parameters.push_back(b.parameter(Shape::scalar(type)));
  }
  auto attributes = std::make_shared<CompareAttributes>();
  attributes->direction = direction;
  attributes->type = order;
  StatusOr<InstructionId> root = b.add(Opcode::kCompare, {parameters[0], parameters[1]}, attributes);
  EXPECT_TRUE(root.ok()) << root.status().to_string();
  return root.ok() ? *std::move(b).build(*root) : nullptr;
}

AttributesPtr sort_by(ComputationPtr compare, int64_t dimension = 0) {
  auto attributes = std::make_shared<SortAttributes>();
  attributes->dimensions = {dimension};
  attributes->to_apply = std::move(compare);
  return attributes;
}

TEST(Sort, OrdersAscendingAndDescending) {
  const Literal a = Literal::array<float>({5}, {3, 1, 4, 1, 5});
  EXPECT_EQ(text_of(run_op(Opcode::kSort, {a}, sort_by(comparator({ElementType::kF32})))), "f32[5] {1, 1, 3, 4, 5}");
  EXPECT_EQ(text_of(run_op(Opcode::kSort, {a}, sort_by(comparator({ElementType::kF32}, ComparisonDirection::kGt)))),
            "f32[5] {5, 4, 3, 1, 1}");
}

TEST(Sort, OrdersAlongAnyDimension) {
  const Literal a = Literal::array<int32_t>({3, 2}, {3, 1, 2, 9, 1, 5});
  const ComputationPtr less = comparator({ElementType::kS32});
  EXPECT_EQ(text_of(run_op(Opcode::kSort, {a}, sort_by(less, 0))), "s32[3,2] {{1, 1}, {2, 5}, {3, 9}}");
  EXPECT_EQ(text_of(run_op(Opcode::kSort, {a}, sort_by(less, 1))), "s32[3,2] {{1, 3}, {2, 9}, {1, 5}}");
}

TEST(Sort, KeepsTheOrderOfTiesAndMovesOperandsTogether) {
  const Literal keys = Literal::array<int32_t>({6}, {2, 1, 2, 1, 2, 1});
  const Literal places = Literal::array<uint8_t>({6}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(text_of(run_op(Opcode::kSort, {keys, places}, sort_by(comparator({ElementType::kS32, ElementType::kU8})))),
            "(s32[6] {1, 1, 1, 2, 2, 2}, u8[6] {1, 3, 5, 0, 2, 4})");
}

TEST(Sort, TotalOrderPutsNanLastAndTellsZerosApart) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Literal a = Literal::array<float>({6}, {nan, 0.0f, -0.0f, -1, std::numeric_limits<float>::infinity(), 2});
  const ComputationPtr less = comparator({ElementType::kF32}, ComparisonDirection::kLt, ComparisonType::kTotalOrder);
  EXPECT_EQ(text_of(run_op(Opcode::kSort, {a}, sort_by(less))), "f32[6] {-1, -0, 0, 2, inf, nan}");
}

TEST(Sort, SurvivesAComparatorThatIsNoOrder) {
  // IEEE order leaves NaN unordered, and kGe and kNe are no strict order. Any permutation is valid, but no element may
  // be lost.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Literal a = Literal::array<float>({7}, {3, nan, 1, nan, 2, nan, 0});
  for (ComparisonDirection direction : {ComparisonDirection::kLt, ComparisonDirection::kGe, ComparisonDirection::kNe}) {
    StatusOr<Literal> sorted = run_op(Opcode::kSort, {a}, sort_by(comparator({ElementType::kF32}, direction)));
    ASSERT_TRUE(sorted.ok());
    float sum = 0;
    int nans = 0;
    for (float value : std::as_const(*sorted).data<float>()) (value != value ? void(++nans) : void(sum += value));
    EXPECT_EQ(sum, 6);
    EXPECT_EQ(nans, 3);
  }
}

TEST(Sort, TakesEmptyAndOneElementRows) {
  const ComputationPtr less = comparator({ElementType::kF32});
  EXPECT_EQ(text_of(run_op(Opcode::kSort, {Literal(Shape::array(ElementType::kF32, {0}))}, sort_by(less))),
            "f32[0] {}");
  EXPECT_EQ(text_of(run_op(Opcode::kSort, {Literal::array<float>({1}, {7})}, sort_by(less))), "f32[1] {7}");
  EXPECT_EQ(text_of(run_op(Opcode::kSort, {Literal(Shape::array(ElementType::kF32, {0, 3}))}, sort_by(less, 1))),
            "f32[0,3] {}");
}

TEST(Sort, EqualsStdStableSortOnManyLengths) {
  uint32_t state = 1;
  for (int64_t length : {2, 3, 17, 64, 100}) {
    std::vector<int32_t> values;
    for (int64_t i = 0; i < length; ++i)
      values.push_back(static_cast<int32_t>((state = state * 1664525u + 1013904223u) >> 24));
    const Literal a = Literal::array<int32_t>(std::vector<int64_t>{length}, values);
    std::stable_sort(values.begin(), values.end());
    StatusOr<Literal> sorted = run_op(Opcode::kSort, {a}, sort_by(comparator({ElementType::kS32})));
    ASSERT_TRUE(sorted.ok());
    EXPECT_TRUE(sorted->identical(Literal::array<int32_t>(std::vector<int64_t>{length}, values)));
  }
}

std::string error(const std::vector<Shape>& operands, AttributesPtr attributes) {
  return error_of(shape_of(Opcode::kSort, operands, std::move(attributes)));
}

const Shape kRow = Shape::array(ElementType::kF32, {4});

TEST(SortErrors, NoOperands) {
  EXPECT_EQ(error({}, sort_by(nullptr)), "INVALID_ARGUMENT: got no operands, wanted at least one");
}

TEST(SortErrors, OperandsOfDifferentShapes) {
  EXPECT_EQ(error({kRow, Shape::array(ElementType::kS32, {5})}, sort_by(nullptr)),
            "INVALID_ARGUMENT: operands differ in shape; operand 0 is f32[4], operand 1 is s32[5]");
}

TEST(SortErrors, BadDimension) {
  EXPECT_EQ(error({kRow}, sort_by(nullptr, 1)), "INVALID_ARGUMENT: dimensions 1 out of range for f32[4] of rank 1");
  auto two = std::make_shared<SortAttributes>();
  two->dimensions = {0, 1};
  EXPECT_EQ(error({kRow}, two), "INVALID_ARGUMENT: dimensions: got {0,1}, wanted exactly one");
}

TEST(SortErrors, BadComparator) {
  EXPECT_EQ(error({kRow}, sort_by(nullptr)), "INVALID_ARGUMENT: to_apply: the computation is missing");
  EXPECT_EQ(error({kRow}, sort_by(comparator({ElementType::kS32}))),
            "INVALID_ARGUMENT: to_apply 'compare': parameter 0 is s32[], wanted f32[]");
  EXPECT_EQ(error({kRow, kRow}, sort_by(comparator({ElementType::kF32}))),
            "INVALID_ARGUMENT: to_apply 'compare': takes 2 parameters, wanted 4: f32[], f32[], f32[], f32[]");
  EXPECT_EQ(error({kRow}, sort_by(body_of(Opcode::kAdd, ElementType::kF32))),
            "INVALID_ARGUMENT: to_apply 'add.f32': returns f32[], wanted pred[]");
}

TEST(Sort, NamesItsAttributesAsHloTextDoes) {
  EXPECT_EQ(field_names(Opcode::kSort), (std::vector<std::string_view>{"dimensions", "is_stable", "to_apply"}));
}

}  // namespace
}  // namespace hilo::hlo
