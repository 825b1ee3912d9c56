// SPDX-License-Identifier: Apache-2.0
// Comparisons with JAX's values are in tests/scipy/golden.inc.
#include "hilo/scipy/interpolate/interpolate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::interpolate {
namespace {

Array xs() { return numpy::array({0.0f, 1.0f, 3.0f}); }
Array ys() { return numpy::array({-1.0f, 0.5f}); }

TEST(RegularGridInterpolator, IsExactForWhatIsLinearInEachCoordinate) {
  const auto f = [](const Array& x, const Array& y) { return 2.0 + 3.0 * x - y + 0.5 * x * y; };
  const Array values = f(numpy::expand_dims(xs(), 1), ys());
  const RegularGridInterpolator g({xs(), ys()}, values);
  const Array at = numpy::array({{0.25f, -0.75f}, {2.5f, 0.25f}, {3.0f, 0.5f}, {0.0f, -1.0f}});
  const std::vector<float> got = g(at).to_vector<float>(), wanted = f(at(all, 0), at(all, 1)).to_vector<float>();
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-5);
  const Array slope = grad([&](Array p) { return g(p)[0]; })(numpy::array({0.5f, 0.0f}));
  EXPECT_NEAR(slope[0].item<float>(), 3.0, 1e-5);
  EXPECT_NEAR(slope[1].item<float>(), -0.75, 1e-5);
}

TEST(RegularGridInterpolator, OutsideIsNanOrWhatIsAsked) {
  const Array values = numpy::array({0.0f, 1.0f, 5.0f});
  const Array at = numpy::array({-1.0f, 4.0f, numpy::nan});
  for (float v : RegularGridInterpolator({xs()}, values)(at).to_vector<float>()) EXPECT_TRUE(std::isnan(v));
  const std::vector<float> filled =
      RegularGridInterpolator({xs()}, values, {.fill_value = -7.0})(at).to_vector<float>();
  EXPECT_EQ(filled[0], -7);
  EXPECT_EQ(filled[1], -7);
  EXPECT_TRUE(std::isnan(filled[2]));
  const std::vector<float> continued =
      RegularGridInterpolator({xs()}, values, {.fill_value = none})(at).to_vector<float>();
  EXPECT_FLOAT_EQ(continued[0], -1);
  EXPECT_FLOAT_EQ(continued[1], 7);
}

TEST(RegularGridInterpolator, ShapesAreThePlacesAndWhatIsBehindTheGrid) {
  const RegularGridInterpolator g({xs(), ys()}, numpy::ones({3, 2, 4, 5}));
  EXPECT_EQ(Dimensions(g(numpy::zeros({6, 7, 2})).shape()), (Dimensions{6, 7, 4, 5}));
  EXPECT_EQ(Dimensions(g({numpy::zeros({3, 1}), numpy::zeros({2})}).shape()), (Dimensions{3, 2, 4, 5}));
  EXPECT_EQ(g(numpy::zeros({0, 2})).size(), 0);
}

TEST(RegularGridInterpolator, IsATree) {
  const RegularGridInterpolator g({xs()}, numpy::array({0, 2, 4}), {.fill_value = none});
  const auto at_half = [](const RegularGridInterpolator& f) { return f(Array(numpy::array({0.5f})))[0]; };
  EXPECT_EQ(jit(at_half)(g).item<float>(), 1);
  const Array at = numpy::array({0.5f, 2.0f});
  EXPECT_EQ(vmap([&](Array x) { return g(x.reshape(1, 1))[0]; })(at).to_vector<float>(), (std::vector<float>{1, 3}));
}

TEST(RegularGridInterpolator, RefusesGridsThatAreNone) {
  EXPECT_THROW(RegularGridInterpolator({}, numpy::ones({3})), Error);
  EXPECT_THROW(RegularGridInterpolator({xs()}, numpy::ones({4})), Error);
  EXPECT_THROW(RegularGridInterpolator({xs(), ys()}, numpy::ones({3})), Error);
  EXPECT_THROW(RegularGridInterpolator({numpy::ones({1})}, numpy::ones({1})), Error);
  EXPECT_THROW(RegularGridInterpolator({xs()}, numpy::ones({3}), {.method = "cubic"}), Error);
  EXPECT_THROW(RegularGridInterpolator({xs()}, numpy::ones({3}), {.bounds_error = true}), Error);
  const RegularGridInterpolator g({xs(), ys()}, numpy::ones({3, 2}));
  EXPECT_THROW((void)g(numpy::ones({4, 3})), Error);
  EXPECT_THROW((void)g(numpy::ones({4, 2}), {.method = "cubic"}), Error);
}

}  // namespace
}  // namespace hilo::scipy::interpolate
