// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "hilo/stablehlo/tree/print_attribute.h"

namespace hilo::stablehlo {
namespace {

TEST(PrintElements, AScalarOrNestedLists) {
  EXPECT_EQ(print_elements(Literal::scalar<int32_t>(7)), "7");
  EXPECT_EQ(print_elements(Literal::array<int32_t>({2, 2}, {1, 2, 3, 4})), "[[1, 2], [3, 4]]");
  EXPECT_EQ(print_elements(Literal::array<int32_t>({3}, {5, 5, 5})), "[5, 5, 5]");
  EXPECT_EQ(print_elements(Literal(Shape::array(ElementType::kS32, std::vector<int64_t>{0}))), "");
}

TEST(PrintElements, FloatsAreDecimalsOrBits) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(print_elements(Literal::scalar(1.5f)), "1.5");
  EXPECT_EQ(print_elements(Literal::array<float>({2}, {inf, -0.0f})), "[0x7F800000, -0.0]");
}

TEST(PrintElements, ComplexNumbersAreInParentheses) {
  EXPECT_EQ(print_elements(Literal::scalar(std::complex<float>(1, -2))), "(1.0, -2.0)");
}

TEST(PrintElements, ManyAreBytes) {
  std::vector<int32_t> many(2000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int32_t>(i);
  const std::vector<int64_t> sizes = {2000};
  EXPECT_TRUE(print_elements(Literal::array<int32_t>(sizes, many)).starts_with("\"0x0000000001000000"));
}

}  // namespace
}  // namespace hilo::stablehlo
