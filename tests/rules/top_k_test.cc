// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "hilo/lax/sorting.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

std::string text_of(const Array& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

TEST(TopK, GivesValuesAndPlacesAlongAnAxis) {
  const Array x = numpy::array({{1.0, 9.0}, {7.0, 3.0}, {4.0, 5.0}});
  const lax::TopK found = lax::top_k(x, 2, 0);
  EXPECT_EQ(text_of(found.values), "[[7. 9.]\n [4. 5.]]");
  EXPECT_EQ(text_of(found.indices), "[[1 0]\n [2 2]]");
  const auto best = [](Array v) { return numpy::sum(lax::top_k(v, 2).values); };
  EXPECT_EQ(text_of(grad(best)(numpy::array({1.0, 4.0, 2.0}))), "[0. 1. 1.]");
  EXPECT_THROW(lax::top_k(x, 3), Error);
  EXPECT_THROW(lax::top_k(x, 1, 2), Error);
}

TEST(TopKRules, TheTangentMovesAsTheValuesDo) {
  const auto best = [](const Array& v) { return lax::top_k(v, 2).values; };
  const Array x = numpy::array({1.0f, 4.0f, 2.0f});
  EXPECT_EQ(jvp(best, std::tuple(x), std::tuple(numpy::array({10.0f, 20.0f, 30.0f}))).second.to_vector<float>(),
            (std::vector<float>{20, 30}));
}

TEST(TopKRules, BatchesAlongAnyAxis) {
  const Array x = numpy::array({{1.0f, 7.0f}, {9.0f, 3.0f}, {4.0f, 5.0f}});
  const auto best = [](const Array& v) { return lax::top_k(v, 1).values; };
  EXPECT_EQ(vmap(best, {1})(x).to_vector<float>(), (std::vector<float>{9, 7}));
  EXPECT_EQ(vmap(best)(x).to_vector<float>(), (std::vector<float>{7, 9, 5}));
}

TEST(TopKRules, OfNoneHasNoTangent) {
  const auto none = [](const Array& v) { return numpy::sum(lax::top_k(v, 0).values); };
  EXPECT_EQ(grad(none)(numpy::array({1.0f, 2.0f})).to_vector<float>(), (std::vector<float>{0, 0}));
}

}  // namespace
}  // namespace hilo
