// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/lax/collective.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

const Array& x() {
  static const Array three = numpy::array({1.0f, 2.0f, 6.0f});
  return three;
}

TEST(CollectiveRules, OverABatchAreReductions) {
  const auto over = [](const auto& f) { return vmap(f, {.axis_name = "i"})(x()).template to_vector<float>(); };
  EXPECT_EQ(over([](const Array& v) { return lax::psum(v, "i"); }), (Floats{9, 9, 9}));
  EXPECT_EQ(over([](const Array& v) { return lax::pmax(v, "i"); }), (Floats{6, 6, 6}));
  EXPECT_EQ(over([](const Array& v) { return v - lax::pmean(v, "i"); }), (Floats{-2, -1, 3}));
}

TEST(CollectiveRules, AllGatherAndPermute) {
  const auto all = [](const Array& v) { return lax::all_gather(v, "i"); };
  EXPECT_EQ(vmap(all, {.axis_name = "i"})(x()).to_vector<float>(), (Floats{1, 2, 6, 1, 2, 6, 1, 2, 6}));
  const auto next = [](const Array& v) { return lax::ppermute(v, "i", {{0, 1}, {1, 2}}); };
  EXPECT_EQ(vmap(next, {.axis_name = "i"})(x()).to_vector<float>(), (Floats{0, 1, 2}));
}

TEST(CollectiveRules, ASumsGradientIsASumAgain) {
  const auto f = [](const Array& v) {
    return numpy::sum(vmap([](const Array& one) { return lax::psum(one * one, "i"); }, {.axis_name = "i"})(v) *
                      numpy::array({1.0f, 10.0f, 100.0f}));
  };
  EXPECT_EQ(grad(f)(x()).to_vector<float>(), (Floats{222, 444, 1332}));
}

TEST(CollectiveRules, ANameThatIsNotBoundIsAnError) { EXPECT_THROW(lax::psum(x(), "j"), Error); }

}  // namespace
}  // namespace hilo
