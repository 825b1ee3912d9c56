// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

Array chosen(const Array& p, const Array& x) {
  return lax::cond(p, [](const Array& v) { return v * v; }, [](const Array& v) { return -v; }, x);
}

TEST(CondRules, TheGradientIsThatOfTheBranchThatRuns) {
  const auto f = [](const Array& x) { return chosen(x > 0, x); };
  EXPECT_EQ(grad(f)(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ(grad(f)(Array(-3.0f)).item<float>(), -1);
}

TEST(CondRules, ABatchedPredicateSelects) {
  const Array p = numpy::array({true, false}), x = numpy::array({3.0f, 3.0f});
  EXPECT_EQ(vmap(chosen)(p, x).to_vector<float>(), (Floats{9, -3}));
  EXPECT_EQ(vmap(chosen, {kNoAxis, 0})(Array(true), x).to_vector<float>(), (Floats{9, 9}));
}

/// Doubles x until it is at least 100.
Array doubled(const Array& x) {
  return lax::while_loop([](const Array& v) { return v < 100.0f; }, [](const Array& v) { return v * 2.0f; }, x);
}

TEST(WhileRules, TangentsGoThroughTheIterations) {
  EXPECT_EQ(jvp(doubled, std::tuple(Array(30.0f)), std::tuple(Array(1.0f))).second.item<float>(), 4);
  EXPECT_EQ(jvp(doubled, std::tuple(Array(300.0f)), std::tuple(Array(1.0f))).second.item<float>(), 1);
}

TEST(WhileRules, ExamplesEndOnTheirOwn) {
  EXPECT_EQ(vmap(doubled)(numpy::array({30.0f, 300.0f, 99.0f})).to_vector<float>(), (Floats{120, 300, 198}));
}

TEST(WhileRules, ReverseModeIsRefused) { EXPECT_THROW(grad(doubled)(Array(30.0f)), Error); }

}  // namespace
}  // namespace hilo
