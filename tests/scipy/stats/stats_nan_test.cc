// SPDX-License-Identifier: Apache-2.0
// Every function of every distribution is NaN if an argument is NaN, inside of the support and outside.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "hilo/numpy/numpy.h"
#include "hilo/scipy/special/special.h"
#include "hilo/scipy/stats/stats.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::stats {
namespace {

using Arguments = std::vector<Array>;
struct Function {
  const char* name;
  std::function<Array(const Arguments&)> f;
  std::vector<float> inside;  ///< arguments in the support
  float outside;              ///< an x outside of the support, or outside of [0, 1] for probabilities
};

#define CALL_2(f) f(v[0], v[1])
#define CALL_3(f) f(v[0], v[1], v[2])
#define CALL_4(f) f(v[0], v[1], v[2], v[3])
#define CALL_5(f) f(v[0], v[1], v[2], v[3], v[4])
#define AT(count, name, outside, ...) \
  {#name, [](const Arguments& v) { return CALL_##count(name); }, {__VA_ARGS__}, outside},
#define LOC_SCALE(space, name) AT(3, space::name, -9.0f, 1.0f, 0.5f, 2.0f)
#define QUANTILE(space, name) AT(3, space::name, -0.5f, 0.25f, 0.5f, 2.0f)
#define DENSITY(space) LOC_SCALE(space, logpdf) LOC_SCALE(space, pdf) LOC_SCALE(space, cdf)
#define TAILS(space) LOC_SCALE(space, logcdf) LOC_SCALE(space, sf) LOC_SCALE(space, logsf)
#define ALL_OF(count, space, ...)              \
  AT(count, space::logpdf, -9.0f, __VA_ARGS__) \
  AT(count, space::pdf, -9.0f, __VA_ARGS__)    \
  AT(count, space::cdf, -9.0f, __VA_ARGS__)    \
  AT(count, space::logcdf, -9.0f, __VA_ARGS__) \
  AT(count, space::sf, -9.0f, __VA_ARGS__) AT(count, space::logsf, -9.0f, __VA_ARGS__)
#define MASS(count, space, ...) AT(count, space::logpmf, -3.0f, __VA_ARGS__) AT(count, space::pmf, -3.0f, __VA_ARGS__)

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      DENSITY(norm) TAILS(norm) QUANTILE(norm, ppf) QUANTILE(norm, isf) DENSITY(uniform) QUANTILE(uniform, ppf) DENSITY(
          expon) TAILS(expon) QUANTILE(expon, ppf) DENSITY(laplace) DENSITY(logistic) LOC_SCALE(logistic, sf)
          QUANTILE(logistic, ppf) QUANTILE(logistic, isf) DENSITY(cauchy) TAILS(cauchy) QUANTILE(cauchy, ppf) QUANTILE(
              cauchy, isf) DENSITY(gumbel_l) TAILS(gumbel_l) QUANTILE(gumbel_l, ppf) DENSITY(gumbel_r) TAILS(gumbel_r)
              QUANTILE(gumbel_r, ppf) ALL_OF(4, gamma, 1.0f, 2.0f, 0.5f, 2.0f) ALL_OF(4, chi2, 1.0f, 3.0f, 0.5f, 2.0f)
                  AT(4, t::logpdf, -9.0f, 1.0f, 3.0f, 0.5f, 2.0f) AT(4, t::pdf, -9.0f, 1.0f, 3.0f, 0.5f, 2.0f) ALL_OF(
                      4, pareto, 3.0f, 1.5f, 0.5f, 2.0f) AT(4, pareto::ppf, -0.5f, 0.25f, 1.5f, 0.5f, 2.0f)
                      ALL_OF(5, beta, 1.0f, 2.0f, 3.0f, 0.5f, 2.0f) ALL_OF(5, truncnorm, 1.0f, -1.0f, 2.0f, 0.5f, 2.0f)
                          AT(2, gennorm::logpdf, -9.0f, 1.0f, 1.5f) AT(2, gennorm::pdf, -9.0f, 1.0f, 1.5f)
                              AT(2, gennorm::cdf, -9.0f, 1.0f, 1.5f) AT(2, vonmises::logpdf, -9.0f, 1.0f, 2.0f) AT(
                                  2, vonmises::pdf, -9.0f, 1.0f, 2.0f) AT(2, wrapcauchy::logpdf, -9.0f, 1.0f, 0.5f)
                                  AT(2, wrapcauchy::pdf, -9.0f, 1.0f, 0.5f) MASS(3, bernoulli, 1.0f, 0.25f, 0.0f) AT(
                                      2, bernoulli::cdf, -3.0f, 1.0f, 0.25f) AT(2, bernoulli::ppf, -0.5f, 0.5f, 0.25f)
                                      MASS(4, binom, 2.0f, 5.0f, 0.25f, 0.0f)
                                          MASS(5, betabinom, 2.0f, 5.0f, 2.0f, 3.0f, 0.0f)
                                              MASS(4, nbinom, 2.0f, 4.0f, 0.25f, 0.0f) MASS(3, geom, 2.0f, 0.25f, 0.0f)
                                                  MASS(3, poisson, 2.0f, 2.5f, 0.0f)
                                                      AT(3, poisson::cdf, -3.0f, 2.0f, 2.5f, 0.0f)};
  return all;
}

TEST(Distributions, OfNanAreNan) {
  for (const Function& function : functions()) {
    const size_t n = function.inside.size();
    // Rows: each argument NaN with x inside, each with x outside, and no NaN.
    Arguments arguments;
    for (size_t column = 0; column < n; ++column) {
      std::vector<float> values(2 * n + 1, function.inside[column]);
      if (column == 0) std::fill(values.begin() + static_cast<int64_t>(n), values.end() - 1, function.outside);
      values[column] = values[n + column] = std::nanf("");
      arguments.push_back(numpy::array(values));
    }
    const std::vector<float> got = function.f(arguments).to_vector<float>();
    for (size_t i = 0; i < 2 * n; ++i)
      EXPECT_TRUE(std::isnan(got[i])) << function.name << ", argument " << i % n << (i < n ? "" : ", outside") << ": "
                                      << got[i];
    EXPECT_FALSE(std::isnan(got[2 * n])) << function.name;
  }
}

TEST(Distributions, OfVectorsWithNanAreNan) {
  const Array alpha = numpy::array({1.0f, 2.0f}), nan_alpha = numpy::array({1.0f, std::nanf("")});
  EXPECT_TRUE(std::isnan(dirichlet::pdf(numpy::array({std::nanf(""), 0.5f}), alpha).item<float>()));
  EXPECT_TRUE(std::isnan(dirichlet::logpdf(numpy::array({0.5f, 0.5f}), nan_alpha).item<float>()));
  EXPECT_FALSE(std::isnan(dirichlet::logpdf(numpy::array({0.5f, 0.5f}), alpha).item<float>()));
  EXPECT_TRUE(std::isnan(multinomial::pmf(numpy::array({1, 2}), 4, nan_alpha).item<float>()));
  EXPECT_TRUE(std::isnan(special::rel_entr(0.0f, std::nanf("")).item<float>()));
}

TEST(Distributions, FarOutTheyHaveValuesAndSlopes) {
  EXPECT_NEAR(cauchy::logpdf(1e30f).item<float>(), -2 * std::log(1e30f) - std::log(3.14159265f), 1e-4f);
  EXPECT_TRUE(std::isnan(cauchy::ppf(1.5f).item<float>()));
  EXPECT_NEAR(chi2::logpdf(0.0f, 2.0f).item<float>(), -std::log(2.0f), 1e-6f);
  EXPECT_EQ(grad([](Array x) { return laplace::cdf(x); })(2000.0f).item<float>(), 0);
  EXPECT_EQ(grad([](Array x) { return laplace::cdf(x); })(-2000.0f).item<float>(), 0);
  EXPECT_EQ(grad([](Array x) { return expon::cdf(x); })(-2000.0f).item<float>(), 0);
}

}  // namespace
}  // namespace hilo::scipy::stats
