// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/ragged_dot.h"

#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

const std::string kOperands =
    "  x = f32[4,2]{1,0} parameter(0)\n  y = f32[2,2,1]{2,1,0} parameter(1)\n  g = s32[2]{0} parameter(2)\n";

std::vector<Literal> with_sizes(std::initializer_list<int32_t> sizes) {
  return {Literal::array<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), Literal::array<float>({2, 2, 1}, {1, 1, 1, -1}),
          Literal::array<int32_t>({2}, sizes)};
}

std::string kept(const std::string& rest = "lhs_ragged_dims={0}, rhs_group_dims={0}") {
  return kOperands +
         "  ROOT %r = f32[4,1]{1,0} ragged-dot(%x, %y, %g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, " +
         rest;
}

TEST(RaggedDot, MultipliesEachRowByTheMatrixOfItsGroup) {
  EXPECT_EQ(value_of_text(kept(), with_sizes({1, 3})), "f32[4,1] {{3}, {-1}, {-1}, {-1}}");
  EXPECT_EQ(value_of_text(kept(), with_sizes({0, 2})), "f32[4,1] {{-1}, {-1}, {0}, {0}}");
}

TEST(RaggedDot, GivesOneProductAGroupWhereTheRaggedDimensionIsContracted) {
  const std::string body =
      "  x = f32[4,2]{1,0} parameter(0)\n  y = f32[4,1]{1,0} parameter(1)\n  g = s32[2]{0} parameter(2)\n"
      "  ROOT r = f32[2,2,1]{2,1,0} ragged-dot(x, y, g), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
      "lhs_ragged_dims={0}";
  std::vector<Literal> arguments = with_sizes({1, 3});
  arguments[1] = Literal::array<float>({4, 1}, {1, 1, 1, 1});
  EXPECT_EQ(value_of_text(body, arguments), "f32[2,2,1] {{{1}, {2}}, {{15}, {18}}}");
}

TEST(RaggedDot, IgnoresGroupsOfABatchDimension) {
  const std::string body =
      "  x = f32[4,2]{1,0} parameter(0)\n  g = s32[2]{0} parameter(1)\n"
      "  ROOT r = f32[4]{0} ragged-dot(x, x, g), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
      "rhs_contracting_dims={1}, lhs_ragged_dims={0}";
  EXPECT_EQ(value_of_text(body, {with_sizes({1, 3})[0], with_sizes({1, 3})[2]}), "f32[4] {5, 25, 61, 113}");
}

TEST(RaggedDot, ChecksItsDimensions) {
  expect_refused(kept("lhs_ragged_dims={0,1}, rhs_group_dims={0}"), "lhs_ragged_dims: got {0,1}, wanted exactly one");
  expect_refused(kept("lhs_ragged_dims={2}, rhs_group_dims={0}"), " 2 out of range for");
  expect_refused(kept("lhs_ragged_dims={0}"), "rhs_group_dims: got {}, wanted one");
  expect_refused(kept("lhs_ragged_dims={1}, rhs_group_dims={0}"), "rhs_group_dims: got {0}, wanted none");
  expect_refused(
      "  x = f32[4,2]{1,0} parameter(0)\n  y = f32[3,2,1]{2,1,0} parameter(1)\n  g = s32[2]{0} parameter(2)\n" +
          kept().substr(kOperands.size()),
      "rhs has 3 groups, there are 2 sizes");
}

TEST(ScaledDot, ChecksItsScales) {
  const std::string operands =
      "  x = f8e4m3fn[4,32]{1,0} parameter(0)\n  y = f8e4m3fn[32,4]{1,0} parameter(1)\n"
      "  s = f8e8m0fnu[4,3]{1,0} parameter(2)\n  t = f8e8m0fnu[1,4]{1,0} parameter(3)\n";
  expect_refused(operands +
                     "  ROOT r = f32[4,4]{1,0} scaled-dot(x, y, s, t), lhs_contracting_dims={1}, "
                     "rhs_contracting_dims={0}",
                 "the scale of lhs is f8e8m0fnu[4,3]");
}

}  // namespace
}  // namespace hilo::hlo
