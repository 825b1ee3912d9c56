// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/cumulative.h"

#include <limits>

#include "hilo/hlo/ir/extensions.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

AttributesPtr along(int64_t axis, bool reverse = false) {
  auto attributes = std::make_shared<CumulativeAttributes>();
  attributes->axis = axis;
  attributes->reverse = reverse;
  return attributes;
}

TEST(Cumulative, RunsAlongAnAxisEitherWay) {
  const Literal x = Literal::array<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(text_of(run_op(kExtCumsum, {x}, along(1))), "s32[2,3] {{1, 3, 6}, {4, 9, 15}}");
  EXPECT_EQ(text_of(run_op(kExtCumsum, {x}, along(1, true))), "s32[2,3] {{6, 5, 3}, {15, 11, 6}}");
  EXPECT_EQ(text_of(run_op(kExtCumprod, {x}, along(0))), "s32[2,3] {{1, 2, 3}, {4, 10, 18}}");
  EXPECT_EQ(text_of(run_op(kExtCummax, {x}, along(0, true))), "s32[2,3] {{4, 5, 6}, {4, 5, 6}}");
  EXPECT_EQ(text_of(run_op(kExtCummin, {x}, along(1))), "s32[2,3] {{1, 1, 1}, {4, 4, 4}}");
}

TEST(Cumulative, ExponentialsAreSummedWithoutOverflow) {
  const float inf = std::numeric_limits<float>::infinity();
  const Literal x = Literal::array<float>({5}, {-inf, -inf, 1000, 1000, inf});
  EXPECT_EQ(text_of(run_op(kExtCumlogsumexp, {x}, along(0))), "f32[5] {-inf, -inf, 1000, 1000.6932, inf}");
}

TEST(Cumulative, EmptyLinesAreEmpty) {
  const Literal x(Shape::array(ElementType::kF32, {0, 2}));
  EXPECT_EQ(text_of(run_op(kExtCumsum, {x}, along(0))), "f32[0,2] {}");
  EXPECT_EQ(text_of(run_op(kExtCummax, {x}, along(1))), "f32[0,2] {}");
}

TEST(Cumulative, AnAxisOutOfRangeIsAnError) {
  const Shape x = Shape::array(ElementType::kF32, {2});
  EXPECT_NE(error_of(shape_of(kExtCumsum, {x}, along(1))).find("axis"), std::string::npos);
  EXPECT_FALSE(shape_of(kExtCumsum, {x}, along(-1)).ok());
  EXPECT_FALSE(shape_of(kExtCumsum, {Shape::scalar(ElementType::kF32)}, along(0)).ok());
}

}  // namespace
}  // namespace hilo::hlo
