// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/tree_builder.h"

#include <gtest/gtest.h>

#include "hilo/stablehlo/tree/print_attribute.h"

namespace hilo::stablehlo {
namespace {

TEST(TreeBuilder, EqualTypesAreOne) {
  TreeBuilder builder;
  const Shape shape = Shape::array(ElementType::kF32, std::vector<int64_t>{2, 0});
  EXPECT_EQ(builder.type(shape), builder.type(shape));
  EXPECT_NE(builder.type(shape), builder.type(Shape::scalar(ElementType::kF32)));
  EXPECT_EQ(builder.tree.types[builder.type(shape)].spelled, "tensor<2x0xf32>");
  EXPECT_EQ(builder.tree.types[builder.type(Shape::token())].kind, TypeKind::kToken);
  const TypeId tuple = builder.type(Shape::tuple({shape, Shape::tuple({})}));
  EXPECT_EQ(builder.tree.types[tuple].parts.size(), 2u);
}

TEST(TreeBuilder, RowsOfAMatrixAreFilled) {
  TreeBuilder builder;
  const AttributeId id = builder.matrix({{0, 2}, {1}}, 2);
  EXPECT_EQ(print_attribute(builder.tree, builder.tree.attributes[id]), "dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>");
}

TEST(TreeBuilder, AttributesTakeTheFormOfTheirRow) {
  TreeBuilder builder;
  NewOperation operation;
  builder.put(operation, "dimension", 3);
  builder.put(operation, "permutation", std::vector<int64_t>{1, 0});
  builder.put(operation, "comparison_direction", "LT");
  ASSERT_EQ(operation.attributes.size(), 3u);
  const auto shown = [&](size_t i) {
    return print_attribute(builder.tree, builder.tree.attributes[operation.attributes[i].value],
                           operation.attributes[i].name);
  };
  EXPECT_EQ(shown(0), "3 : i64");
  EXPECT_EQ(shown(1), "array<i64: 1, 0>");
  EXPECT_EQ(shown(2), "#stablehlo<comparison_direction LT>");
}

TEST(TreeBuilder, OperationsKnowTheirRegionsAndTheirEnd) {
  TreeBuilder builder;
  const TypeId type = builder.type(Shape::scalar(ElementType::kF32));
  const OperationId module = builder.begin({.name = "builtin.module"});
  const RegionId body = builder.begin_region();
  const ValueId x = builder.argument(body, type);
  const OperationId inner = builder.begin({.name = "stablehlo.negate", .operands = {x}, .results = {type}});
  builder.end(inner, {}, body);
  const Region region = builder.tree.regions[body];
  builder.end(module, std::span(&region, 1), kNone);
  const ModuleTree& tree = builder.tree;
  EXPECT_EQ(tree.operations[module].nested_end, 2u);
  EXPECT_EQ(tree.regions[tree.operations[module].regions.begin].first, inner);
  EXPECT_EQ(tree.operand(tree.operations[inner], 0), x);
  EXPECT_EQ(tree.values[tree.operations[inner].results.begin].definer, inner);
  EXPECT_EQ(tree.values[x].definer, kNone);
}

}  // namespace
}  // namespace hilo::stablehlo
