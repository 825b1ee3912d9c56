// SPDX-License-Identifier: Apache-2.0
#include "hilo/tree/tree.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"

namespace hilo {
namespace {

struct Layer {
  Array w, b;
};
struct Net {
  std::vector<Layer> layers;
  std::map<std::string, Array> named;
  std::optional<Array> maybe;
  int heads = 2;
};
struct Labelled {
  Array w;
  const char* label = nullptr;
  std::vector<std::optional<int>> sizes = {};
  HILO_TREE(w)
  HILO_STATIC(label, sizes)
};
struct Private {
  explicit Private(float value) : a(value) {}
  HILO_TREE(a)
  const Array& value() const { return a; }

 private:
  Array a;
};

struct HoldsArray {
  std::array<Array, 2> both;
  Array last;
};
struct HoldsArrayLast {
  int number;
  Layer layer;
  std::array<int, 3> numbers;
};
struct HoldsOptionalArray {
  std::optional<std::array<Array, 2>> maybe;
  std::vector<std::array<Array, 2>> many;
};
struct NamesArray {
  std::array<Array, 2> both;
  Array last;
  HILO_TREE(both, last)
};

Net net() { return {{{Array(1), Array(2)}, {Array(3), Array(4)}}, {{"x", Array(5)}}, std::nullopt, 2}; }

TEST(Tree, FlattensDepthFirst) {
  std::vector<int> values;
  for (const Array& a : flatten(net()).leaves) values.push_back(a.item<int>());
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(Tree, StructureTellsSizesKeysAndFixedValuesApart) {
  Net other = net();
  EXPECT_EQ(flatten(other).structure, flatten(net()).structure);
  other.heads = 3;
  EXPECT_NE(flatten(other).structure, flatten(net()).structure);
  other = net();
  other.named = {{"y", Array(5)}};
  EXPECT_NE(flatten(other).structure, flatten(net()).structure);
  other = net();
  other.maybe = Array(6);
  EXPECT_NE(flatten(other).structure, flatten(net()).structure);
}

TEST(Tree, StaticFieldsArePartOfTheStructure) {
  const char* const label = "a";
  const Labelled one{Array(1), label, {1, std::nullopt}};
  EXPECT_EQ(flatten(one).leaves.size(), 1u);
  EXPECT_EQ(flatten(one).structure, flatten(Labelled{Array(2), label, {1, std::nullopt}}).structure);
  EXPECT_NE(flatten(one).structure, flatten(Labelled{Array(1), label + 1, {1, std::nullopt}}).structure);
  EXPECT_NE(flatten(one).structure, flatten(Labelled{Array(1), label, {1, 2}}).structure);
  EXPECT_NE(flatten(one).structure, flatten(Labelled{Array(1), label, {1}}).structure);
  EXPECT_EQ(unflatten(one, std::vector<Array>{Array(3)}).label, label);
}

TEST(Tree, NoneIsATreeWithoutLeavesAsAnEmptyOptional) {
  EXPECT_TRUE(flatten(std::nullopt).leaves.empty());
  EXPECT_EQ(flatten(std::nullopt).structure, flatten(std::optional<Array>()).structure);
  EXPECT_NE(flatten(std::nullopt).structure, flatten(std::tuple<>()).structure);
}

TEST(Tree, UnflattenPutsLeavesBack) {
  FlatTree flat = flatten(net());
  flat.leaves[3] = Array(40);
  EXPECT_EQ(unflatten(net(), flat.leaves).layers[1].b.item<int>(), 40);
}

TEST(Tree, UnflattenRefusesAWrongCount) {
  try {
    unflatten(net(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("got 0 leaves, the tree has 5"), std::string::npos) << error.what();
  }
}

TEST(Tree, MapsOneTreeAndSeveral) {
  const Net doubled = tree_map([](const Array& a) { return a * 2; }, net());
  EXPECT_EQ(doubled.named.at("x").item<int>(), 10);
  const Net sum = tree_map([](const Array& a, const Array& b) { return a + b; }, net(), doubled);
  EXPECT_EQ(sum.layers[0].w.item<int>(), 3);
}

TEST(Tree, ReachesPrivateFieldsThatAreNamed) {
  const Private twice = tree_map([](const Array& a) { return a * 2.0f; }, Private(3));
  EXPECT_EQ(twice.value().item<float>(), 6);
}

TEST(Tree, ShowsWhereTwoTreesDiffer) {
  const auto difference = [](const auto& a, const auto& b) { return tree_difference("this", a, "that", b); };
  EXPECT_EQ(difference(net(), net()), "");
  Net other = net();
  other.heads = 3;
  EXPECT_EQ(difference(net(), other), "at [3] this has 2, that has 3");
}

TEST(Tree, FindsPlainStructsThatHoldAStdArray) {
  // g++ 12 crashes on boost::pfr for these types; walk() rejects them with a readable message.
  static_assert(tree_detail::holds_array<HoldsArray>());
  static_assert(tree_detail::holds_array<HoldsArrayLast>());
  static_assert(!tree_detail::holds_array<Layer>());
  static_assert(!tree_detail::holds_array<Net>());
  static_assert(!tree_detail::holds_array<HoldsOptionalArray>());
  const NamesArray named{{Array(1), Array(2)}, Array(3)};
  EXPECT_EQ(flatten(named).leaves.size(), 3u);
}

TEST(Tree, NamesTheWayToALeaf) {
  Net value = net();
  EXPECT_EQ(leaf_path(3, [&](TreeVisitor& v) { walk(value, v); }), "[0][1][1]");
  Private named(1);
  EXPECT_EQ(leaf_path(0, [&](TreeVisitor& v) { walk(named, v); }), ".a");
  const auto paths = [](auto tree) {
    std::vector<std::string> all;
    for (size_t i = 0; i < flatten(tree).leaves.size(); ++i)
      all.push_back(leaf_path(i, [&](TreeVisitor& v) { walk(tree, v); }));
    return all;
  };
  using Paths = std::vector<std::string>;
  using Named = std::map<std::string, std::vector<Array>>;
  EXPECT_EQ(paths(Named{{"b", {1, 2}}, {"w", {3}}, {"", {4}}}),
            (Paths{"[\"\"][0]", "[\"b\"][0]", "[\"b\"][1]", "[\"w\"][0]"}));
  EXPECT_EQ(paths(std::map<int, std::map<int, Array>>{{7, {{-1, 1}, {2, 2}}}, {9, {{0, 3}}}}),
            (Paths{"[7][-1]", "[7][2]", "[9][0]"}));
  EXPECT_EQ(paths(std::pair(std::optional(std::map<int, Array>{{5, 1}}), std::vector<Array>{2})),
            (Paths{"[0][5]", "[1][0]"}));
  EXPECT_EQ(paths(std::map<std::pair<int, int>, Array>{{{3, 4}, 1}, {{5, 6}, 2}}),
            (Paths{"[0]", "[1]"}));  // the paths of the leaves
}

}  // namespace
}  // namespace hilo
