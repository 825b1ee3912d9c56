// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/bessel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jvp.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo::scipy::special {
namespace {

constexpr float kPoints[] = {1e-30f, 1e-5f, 0.05f, 0.3f, 1.0f, 2.404826f, 5.0f, 20.0f, -3.0f};

float order(int64_t k, float x) {
  const float sign = x < 0 && k % 2 == 1 ? -1.0f : 1.0f;
  return sign * std::cyl_bessel_jf(static_cast<float>(k), std::abs(x));
}
float slope(int64_t k, float x) { return k == 0 ? -order(1, x) : 0.5f * (order(k - 1, x) - order(k + 1, x)); }

TEST(BesselJn, IsRightFromTinyNumbersToGreatOnes) {
  const Array x = numpy::array(std::vector<float>(std::begin(kPoints), std::end(kPoints)));
  const std::vector<float> got = bessel_jn(x, {.v = 6}).to_vector<float>();
  for (int64_t k = 0; k <= 6; ++k)
    for (size_t i = 0; i < std::size(kPoints); ++i)
      EXPECT_NEAR(got[static_cast<size_t>(k) * std::size(kPoints) + i], order(k, kPoints[i]), 2e-6f)
          << k << " at " << kPoints[i];
}

TEST(BesselJn, ItsDerivativesAreThoseOfTheOrdersBeside) {
  const Array x = numpy::array(std::vector<float>(std::begin(kPoints), std::end(kPoints)));
  const auto f = [](Array at) { return bessel_jn(at, {.v = 4}); };
  const std::vector<float> got = jvp(f, std::tuple(x), std::tuple(numpy::ones_like(x))).second.to_vector<float>();
  for (int64_t k = 0; k <= 4; ++k)
    for (size_t i = 0; i < std::size(kPoints); ++i)
      EXPECT_NEAR(got[static_cast<size_t>(k) * std::size(kPoints) + i], slope(k, kPoints[i]), 2e-6f)
          << k << " at " << kPoints[i];
  const Array curvature = grad(grad([&](Array at) { return f(at)[0]; }))(Array(0.0f));
  EXPECT_FLOAT_EQ(curvature.item<float>(), -0.5f);  // J_0 = 1 - x^2 / 4 + ...
}

TEST(BesselJn, AtZeroTheFirstOrderIsOneAndTheOthersRiseAsTheyShould) {
  const auto f = [](Array at) { return bessel_jn(at, {.v = 3, .n_iter = 3}); };
  EXPECT_EQ(f(0.0f).to_vector<float>(), (std::vector<float>{1, 0, 0, 0}));
  EXPECT_EQ(jacrev(f)(Array(0.0f)).to_vector<float>(), (std::vector<float>{0, 0.5f, 0, 0}));
  EXPECT_EQ(vmap(f)(numpy::zeros({2}))[1].to_vector<float>(), (std::vector<float>{1, 0, 0, 0}));
}

TEST(BesselJn, NanEmptyHalfFloatsAndOrdersThatArentThere) {
  EXPECT_TRUE(numpy::all(numpy::isnan(bessel_jn(numpy::nan, {.v = 2}))).item<bool>());
  EXPECT_EQ(bessel_jn(numpy::zeros({0}), {.v = 2}).aval_shape(), numpy::zeros({3, 0}).aval_shape());
  const Array half = bessel_jn(numpy::ones({2}, ElementType::kF16), {.v = 1});
  EXPECT_EQ(half.dtype(), ElementType::kF16);
  EXPECT_NEAR(half.to_vector<float>()[0], order(0, 1), 1e-3f);
  error_of([] { bessel_jn(1.0f, {.v = 3, .n_iter = 2}); }, StatusCode::kInvalidArgument);
  error_of([] { bessel_jn(1.0f, {.v = -1}); }, StatusCode::kInvalidArgument);
}

TEST(SphHarmY, HasADerivativeAtThePoles) {
  const auto f = [](Array theta) {
    return numpy::sum(
        numpy::real(sph_harm_y(numpy::array({1}), numpy::array({1}), theta, numpy::zeros({1}), {.n_max = 1})));
  };
  const float wanted = -std::sqrt(3.0f / (8.0f * 3.14159265f));  // the spherical harmonic -sqrt(3 / 8 pi) sin(theta)
  EXPECT_NEAR(grad(f)(numpy::zeros({1})).to_vector<float>()[0], wanted, 1e-6f);
  EXPECT_NEAR(jvp(f, std::tuple(numpy::zeros({1})), std::tuple(numpy::ones({1}))).second.item<float>(), wanted, 1e-6f);
}

}  // namespace
}  // namespace hilo::scipy::special
