// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/print_attribute.h"

#include <gtest/gtest.h>

#include <limits>

namespace hilo::stablehlo {
namespace {

std::string printed(double number, std::string_view type) {
  ModuleTree tree;
  Type& made = tree.types.emplace_back();
  made.kind = TypeKind::kElement;
  made.spelled = type;
  Attribute attribute;
  attribute.kind = AttributeKind::kFloat;
  attribute.type = 0;
  attribute.number = number;
  return print_attribute(tree, attribute);
}

TEST(PrintAttribute, FloatsHaveAPointAlsoBeforeAnExponent) {
  EXPECT_EQ(printed(1e-5, "f32"), "1.0e-05 : f32");
  EXPECT_EQ(printed(1.5e-5, "f32"), "1.5e-05 : f32");
  EXPECT_EQ(printed(-1e30, "f64"), "-1.0e+30 : f64");
  EXPECT_EQ(printed(2, "f32"), "2.0 : f32");
  EXPECT_EQ(printed(0.25, "bf16"), "0.25 : bf16");
}

TEST(PrintAttribute, InfinitiesAreTheirBits) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(printed(infinity, "f32"), "0x7F800000 : f32");
  EXPECT_EQ(printed(-infinity, "f64"), "0xFFF0000000000000 : f64");
  EXPECT_EQ(printed(-infinity, "f16"), "0xFC00 : f16");
  EXPECT_EQ(printed(infinity, "bf16"), "0x7F80 : bf16");
}

}  // namespace
}  // namespace hilo::stablehlo
