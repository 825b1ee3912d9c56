// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/numpy/indexing.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

TEST(GatherRules, AnElementThatIsReadTwiceGetsBothCotangents) {
  const auto f = [](const Array& x) {
    return numpy::sum(numpy::take(x, numpy::array({2, 0, 2})) * numpy::array({1.0f, 10.0f, 100.0f}));
  };
  EXPECT_EQ(grad(f)(numpy::array({5.0f, 6.0f, 7.0f})).to_vector<float>(), (Floats{10, 0, 101}));
}

TEST(GatherRules, ReadingNothingHasNoSlope) {
  const auto f = [](const Array& x) { return numpy::sum(numpy::take(x, numpy::zeros({0}, int32))); };
  EXPECT_EQ(grad(f)(numpy::array({5.0f, 6.0f})).to_vector<float>(), (Floats{0, 0}));
}

TEST(GatherRules, BatchesArraysIndicesAndBoth) {
  const auto f = [](const Array& x, const Array& i) { return numpy::take(x, i); };
  const Array x = numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}}), i = numpy::array({1, 0});
  EXPECT_EQ(vmap(f)(x, i).to_vector<float>(), (Floats{2, 3}));
  EXPECT_EQ(vmap(f, {0, kNoAxis})(x, Array(1)).to_vector<float>(), (Floats{2, 4}));
  EXPECT_EQ(vmap(f, {kNoAxis, 0})(x[1], i).to_vector<float>(), (Floats{4, 3}));
}

TEST(ScatterRules, WhatIsReplacedHasNoSlopeAndWhatIsAddedToHasOne) {
  const auto set = [](const Array& x, const Array& v) {
    return numpy::sum(numpy::at(x, 1).set(v) * numpy::array({1.0f, 10.0f}));
  };
  const auto add = [](const Array& x, const Array& v) {
    return numpy::sum(numpy::at(x, 1).add(v) * numpy::array({1.0f, 10.0f}));
  };
  const Array x = numpy::array({5.0f, 6.0f}), v(7.0f);
  const auto [of_x, of_v] = grad<0, 1>(set)(x, v);
  EXPECT_EQ(of_x.to_vector<float>(), (Floats{1, 0}));
  EXPECT_EQ(of_v.item<float>(), 10);
  const auto [add_x, add_v] = grad<0, 1>(add)(x, v);
  EXPECT_EQ(add_x.to_vector<float>(), (Floats{1, 10}));
  EXPECT_EQ(add_v.item<float>(), 10);
}

}  // namespace
}  // namespace hilo
