// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/gather.h"

#include <limits>

#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

AttributesPtr boxed(const GatherAttributes& attributes) { return std::make_shared<GatherAttributes>(attributes); }

/// x[indices] along dimension 0 of a matrix with `columns` columns. Index vectors have one component and no dimension
/// of their own.
GatherAttributes take_rows(int64_t index_rank, int64_t columns) {
  GatherAttributes a;
  a.offset_dims = {index_rank};
  a.collapsed_slice_dims = {0};
  a.start_index_map = {0};
  a.index_vector_dim = index_rank;
  a.slice_sizes = {1, columns};
  return a;
}

std::string gathered(const Literal& array, const Literal& indices, const GatherAttributes& attributes) {
  return text_of(run_op(Opcode::kGather, {array, indices}, boxed(attributes)));
}

const Literal kMatrix = Literal::array<float>({3, 2}, {1, 2, 3, 4, 5, 6});

TEST(Gather, TakesRows) {
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({2}, {2, 0}), take_rows(1, 2)), "f32[2,2] {{5, 6}, {1, 2}}");
  EXPECT_EQ(gathered(kMatrix, Literal::scalar<int32_t>(1), take_rows(0, 2)), "f32[2] {3, 4}");
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({1, 3}, {0, 0, 1}), take_rows(2, 2)),
            "f32[1,3,2] {{{1, 2}, {1, 2}, {3, 4}}}");
}

TEST(Gather, ClampsStartsSoThatTheWindowFits) {
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({3}, {-1, 3, 99}), take_rows(1, 2)),
            "f32[3,2] {{1, 2}, {5, 6}, {5, 6}}");
  GatherAttributes two_rows = take_rows(1, 2);
  two_rows.offset_dims = {1, 2};
  two_rows.collapsed_slice_dims = {};
  two_rows.slice_sizes = {2, 2};
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({2}, {-5, 2}), two_rows),
            "f32[2,2,2] {{{1, 2}, {3, 4}}, {{3, 4}, {5, 6}}}");
}

TEST(Gather, TakesEveryIndexType) {
  const std::string want = "f32[2,2] {{3, 4}, {5, 6}}";
  EXPECT_EQ(gathered(kMatrix, Literal::array<int8_t>({2}, {1, 127}), take_rows(1, 2)), want);
  EXPECT_EQ(gathered(kMatrix, Literal::array<uint8_t>({2}, {1, 255}), take_rows(1, 2)), want);
  EXPECT_EQ(gathered(kMatrix, Literal::array<uint32_t>({2}, {1, 4294967295u}), take_rows(1, 2)), want);
  EXPECT_EQ(gathered(kMatrix, Literal::array<int64_t>({2}, {1, std::numeric_limits<int64_t>::max()}), take_rows(1, 2)),
            want);
  EXPECT_EQ(
      gathered(kMatrix, Literal::array<uint64_t>({2}, {1, std::numeric_limits<uint64_t>::max()}), take_rows(1, 2)),
      want);
  const std::byte nibbles[] = {std::byte{1}, std::byte{2}};
  EXPECT_EQ(gathered(kMatrix, Literal::from_bytes(Shape::array(ElementType::kU4, {2}), nibbles), take_rows(1, 2)),
            want);
  EXPECT_EQ(gathered(kMatrix, Literal::array<int64_t>({1}, {std::numeric_limits<int64_t>::min()}), take_rows(1, 2)),
            "f32[1,2] {{1, 2}}");
}

TEST(Gather, ReadsSingleElementsByIndexVectors) {
  GatherAttributes a;
  a.collapsed_slice_dims = {0, 1};
  a.start_index_map = {0, 1};
  a.index_vector_dim = 1;
  a.slice_sizes = {1, 1};
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({3, 2}, {0, 1, 2, 0, 1, 1}), a), "f32[3] {2, 5, 4}");
  a.start_index_map = {1, 0};  // component 0 is the column
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({3, 2}, {1, 0, 0, 2, 1, 1}), a), "f32[3] {2, 5, 4}");
  a.index_vector_dim = 0;  // the index vectors are columns
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({2, 3}, {1, 0, 1, 0, 2, 1}), a), "f32[3] {2, 5, 4}");
}

TEST(Gather, PutsWindowDimensionsWhereOffsetDimsSays) {
  GatherAttributes columns;  // x[:, indices], windows first
  columns.offset_dims = {0};
  columns.collapsed_slice_dims = {1};
  columns.start_index_map = {1};
  columns.index_vector_dim = 1;
  columns.slice_sizes = {3, 1};
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({3}, {1, 0, 1}), columns),
            "f32[3,3] {{2, 1, 2}, {4, 3, 4}, {6, 5, 6}}");
}

TEST(Gather, FollowsBatchingDimensions) {
  // For each row b: x[b, indices[b, :]].
  GatherAttributes a;
  a.collapsed_slice_dims = {1};
  a.start_index_map = {1};
  a.operand_batching_dims = {0};
  a.start_indices_batching_dims = {0};
  a.index_vector_dim = 2;
  a.slice_sizes = {1, 1};
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({3, 2}, {1, 0, 0, 0, 1, 9}), a),
            "f32[3,2] {{2, 1}, {3, 3}, {6, 6}}");
  // The same with the batch after the index vector: indices[1, 3].
  a.index_vector_dim = 0;
  a.start_indices_batching_dims = {1};
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({1, 3}, {1, 0, 1}), a), "f32[3] {2, 3, 6}");
}

TEST(Gather, TakesEmptyIndicesAndEmptyArrays) {
  EXPECT_EQ(gathered(kMatrix, Literal(Shape::array(ElementType::kS32, {0})), take_rows(1, 2)), "f32[0,2] {}");
  GatherAttributes nothing = take_rows(1, 2);
  nothing.slice_sizes = {0, 2};  // a collapsed dimension of size 0 has no element to read
  EXPECT_EQ(gathered(Literal(Shape::array(ElementType::kF32, {0, 2})), Literal::array<int32_t>({1}, {0}), nothing),
            "f32[1,2] {{0, 0}}");
  EXPECT_EQ(gathered(kMatrix, Literal::array<int32_t>({1}, {9}), nothing), "f32[1,2] {{5, 6}}");
}

TEST(Gather, MovesElementsOfAnyType) {
  const Literal bools = Literal::array<bool>({2, 1}, {true, false});
  EXPECT_EQ(gathered(bools, Literal::array<int32_t>({2}, {1, 0}), take_rows(1, 1)), "pred[2,1] {{false}, {true}}");
  using C = std::complex<double>;
  const Literal complexes = Literal::array<C>({2, 1}, {C(1, 2), C(3, 4)});
  EXPECT_EQ(gathered(complexes, Literal::array<int32_t>({1}, {1}), take_rows(1, 1)), "c128[1,1] {{(3, 4)}}");
  const std::byte bytes[] = {std::byte{0x3c}, std::byte{0x40}};
  const Literal narrow = Literal::from_bytes(Shape::array(ElementType::kF8E5M2, {2, 1}), bytes);
  StatusOr<Literal> result =
      run_op(Opcode::kGather, {narrow, Literal::array<int32_t>({1}, {1})}, boxed(take_rows(1, 1)));
  ASSERT_TRUE(result.ok()) << result.status().to_string();
  EXPECT_EQ(result->bytes()[0], std::byte{0x40});
}

/// One valid gather; each test breaks one property.
class GatherErrors : public testing::Test {
 protected:
  GatherErrors() {
    a_.offset_dims = {1};
    a_.collapsed_slice_dims = {1};
    a_.start_index_map = {1};
    a_.operand_batching_dims = {0};
    a_.start_indices_batching_dims = {0};
    a_.index_vector_dim = 1;
    a_.slice_sizes = {1, 1, 5};
  }
  std::string error() const { return error_of(shape_of(Opcode::kGather, {array_, indices_}, boxed(a_))); }

  Shape array_ = Shape::array(ElementType::kF32, {3, 4, 5}), indices_ = Shape::array(ElementType::kS32, {3, 1});
  GatherAttributes a_;
};

TEST_F(GatherErrors, NoneForAValidGather) {
  StatusOr<Shape> shape = shape_of(Opcode::kGather, {array_, indices_}, boxed(a_));
  ASSERT_TRUE(shape.ok()) << shape.status().to_string();
  EXPECT_EQ(shape->to_string(), "f32[3,5]");
}

TEST_F(GatherErrors, RankIsNotCovered) {
  a_.collapsed_slice_dims = {};
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: offset_dims, collapsed_slice_dims and operand_batching_dims have 2 dimensions together; "
            "wanted 3, the rank of f32[3,4,5]");
}

TEST_F(GatherErrors, IndexVectorDim) {
  a_.index_vector_dim = 3;
  EXPECT_EQ(error(), "INVALID_ARGUMENT: index_vector_dim: got 3, wanted 0 to 2, the rank of the indices s32[3,1]");
  a_.index_vector_dim = -1;
  EXPECT_EQ(error(), "INVALID_ARGUMENT: index_vector_dim: got -1, wanted 0 to 2, the rank of the indices s32[3,1]");
}

TEST_F(GatherErrors, IndexVectorOfAnotherLength) {
  indices_ = Shape::array(ElementType::kS32, {3, 2});
  EXPECT_EQ(
      error(),
      "INVALID_ARGUMENT: start_index_map: got {1}, 1 dimensions; an index vector of s32[3,2] along dimension 1 has 2");
}

TEST_F(GatherErrors, OffsetDims) {
  a_.offset_dims = {2};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: offset_dims: 2 is out of range; got {2}, and the result has rank 2");
  a_.collapsed_slice_dims = {};
  a_.slice_sizes = {1, 4, 5};
  a_.offset_dims = {2, 1};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: offset_dims: not in ascending order; got {2,1}");
  a_.offset_dims = {1, 1};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: offset_dims 1 appears twice in [1,1]");
}

TEST_F(GatherErrors, CollapsedSliceDims) {
  a_.collapsed_slice_dims = {3};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: collapsed_slice_dims 3 out of range for f32[3,4,5] of rank 3");
  a_.collapsed_slice_dims = {2, 1};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: collapsed_slice_dims: not in ascending order; got {2,1}");
  a_.collapsed_slice_dims = {0};
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: collapsed_slice_dims and operand_batching_dims share dimension 0; got {0} and {0}, "
            "wanted each dimension in one of them");
}

TEST_F(GatherErrors, OperandBatchingDims) {
  a_.operand_batching_dims = {-1};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: operand_batching_dims -1 out of range for f32[3,4,5] of rank 3");
  a_.operand_batching_dims = {2, 0};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: operand_batching_dims: not in ascending order; got {2,0}");
}

TEST_F(GatherErrors, StartIndicesBatchingDims) {
  a_.start_indices_batching_dims = {2};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: start_indices_batching_dims 2 out of range for s32[3,1] of rank 2");
  a_.start_indices_batching_dims = {1};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: start_indices_batching_dims: got {1}, which has index_vector_dim 1");
  a_.start_indices_batching_dims = {};
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: operand_batching_dims and start_indices_batching_dims differ in length; got {0} and {}");
}

TEST_F(GatherErrors, BatchingSizesDiffer) {
  indices_ = Shape::array(ElementType::kS32, {4, 1});
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: batching dimensions differ; array f32[3,4,5] dim 0 = 3, indices s32[4,1] dim 0 = 4");
}

TEST_F(GatherErrors, StartIndexMap) {
  a_.start_index_map = {3};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: start_index_map 3 out of range for f32[3,4,5] of rank 3");
  a_.start_index_map = {0};
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: start_index_map and operand_batching_dims share dimension 0; got {0} and {0}, wanted "
            "each dimension in one of them");
  a_.start_index_map = {1, 1};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: start_index_map 1 appears twice in [1,1]");
}

TEST_F(GatherErrors, SliceSizes) {
  a_.slice_sizes = {1, 1};
  EXPECT_EQ(error(), "INVALID_ARGUMENT: slice_sizes: got {1,1}, wanted one size per dimension of f32[3,4,5]");
  a_.slice_sizes = {1, 1, 6};
  EXPECT_EQ(
      error(),
      "INVALID_ARGUMENT: slice_sizes: 6 at dimension 2 is out of range; got {1,1,6}, wanted 0 to 5 for f32[3,4,5]");
  a_.slice_sizes = {1, 1, -1};
  EXPECT_EQ(
      error(),
      "INVALID_ARGUMENT: slice_sizes: -1 at dimension 2 is out of range; got {1,1,-1}, wanted 0 to 5 for f32[3,4,5]");
  a_.slice_sizes = {1, 2, 5};
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: slice_sizes: 2 at dimension 1, which is collapsed or batching; wanted at most 1, got "
            "{1,2,5}");
  a_.slice_sizes = {2, 1, 5};
  EXPECT_EQ(error(),
            "INVALID_ARGUMENT: slice_sizes: 2 at dimension 0, which is collapsed or batching; wanted at most 1, got "
            "{2,1,5}");
}

TEST_F(GatherErrors, IndicesThatAreNoIntegers) {
  indices_ = Shape::array(ElementType::kF32, {3, 1});
  EXPECT_EQ(error(), "INVALID_ARGUMENT: indices are f32[3,1]; wanted an integer element type");
}

TEST(Gather, NamesItsAttributesAsHloTextDoes) {
  EXPECT_EQ(field_names(Opcode::kGather),
            (std::vector<std::string_view>{"offset_dims", "collapsed_slice_dims", "start_index_map",
                                           "operand_batching_dims", "start_indices_batching_dims", "index_vector_dim",
                                           "slice_sizes", "indices_are_sorted", "hilo.index_mode"}));
}

}  // namespace
}  // namespace hilo::hlo
