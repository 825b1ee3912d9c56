// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/module_tree.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

Type tensor(std::vector<int64_t> dimensions) {
  Type type;
  type.kind = TypeKind::kTensor;
  type.element = ElementType::kF32;
  type.dimensions = std::move(dimensions);
  type.spelled = "tensor<...>";
  return type;
}

TEST(ModuleTree, EqualTextsAreOneView) {
  ModuleTree tree;
  const std::string a = "name", b = "name";
  EXPECT_EQ(tree.intern(a).data(), tree.intern(b).data());
  EXPECT_NE(tree.intern(a).data(), a.data());
  EXPECT_NE(tree.intern("other").data(), tree.intern(a).data());
}

TEST(ModuleTree, FindsAttributesAndFieldsOfTheDialectsOnes) {
  ModuleTree tree;
  const AttributeId list = tree.add_integers(std::vector<int64_t>{1, 2});
  const AttributeId text = tree.add_text(AttributeKind::kString, "x");
  const NamedAttribute field = {tree.intern("offset_dims"), list};
  const AttributeId gather = tree.add_dictionary({&field, 1}, "stablehlo.gather"),
                    plain = tree.add_dictionary({&field, 1});
  tree.attribute_pool = {{tree.intern("numbers"), gather}, {tree.intern("name"), text}, {tree.intern("config"), plain}};
  Operation operation;
  operation.attributes = {0, 2};
  EXPECT_EQ(tree.find(operation, "name")->text, "x");
  EXPECT_EQ(tree.find(operation, "offset_dims"), &tree.attributes[list]);
  EXPECT_EQ(tree.find(operation, "nothing"), nullptr);
  operation.attributes = {1, 2};  // a user's dictionary has no fields of the operation
  EXPECT_EQ(tree.find(operation, "offset_dims"), nullptr);
}

TEST(ModuleTree, AppendedOperationsFollowOneAnother) {
  ModuleTree tree;
  tree.operations.resize(3);
  tree.regions.resize(1);
  tree.append(0, 1);
  tree.append(0, 2);
  EXPECT_EQ(tree.regions[0].first, 1u);
  EXPECT_EQ(tree.regions[0].last, 2u);
  EXPECT_EQ(tree.operations[1].next, 2u);
  EXPECT_EQ(tree.operations[2].next, kNone);
}

TEST(IntegersOf, AreThoseOfEveryKindOfList) {
  ModuleTree tree;
  Attribute one;
  one.kind = AttributeKind::kInteger;
  one.integer = 7;
  const AttributeId id = tree.add(one);
  const std::vector<AttributeId> ids = {id, id};
  EXPECT_EQ(integers_of(tree, one).value(), (std::vector<int64_t>{7}));
  EXPECT_EQ(integers_of(tree, tree.attributes[tree.add_array(ids)]).value(), (std::vector<int64_t>{7, 7}));
  EXPECT_EQ(integers_of(tree, tree.attributes[tree.add_integers({})]).value(), std::vector<int64_t>());
  const std::vector<AttributeId> words = {tree.add_text(AttributeKind::kWord, "LT")};
  EXPECT_EQ(integers_of(tree, tree.attributes[tree.add_array(words)]).status().message(),
            "got a list of other attributes; wanted integers");
  EXPECT_EQ(integers_of(tree, tree.attributes[words[0]]).status().message(), "got another attribute; wanted integers");
}

TEST(SetBounds, MakesUnknownSizesAsLargeAsTheyMayBe) {
  Type type = tensor({kDynamic, 3, kDynamic});
  ASSERT_TRUE(set_bounds(type, std::vector<int64_t>{5, kDynamic, kDynamic}).ok());
  EXPECT_EQ(type.dimensions, (std::vector<int64_t>{5, 3, kDynamic}));
  EXPECT_EQ(type.bounds, (std::vector<int64_t>{5, kDynamic, kDynamic}));
  Type known = tensor({2});
  ASSERT_TRUE(set_bounds(known, std::vector<int64_t>{5}).ok());
  EXPECT_TRUE(known.bounds.empty());
  EXPECT_EQ(set_bounds(known, std::vector<int64_t>{5, 6}).message(), "got 2 bounds; wanted 1");
}

TEST(ShapeOf, TensorsTuplesAndTokens) {
  ModuleTree tree;
  tree.types = {tensor({2, 0}), {}, tensor({kDynamic}), tensor({INT64_MAX, 2})};
  Type token, tuple;
  token.kind = TypeKind::kToken;
  tuple.kind = TypeKind::kTuple;
  tuple.parts = {0, 4};
  tree.types.push_back(token);
  tree.types.push_back(tuple);
  tree.types[1].spelled = "!my.type";
  EXPECT_EQ(shape_of(tree, 5).value().to_string(), "(f32[2,0], token[])");
  EXPECT_EQ(shape_of(tree, 1).status().message(), "type !my.type has no counterpart in HLO");
  EXPECT_EQ(shape_of(tree, 2).status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(shape_of(tree, 3).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::stablehlo
