// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/dynamic_shape.h"

#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

const std::string kX = "  x = f32[2,3]{1,0} parameter(0)\n  n = s32[] parameter(1)\n";

std::vector<Literal> with_size(int32_t size) {
  return {Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Literal::scalar<int32_t>(size)};
}

TEST(GetDimensionSize, IsTheSizeThatTheShapeHas) {
  EXPECT_EQ(value_of_text(kX + "  ROOT r = s32[] get-dimension-size(x), dimensions={1}", with_size(0)), "s32[] 3");
}

TEST(GetDimensionSize, RefusesDimensionsThatArentThere) {
  expect_refused(kX + "  ROOT r = s32[] get-dimension-size(x), dimensions={2}", " 2 out of range for");  // c1
  expect_refused(kX + "  ROOT r = s32[] get-dimension-size(x), dimensions={0,1}", "wanted exactly one");
  expect_refused(kX + "  ROOT r = s64[] get-dimension-size(x), dimensions={0}", "declared shape");
}

TEST(SetDimensionSize, TakesTheSizeThatIsThere) {
  const std::string body = kX + "  ROOT r = f32[2,3]{1,0} set-dimension-size(x, n), dimensions={1}";
  EXPECT_EQ(value_of_text(body, with_size(3)), "f32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  EXPECT_NE(value_of_text(body, with_size(2)).find("UNIMPLEMENTED"), std::string::npos);
  expect_refused(kX + "  ROOT r = f32[2,3]{1,0} set-dimension-size(x, x), dimensions={1}", "wanted s32[]");
}

TEST(DynamicReshape, IsAReshapeOnceTheShapeIsKnown) {
  EXPECT_EQ(value_of_text(kX + "  ROOT r = f32[3,2]{1,0} dynamic-reshape(x, n, n)", with_size(3)),
            "f32[3,2] {{1, 2}, {3, 4}, {5, 6}}");
}

TEST(DynamicReshape, ChecksCountsAndTypes) {
  expect_refused(kX + "  ROOT r = f32[3,2]{1,0} dynamic-reshape(x, n)", "wanted the array and 2 sizes");
  expect_refused(kX + "  ROOT r = f32[3,3]{1,0} dynamic-reshape(x, n, n)", "has 6 elements");  // dynamic_reshape_c2
  expect_refused(kX + "  ROOT r = s32[3,2]{1,0} dynamic-reshape(x, n, n)",
                 "element types differ");  // dynamic_reshape_c1
  expect_refused(kX + "  ROOT r = f32[3,2]{1,0} dynamic-reshape(x, n, x)", "wanted an integer scalar");
}

}  // namespace
}  // namespace hilo::hlo
