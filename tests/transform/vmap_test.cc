// SPDX-License-Identifier: Apache-2.0
// Axes of vmap as prefixes of pytrees, and a batch size without a batched argument.
#include "hilo/transform/vmap.h"

#include <gtest/gtest.h>

#include "hilo/lax/collective.h"
#include "hilo/lax/shape.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;
using Pair = std::pair<Array, Array>;

struct Layer {
  Array w, b;
  HILO_TREE(w, b)
};

Array rows() { return numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}); }
Array three() { return numpy::array({1.0f, 10.0f, 100.0f}); }

TEST(Vmap, AxesMayBeAPrefixOfTheArgumentsTree) {
  const auto sum = [](Pair p) { return p.first + p.second; };
  const auto one = vmap(sum, {std::pair<Axis, Axis>{0, kNoAxis}});
  EXPECT_EQ(one(Pair(three(), 1.0f)).to_vector<float>(), (Floats{2, 11, 101}));
  EXPECT_EQ(jit(one)(Pair(three(), 1.0f)).to_vector<float>(), (Floats{2, 11, 101}));
  const auto of_layers = [](std::vector<Layer> layers, Array x) { return layers[0].w * x + layers[1].b; };
  const auto f = vmap(of_layers, {std::vector<AxisTree>{std::pair(0, kNoAxis), std::pair(kNoAxis, 1)}, kNoAxis});
  const Array got = f(std::vector<Layer>{{three(), 0.0f}, {0.0f, numpy::reshape(three(), {1, 3})}}, 2.0f);
  EXPECT_EQ(got.to_vector<float>(), (Floats{3, 30, 300}));
}

TEST(Vmap, OutAxesMayBeAPrefixOfTheResultsTree) {
  const auto f = [](Array r, Array c) { return std::pair(Layer{r, c}, r + 1.0f); };
  const auto [layer, more] =
      vmap(f, {.in_axes = {0, kNoAxis}, .out_axes = {std::pair(1, kNoAxis), -1}})(rows(), three());
  EXPECT_EQ(layer.w.aval_shape().to_string(), "f32[2,3]");
  EXPECT_EQ(layer.b.aval_shape().to_string(), "f32[3]");
  EXPECT_EQ(more.to_vector<float>(), (Floats{2, 4, 6, 3, 5, 7}));
}

TEST(Vmap, AxisSizeMakesABatchThatNoArgumentHas) {
  const auto f = vmap([](Array x) { return x * 2.0f; }, {.in_axes = {kNoAxis}, .axis_size = 3});
  EXPECT_EQ(f(5.0f).to_vector<float>(), (Floats{10, 10, 10}));
  const auto index = vmap([] { return lax::axis_index("i"); }, {.axis_name = "i", .axis_size = 4});
  EXPECT_EQ(index().to_vector<int>(), (std::vector<int>{0, 1, 2, 3}));
  const auto slope = vmap(grad([](Array x) { return x * x; }), {.in_axes = {kNoAxis}, .axis_size = 2});
  EXPECT_EQ(jit(slope)(3.0f).to_vector<float>(), (Floats{6, 6}));
}

TEST(Vmap, SaysWhichAxesDoNotFit) {
  const auto f = [](Pair p) { return p.first + p.second; };
  const auto refused = [](const auto& run) { return error_of(run, StatusCode::kInvalidArgument); };
  const std::string parts = refused([&] { vmap(f, {std::tuple(0, 0, 0)})(Pair(three(), three())); });
  EXPECT_NE(parts.find("axes must be a prefix of the tree; at args[0] the axes have 3 parts, the tree has 2 parts"),
            std::string::npos)
      << parts;
  EXPECT_NE(parts.find("vmap (vmap_test.cc:"), std::string::npos) << parts;
  const std::string leaf = refused([&] { vmap([](Array x) { return x; }, {std::pair(0, 0)})(three()); });
  EXPECT_NE(leaf.find("the axes have 2 parts, the tree has an Array"), std::string::npos) << leaf;
  const std::string size = refused([&] { vmap([](Array x) { return x; }, VmapOptions{.axis_size = 4})(three()); });
  EXPECT_NE(size.find("inconsistent sizes"), std::string::npos) << size;
  refused([&] { vmap([](Array x) { return x; }, VmapOptions{.in_axes = {kNoAxis}})(three()); });
  refused([&] { vmap([](Array x) { return x; }, {.in_axes = {kNoAxis}, .axis_size = -1})(three()); });
}

TEST(Vmap, OfAnEmptyArrayHasTheBatchInFront) {
  const auto f = [](Array x) { return lax::empty(x.shape(), x.dtype()); };
  EXPECT_EQ(jit(vmap(f))(numpy::ones({4, 2}, ElementType::kS32)).aval_shape().to_string(), "s32[4,2]");
}

}  // namespace
}  // namespace hilo
