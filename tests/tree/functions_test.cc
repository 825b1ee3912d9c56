// SPDX-License-Identifier: Apache-2.0
#include "hilo/tree/functions.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

struct Layer {
  Array w, b;
  HILO_TREE(w, b)
};
using Net = std::map<std::string, std::vector<Layer>>;

Net net() { return {{"a", {{1.0f, 2.0f}, {3.0f, 4.0f}}}, {"b", {{5.0f, 6.0f}}}}; }

TEST(TreeFunctions, LeavesComeInOrderAndGoBack) {
  EXPECT_EQ(tree::leaves(net()).size(), 6U);
  EXPECT_EQ(tree_leaves(std::pair<Array, Array>(1.0f, 2.0f))[1].item<float>(), 2);
  const auto [leaves, structure] = tree::flatten(net());
  EXPECT_EQ(structure.num_leaves, 6U);
  EXPECT_EQ(structure, tree::structure(tree::map([](Array x) { return x * 2.0f; }, net())));
  Net other = net();
  other["b"].pop_back();
  EXPECT_NE(structure, tree::structure(other));
  const Net back = tree::unflatten(net(), std::vector<Array>(leaves.rbegin(), leaves.rend()));
  EXPECT_EQ(back.at("a")[0].w.item<float>(), 6);
  error_of([&] { tree::unflatten(net(), std::vector<Array>(5)); }, StatusCode::kInvalidArgument);
}

TEST(TreeFunctions, PathsNameLeaves) {
  const auto paths = tree::flatten_with_path(net());
  EXPECT_EQ(paths[3].first.substr(paths[3].first.size() - 5), "[1].b");
  EXPECT_EQ(paths[3].second.item<float>(), 4);
  EXPECT_EQ(tree::leaves_with_path(Array(1.0f))[0].first, "");
  std::vector<std::string> seen;
  tree::map_with_path(
      [&](const std::string& path, Array x, Array) {
        seen.push_back(path);
        return x;
      },
      net(), net());
  ASSERT_EQ(seen.size(), 6U);
  EXPECT_EQ(seen[3], paths[3].first);
}

TEST(TreeFunctions, MapTakesSeveralTreesOfOneStructure) {
  const Net sum = tree::map([](Array x, Array y, Array z) { return x + y * z; }, net(), net(), net());
  EXPECT_EQ(sum.at("b")[0].b.item<float>(), 42);
  const std::string text = error_of(
      [] {
        Net other = net();
        other["a"].pop_back();
        tree::map([](Array x, Array) { return x; }, net(), other);
      },
      StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("the trees have different structures"), std::string::npos) << text;
}

TEST(TreeFunctions, ReduceAndAllGoThroughLeaves) {
  EXPECT_EQ(tree::reduce([](Array sum, Array x) { return sum + x; }, net(), Array(0.0f)).item<float>(), 21);
  EXPECT_EQ(tree::reduce([](int count, Array) { return count + 1; }, net(), 0), 6);
  EXPECT_TRUE(tree::all(std::vector<Array>{Array(true), Array(1)}));
  EXPECT_FALSE(tree::all(std::vector<Array>{Array(true), Array(0)}));
  EXPECT_TRUE(tree::all(std::vector<Array>()));
}

TEST(TreeTranspose, AListOfTreesBecomesATreeOfLists) {
  using One = std::pair<Array, std::map<std::string, std::vector<Array>>>;
  const auto one = [](float v) { return One(v, {{"a", {v + 1, v + 2}}, {"b", {v + 3}}}); };
  const auto [first, rest] = tree::transpose(std::vector<One>{one(0), one(10)});
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1].item<float>(), 10);
  EXPECT_EQ(rest.at("a")[1][1].item<float>(), 12);
  EXPECT_EQ(rest.at("b")[0][0].item<float>(), 3);
  const auto of_tuples = tree::transpose(std::vector{std::tuple(Array(1.0f), Array(2.0f))});
  EXPECT_EQ(std::get<1>(of_tuples)[0].item<float>(), 2);
}

TEST(TreeTranspose, RefusesTreesThatDiffer) {
  const std::vector<std::vector<Array>> trees = {{1.0f, 2.0f}, {3.0f}};
  const std::string error = error_of([&] { tree::transpose(trees); }, StatusCode::kInvalidArgument);
  EXPECT_NE(error.find("the trees have different structures: the first has a vector of 2 elements"), std::string::npos)
      << error;
  error_of([] { tree::transpose(std::vector<std::pair<Array, Array>>()); }, StatusCode::kInvalidArgument);
}

// ---- cases of JAX's tree_util_test
// ------------------------------------------------------------------------------------

struct Fixed {
  Array x;
  int label = 0;
  HILO_TREE(x)
  HILO_STATIC(label)
};

TEST(TreeFunctions, EveryKindOfTreeGoesThereAndBack) {
  const auto there_and_back = [](const auto& tree, size_t count) {
    const auto [leaves, structure] = tree::flatten(tree);
    EXPECT_EQ(leaves.size(), count);
    EXPECT_EQ(structure.num_leaves, count);
    EXPECT_EQ(tree::structure(tree::unflatten(tree, leaves)), structure);
    const auto doubled = tree::map([](Array x) { return x + x; }, tree);
    const std::vector<Array> twice = tree::leaves(doubled);
    for (size_t i = 0; i < count; ++i)
      EXPECT_EQ(twice[i].template item<float>(), 2 * static_cast<float>(leaves[i].template item<float>()));
  };
  there_and_back(Array(3.0f), 1);
  there_and_back(std::tuple<>(), 0);
  there_and_back(std::tuple(std::tuple<>()), 0);
  there_and_back(std::vector<Array>(), 0);
  there_and_back(std::vector<Array>{1.0f}, 1);
  there_and_back(std::tuple(Array(1.0f), std::tuple(Array(2.0f), std::pair(Array(3.0f), Array(4.0f)))), 4);
  there_and_back(std::optional<Array>(), 0);
  there_and_back(std::optional<Array>(5.0f), 1);
  there_and_back(std::map<std::string, std::vector<Array>>{{"b", {1.0f}}, {"a", {2.0f, 3.0f}}}, 3);
  there_and_back(std::map<int, Array>{{3, 1.0f}, {-1, 2.0f}}, 2);
  there_and_back(std::vector<std::optional<Array>>{Array(1.0f), std::nullopt}, 1);
  there_and_back(net(), 6);
  there_and_back(Fixed{1.0f, 7}, 1);
}

TEST(TreeFunctions, PathsSpellKeysNamesAndPlaces) {
  const auto paths = [](const auto& tree) {
    std::vector<std::string> out;
    for (const auto& [path, leaf] : tree::leaves_with_path(tree)) out.push_back(path);
    return out;
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(paths(std::vector<Array>{1.0f, 2.0f}), (Paths{"[0]", "[1]"}));
  EXPECT_EQ(paths(std::tuple(Array(1.0f), std::pair(Array(2.0f), Array(3.0f)))), (Paths{"[0]", "[1][0]", "[1][1]"}));
  EXPECT_EQ(paths(Layer{1.0f, 2.0f}), (Paths{".w", ".b"}));
  const auto by_key = tree::leaves_with_path(std::map<std::string, Array>{{"b", 1.0f}, {"a", 2.0f}});
  EXPECT_EQ(by_key[0].second.item<float>(), 2) << "keys come in order";
  EXPECT_EQ(paths(std::optional<Array>()).size(), 0u);
}

TEST(TreeFunctions, ReduceAssociativeGroupsInPairs) {
  const auto sum = [](const Array& a, const Array& b) { return a + b; };
  EXPECT_EQ(tree::reduce_associative(sum, net()).item<float>(), 21);
  EXPECT_EQ(tree::reduce_associative(sum, Array(2.0f)).item<float>(), 2);
  // ((1 - 2) - (3 - 4)) - 5: combines pairs, while reduce would give -13.
  const std::vector<Array> five = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
  EXPECT_EQ(tree::reduce_associative([](const Array& a, const Array& b) { return a - b; }, five).item<float>(), -5);
  error_of([&] { tree::reduce_associative(sum, std::vector<Array>()); }, StatusCode::kInvalidArgument);
}

TEST(TreeFunctions, FieldsThatAreNotNamedAreNoPartOfATree) {
  const Fixed fixed{2.0f, 7};
  EXPECT_EQ(tree::leaves(fixed).size(), 1u);
  const Fixed mapped = tree::map([](Array x) { return x * 3.0f; }, fixed);
  EXPECT_EQ(mapped.x.item<float>(), 6);
  EXPECT_EQ(mapped.label, 7) << "it is copied";
}

using Full = std::pair<std::vector<Array>, std::map<std::string, Array>>;
Full full() { return {{1.0f, 2.0f}, {{"a", 3.0f}, {"b", 4.0f}}}; }

TEST(TreeBroadcast, GivesEachLeafThePrefixsArray) {
  const auto values = [](const auto& tree) {
    std::vector<int> out;
    for (const Array& leaf : tree::leaves(tree)) out.push_back(leaf.item<int>());
    return out;
  };
  using Ints = std::vector<int>;
  EXPECT_EQ(values(tree::broadcast(Array(7), full())), (Ints{7, 7, 7, 7}));
  EXPECT_EQ(values(tree::broadcast(std::pair<Array, Array>(7, 8), full())), (Ints{7, 7, 8, 8}));
  const std::pair<std::vector<Array>, Array> lists = {{5, 6}, 8};
  EXPECT_EQ(values(tree::broadcast(lists, full())), (Ints{5, 6, 8, 8}));
  const std::pair<Array, std::map<std::string, Array>> maps = {5, {{"a", 8}, {"b", 9}}};
  EXPECT_EQ(values(tree::broadcast(maps, full())), (Ints{5, 5, 8, 9}));
  EXPECT_EQ(values(tree::broadcast(Array(1), std::tuple<>())), Ints());
  EXPECT_EQ(values(tree::broadcast(Full{{5, 6}, {{"a", 8}, {"b", 9}}}, full())), (Ints{5, 6, 8, 9}));
}

TEST(TreeBroadcast, RefusesPrefixesThatDoNotFit) {
  const auto text = [](const auto& prefix) {
    return error_of([&] { tree::broadcast(prefix, full()); }, StatusCode::kInvalidArgument);
  };
  const std::string lengths = text(std::pair<std::vector<Array>, Array>{{5, 6, 7}, 8});
  EXPECT_NE(lengths.find("different lengths; the prefix has 3, the full tree 2"), std::string::npos) << lengths;
  using Keyed = std::pair<Array, std::map<std::string, Array>>;
  for (const Keyed& prefix : {Keyed{5, {{"a", 8}}}, Keyed{5, {{"a", 8}, {"c", 9}}}, Keyed{5, {}},
                              Keyed{5, {{"a", 8}, {"b", 9}, {"c", 10}}}}) {
    EXPECT_NE(text(prefix).find("the prefix has other keys than the full tree"), std::string::npos);
  }
}

}  // namespace
}  // namespace hilo
