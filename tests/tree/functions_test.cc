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

}  // namespace
}  // namespace hilo
