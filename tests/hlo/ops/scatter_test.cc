// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/scatter.h"

#include <limits>

#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

/// The body (current, update) -> update.
ComputationPtr assign_body(ElementType type) {
  Builder builder("assign");
  builder.parameter(Shape::scalar(type));
  return *std::move(builder).build(builder.parameter(Shape::scalar(type)));
}

/// x[indices] op= updates along dimension 0 of a matrix.
ScatterAttributes rows(ComputationPtr body) {
  ScatterAttributes a;
  a.update_window_dims = {1};
  a.inserted_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  a.to_apply = std::move(body);
  return a;
}

/// x[indices] op= updates of a vector.
ScatterAttributes elements(ComputationPtr body) {
  ScatterAttributes a = rows(std::move(body));
  a.update_window_dims = {};
  return a;
}

StatusOr<Literal> scatter(const std::vector<Literal>& operands, const ScatterAttributes& a) {
  return run_op(Opcode::kScatter, operands, std::make_shared<ScatterAttributes>(a));
}

const Literal kMatrix = Literal::array<float>({3, 2}, {1, 2, 3, 4, 5, 6});
const Literal kVector = Literal::array<int32_t>({4}, {1, 2, 3, 4});

ComputationPtr add_body(ElementType type) { return body_of(Opcode::kAdd, type); }

TEST(Scatter, AddsRows) {
  const Literal updates = Literal::array<float>({2, 2}, {10, 20, 30, 40});
  EXPECT_EQ(
      text_of(scatter({kMatrix, Literal::array<int32_t>({2}, {2, 0}), updates}, rows(add_body(ElementType::kF32)))),
      "f32[3,2] {{31, 42}, {3, 4}, {15, 26}}");
}

TEST(Scatter, AppliesRepeatedIndicesInOrder) {
  const Literal updates = Literal::array<int32_t>({3}, {10, 20, 30});
  const Literal indices = Literal::array<int32_t>({3}, {1, 1, 1});
  EXPECT_EQ(text_of(scatter({kVector, indices, updates}, elements(add_body(ElementType::kS32)))),
            "s32[4] {1, 62, 3, 4}");
  EXPECT_EQ(text_of(scatter({kVector, indices, updates}, elements(assign_body(ElementType::kS32)))),
            "s32[4] {1, 30, 3, 4}");
  EXPECT_EQ(text_of(scatter({kVector, indices, updates}, elements(body_of(Opcode::kSubtract, ElementType::kS32)))),
            "s32[4] {1, -58, 3, 4}");
}

TEST(Scatter, DropsIndicesOutOfBounds) {
  const Literal updates = Literal::array<int32_t>({4}, {10, 20, 30, 40});
  EXPECT_EQ(text_of(scatter({kVector, Literal::array<int32_t>({4}, {-1, 3, 4, 0}), updates},
                            elements(add_body(ElementType::kS32)))),
            "s32[4] {41, 2, 3, 24}");
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(text_of(scatter({kVector, Literal::array<uint64_t>({4}, {kMax, kMax - 1, 4, 0}), updates},
                            elements(add_body(ElementType::kS32)))),
            "s32[4] {41, 2, 3, 4}");
}

TEST(Scatter, DropsAWindowThatIsPartlyOutOfBounds) {
  ScatterAttributes a = rows(assign_body(ElementType::kS32));
  a.update_window_dims = {1};
  a.inserted_window_dims = {};
  const Literal updates = Literal::array<int32_t>({3, 2}, {10, 20, 30, 40, 50, 60});
  EXPECT_EQ(text_of(scatter({kVector, Literal::array<int32_t>({3}, {3, 1, -1}), updates}, a)), "s32[4] {1, 30, 40, 4}");
}

TEST(Scatter, WritesSingleElementsByIndexVectors) {
  ScatterAttributes a;
  a.inserted_window_dims = {0, 1};
  a.scatter_dims_to_operand_dims = {1, 0};
  a.index_vector_dim = 1;
  a.to_apply = assign_body(ElementType::kF32);
  EXPECT_EQ(
      text_of(scatter({kMatrix, Literal::array<int32_t>({2, 2}, {1, 0, 0, 2}), Literal::array<float>({2}, {9, 8})}, a)),
      "f32[3,2] {{1, 9}, {3, 4}, {8, 6}}");
}

TEST(Scatter, FollowsBatchingDimensions) {
  // For each row b: x[b, indices[b]] += updates[b].
  ScatterAttributes a;
  a.inserted_window_dims = {1};
  a.scatter_dims_to_operand_dims = {1};
  a.input_batching_dims = {0};
  a.scatter_indices_batching_dims = {0};
  a.index_vector_dim = 1;
  a.to_apply = add_body(ElementType::kF32);
  EXPECT_EQ(
      text_of(scatter({kMatrix, Literal::array<int32_t>({3}, {1, 0, 2}), Literal::array<float>({3}, {10, 20, 30})}, a)),
      "f32[3,2] {{1, 12}, {23, 4}, {5, 6}}");
}

TEST(Scatter, TakesScalarIndicesAndWholeWindows) {
  ScatterAttributes a = rows(assign_body(ElementType::kF32));
  a.update_window_dims = {0};
  a.index_vector_dim = 0;
  EXPECT_EQ(text_of(scatter({kMatrix, Literal::scalar<int32_t>(1), Literal::array<float>({2}, {9, 8})}, a)),
            "f32[3,2] {{1, 2}, {9, 8}, {5, 6}}");
}

TEST(Scatter, WithoutUpdatesReturnsTheArray) {
  EXPECT_EQ(text_of(scatter(
                {kVector, Literal(Shape::array(ElementType::kS32, {0})), Literal(Shape::array(ElementType::kS32, {0}))},
                elements(add_body(ElementType::kS32)))),
            "s32[4] {1, 2, 3, 4}");
}

TEST(Scatter, IntoAnEmptyArrayDropsAll) {
  EXPECT_EQ(text_of(scatter({Literal(Shape::array(ElementType::kS32, {0})), Literal::array<int32_t>({1}, {0}),
                             Literal::array<int32_t>({1}, {5})},
                            elements(add_body(ElementType::kS32)))),
            "s32[0] {}");
}

TEST(Scatter, LeavesItsOperandAlone) {
  const Literal before = kVector;
  ASSERT_TRUE(scatter({kVector, Literal::array<int32_t>({1}, {0}), Literal::array<int32_t>({1}, {5})},
                      elements(add_body(ElementType::kS32)))
                  .ok());
  EXPECT_EQ(before.to_string(), "s32[4] {1, 2, 3, 4}");
}

/// Two arrays: (a, b, u, v) -> (a + v, b * u), so that each result reads both updates.
TEST(Scatter, CombinesSeveralArraysTogether) {
  Builder b("crossed");
  const Shape f = Shape::scalar(ElementType::kF32);
  const InstructionId x = b.parameter(f), y = b.parameter(f), u = b.parameter(f), v = b.parameter(f);
  StatusOr<InstructionId> sum = b.add(Opcode::kAdd, {x, v}), product = b.add(Opcode::kMultiply, {y, u});
  ASSERT_TRUE(sum.ok() && product.ok());
  ScatterAttributes a = elements(*std::move(b).build(b.tuple({*sum, *product})));
  const Literal first = Literal::array<float>({2}, {1, 2}), second = Literal::array<float>({2}, {3, 4});
  EXPECT_EQ(text_of(scatter({first, second, Literal::array<int32_t>({1}, {1}), Literal::array<float>({1}, {10}),
                             Literal::array<float>({1}, {100})},
                            a)),
            "(f32[2] {1, 102}, f32[2] {3, 40})");
}

template <typename T>
class ScatterTypes : public testing::Test {};
using AllTypes = testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float16,
                                bfloat16, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ScatterTypes, AllTypes);

TYPED_TEST(ScatterTypes, Adds) {
  const auto vector = [](float a, float b) {
    return Literal::array<TypeParam>({2}, {static_cast<TypeParam>(a), static_cast<TypeParam>(b)});
  };
  StatusOr<Literal> result = scatter({vector(1, 2), Literal::array<int32_t>({2}, {1, 1}), vector(3, 4)},
                                     elements(add_body(element_type_of<TypeParam>)));
  ASSERT_TRUE(result.ok()) << result.status().to_string();
  EXPECT_TRUE(result->identical(vector(1, 9)));
}

/// One valid scatter; each test breaks one property.
class ScatterErrors : public testing::Test {
 protected:
  ScatterErrors() {
    a_.update_window_dims = {1};
    a_.inserted_window_dims = {1};
    a_.scatter_dims_to_operand_dims = {1};
    a_.input_batching_dims = {0};
    a_.scatter_indices_batching_dims = {0};
    a_.index_vector_dim = 1;
    a_.to_apply = add_body(ElementType::kF32);
  }
  std::string error() const {
    return error_of(shape_of(Opcode::kScatter, operands_, std::make_shared<ScatterAttributes>(a_)));
  }
  std::vector<Shape> operands_ = {Shape::array(ElementType::kF32, {3, 4, 5}), Shape::array(ElementType::kS32, {3, 1}),
                                  Shape::array(ElementType::kF32, {3, 5})};
  ScatterAttributes a_;
};

TEST_F(ScatterErrors, NoneForAValidScatter) { EXPECT_EQ(error(), "OK"); }

TEST_F(ScatterErrors, OperandCount) {
  operands_.push_back(operands_[2]);
  EXPECT_EQ(error(), "INVALID_ARGUMENT: got 4 operands, wanted n arrays, the indices and n updates");
  operands_.resize(1, Shape());
  EXPECT_EQ(error(), "INVALID_ARGUMENT: got 1 operands, wanted n arrays, the indices and n updates");
}

TEST_F(ScatterErrors, ArraysOrUpdatesOfDifferentShapes) {
  const std::vector<Shape> valid = operands_;
  operands_ = {valid[0], Shape::array(ElementType::kF32, {3}), valid[1], valid[2], valid[2]};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: arrays differ in shape; array 0 is f32[3,4,5], array 1 is f32[3]");
  operands_ = {valid[0], valid[0], valid[1], valid[2], Shape::array(ElementType::kF32, {3})};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: updates differ in shape; update 0 is f32[3,5], update 1 is f32[3]");
}

TEST_F(ScatterErrors, UpdateOfAnotherType) {
  operands_[2] = Shape::array(ElementType::kS32, {3, 5});
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: element types differ; array 0 is f32[3,4,5], its update is s32[3,5]. Hint: convert the "
            "update");
}

TEST_F(ScatterErrors, UpdateWindowDims) {
  a_.update_window_dims = {2};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: update_window_dims 2 out of range for f32[3,5] of rank 2");
  a_.inserted_window_dims = {};
  a_.update_window_dims = {1, 0};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: update_window_dims: not in ascending order; got {1,0}");
}

TEST_F(ScatterErrors, UpdateDoesNotMatchTheIndices) {
  operands_[2] = Shape::array(ElementType::kF32, {2, 5});
  EXPECT_EQ(error(), "INVALID_ARGUMENT: update f32[2,5] has scatter dimensions {2}; the indices s32[3,1] give {3}");
}

TEST_F(ScatterErrors, WindowLargerThanTheArray) {
  operands_[2] = Shape::array(ElementType::kF32, {3, 6});
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: window is larger than the array; update f32[3,6] dim 1 = 6, array f32[3,4,5] dim 2 = 5");
}

TEST_F(ScatterErrors, DimensionNumbers) {
  a_.inserted_window_dims = {0};
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: inserted_window_dims and input_batching_dims share dimension 0; got {0} and {0}, wanted "
            "each dimension in one of them");
  a_.inserted_window_dims = {1};
  a_.index_vector_dim = 5;
  EXPECT_EQ(error(), "INVALID_ARGUMENT: index_vector_dim: got 5, wanted 0 to 2, the rank of the indices s32[3,1]");
  a_.index_vector_dim = 1;
  a_.scatter_dims_to_operand_dims = {};
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: scatter_dims_to_operand_dims: got {}, 0 dimensions; an index vector of s32[3,1] along "
            "dimension 1 has 1");
}

TEST_F(ScatterErrors, BodyOfAnotherType) {
  a_.to_apply = add_body(ElementType::kF64);
  EXPECT_EQ(error(), "INVALID_ARGUMENT: to_apply 'add.f64': parameter 0 is f64[], wanted f32[]");
  a_.to_apply = nullptr;
  EXPECT_EQ(error(), "INVALID_ARGUMENT: to_apply: the computation is missing");
}

TEST(Scatter, NamesItsAttributesAsHloTextDoes) {
  EXPECT_EQ(field_names(Opcode::kScatter),
            (std::vector<std::string_view>{"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
                                           "input_batching_dims", "scatter_indices_batching_dims", "index_vector_dim",
                                           "indices_are_sorted", "unique_indices", "hilo.index_mode", "to_apply"}));
}

}  // namespace
}  // namespace hilo::hlo
