// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/top_k.h"

#include <cmath>
#include <limits>

#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::shared_ptr<TopKAttributes> first(int64_t k, bool largest = true) {
  auto attributes = std::make_shared<TopKAttributes>();
  attributes->k = k;
  attributes->largest = largest;
  return attributes;
}

// Values of XLA in jaxlib 0.10.2.
TEST(TopK, OrdersFloatsTotallyAndTiesByPosition) {
  const Literal x = Literal::array<float>({10}, {3, 1, NAN, 2, -0.0f, 0, 5, 5, -kInf, kInf});
  EXPECT_EQ(text_of(run_op(Opcode::kTopK, {x}, first(10))),
            "(f32[10] {nan, inf, 5, 5, 3, 2, 1, 0, -0, -inf}, s32[10] {2, 9, 6, 7, 0, 3, 1, 5, 4, 8})");
  EXPECT_EQ(text_of(run_op(Opcode::kTopK, {x}, first(10, false))),
            "(f32[10] {-inf, -0, 0, 1, 2, 3, 5, 5, inf, nan}, s32[10] {8, 4, 5, 1, 3, 0, 6, 7, 9, 2})");
}

TEST(TopK, WorksRowByRow) {
  const Literal x = Literal::array<int32_t>({2, 4}, {3, 1, 2, 2, 5, 6, 6, 7});
  EXPECT_EQ(text_of(run_op(Opcode::kTopK, {x}, first(2))), "(s32[2,2] {{3, 2}, {7, 6}}, s32[2,2] {{0, 2}, {3, 1}})");
}

TEST(TopK, ChecksK) {
  const Shape x = Shape::array(ElementType::kF32, {2, 4});
  EXPECT_EQ(error_of(shape_of(Opcode::kTopK, {x}, first(5))),
            "INVALID_ARGUMENT: k: got 5, wanted 0 to 4, the last dimension of f32[2,4]");
  EXPECT_EQ(error_of(shape_of(Opcode::kTopK, {x}, first(-1))),
            "INVALID_ARGUMENT: k: got -1, wanted 0 to 4, the last dimension of f32[2,4]");
  EXPECT_EQ(error_of(shape_of(Opcode::kTopK, {Shape::scalar(ElementType::kF32)}, first(0))),
            "INVALID_ARGUMENT: the operand is f32[], wanted rank 1 or more");
}

}  // namespace
}  // namespace hilo::hlo
