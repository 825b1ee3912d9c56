// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/stats/continuous.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/scipy/special/special.h"
#include "hilo/scipy/stats/discrete.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::stats {
namespace {

/// Gradients of the sum of f.
template <typename F>
std::vector<float> slopes(const F& f, const Array& x) {
  return grad([&](Array at) { return numpy::sum(f(at)); })(x).template to_vector<float>();
}

TEST(Truncnorm, LimitsInTheWrongOrderGiveNanWhoseDerivativeIsZero) {
  const Array x = 0.5f, a = 2.0f, b = -1.0f;
  const auto each = [&](auto f) {
    EXPECT_TRUE(std::isnan(f(x, a, b, 0.0f, 1.0f).template item<float>()));
    const auto [in_x, in_a, in_b] =
        grad<0, 1, 2>([&](Array at, Array low, Array high) { return f(at, low, high, 0.0f, 1.0f); })(x, a, b);
    EXPECT_EQ(in_x.template item<float>(), 0);
    EXPECT_EQ(in_a.template item<float>(), 0);
    EXPECT_EQ(in_b.template item<float>(), 0);
  };
  each([](const auto&... v) { return truncnorm::pdf(v...); });
  each([](const auto&... v) { return truncnorm::logpdf(v...); });
  each([](const auto&... v) { return truncnorm::cdf(v...); });
  each([](const auto&... v) { return truncnorm::logcdf(v...); });
  each([](const auto&... v) { return truncnorm::sf(v...); });
  each([](const auto&... v) { return truncnorm::logsf(v...); });
}

TEST(Truncnorm, RightLimitsBesideWrongOnesKeepTheirValues) {
  const Array a = numpy::array({-1.0f, 3.0f}), b = numpy::array({2.0f, -3.0f});
  const float mass = special::ndtr(2.0f).item<float>() - special::ndtr(-1.0f).item<float>();
  const float below = special::ndtr(0.5f).item<float>() - special::ndtr(-1.0f).item<float>();
  EXPECT_NEAR(truncnorm::cdf(0.5f, a, b).to_vector<float>()[0], below / mass, 1e-6f);
  EXPECT_NEAR(truncnorm::sf(0.5f, a, b).to_vector<float>()[0], 1 - below / mass, 1e-6f);
  EXPECT_EQ(truncnorm::cdf(numpy::array({-1.5f, 2.5f}), -1.0f, 2.0f).to_vector<float>(), (std::vector<float>{0, 1}));
}

TEST(Pareto, OutsideOfItsSupportDerivativesAreZeroInReverseToo) {
  const Array x = numpy::array({-1.0f, 0.0f, 0.5f, 3.0f});
  const auto each = [&](auto f, float inside) {
    const std::vector<float> got = slopes([&](Array at) { return f(at, 2.0f); }, x);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(got[i], 0);
    EXPECT_NEAR(got[3], inside, 1e-6f);
  };
  // 2 x^-3, and 1 - x^-2 above 1
  each([](const auto&... v) { return pareto::logpdf(v...); }, -1.0f);
  each([](const auto&... v) { return pareto::pdf(v...); }, -6.0f / 81);
  each([](const auto&... v) { return pareto::cdf(v...); }, 2.0f / 27);
  each([](const auto&... v) { return pareto::logcdf(v...); }, 2.0f / 27 / (8.0f / 9));
  each([](const auto&... v) { return pareto::logsf(v...); }, -2.0f / 3);
}

TEST(Beta, OutsideOfItsSupportDerivativesAreZeroInReverseToo) {
  const std::vector<float> got =
      slopes([](Array at) { return beta::logpdf(at, 2.0f, 3.0f); }, numpy::array({-0.5f, 0.25f, 1.5f}));
  EXPECT_EQ(got[0], 0);
  EXPECT_NEAR(got[1], 1 / 0.25f - 2 / 0.75f, 1e-5f);
  EXPECT_EQ(got[2], 0);
  EXPECT_TRUE(std::isnan(beta::logpdf(0.5f, -1.0f, 3.0f).item<float>()));
  EXPECT_EQ(grad([](Array a) { return beta::logpdf(0.5f, a, 3.0f); })(Array(-1.0f)).item<float>(), 0);
}

TEST(Discrete, OutsideOfTheirSupportDerivativesAreZeroInReverseToo) {
  const Array k = numpy::array({-2, 3, 12}), p = numpy::full({3}, 0.25f);
  const std::vector<float> of_binom = slopes([&](Array at) { return binom::logpmf(k, 10, at); }, p);
  EXPECT_EQ(of_binom[0], 0);
  EXPECT_NEAR(of_binom[1], 3 / 0.25f - 7 / 0.75f, 1e-4f);
  EXPECT_EQ(of_binom[2], 0);
  EXPECT_EQ(slopes([&](Array n) { return binom::logpmf(k, n, 0.25f); }, numpy::full({3}, 10.0f))[2], 0);
  EXPECT_EQ(slopes([&](Array n) { return nbinom::logpmf(k, n, 0.25f); }, numpy::full({3}, 2.0f))[0], 0);
}

TEST(Entr, BelowZeroItsDerivativeIsZero) {
  EXPECT_EQ(slopes([](Array x) { return special::entr(x); }, numpy::array({-1.0f, 1.0f})), (std::vector<float>{0, -1}));
}

}  // namespace
}  // namespace hilo::scipy::stats
