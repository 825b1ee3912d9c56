// SPDX-License-Identifier: Apache-2.0
// Derivatives of eigenvalues and eigenvectors of non-Hermitian matrices.
#include "hilo/lax/decompositions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "hilo/base/flags.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::lax {
namespace {

using Complex = std::complex<double>;

/// In f64 and c128, so that finite differences have many correct digits.
class EigDerivatives : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(config().update("jax_enable_x64", true).ok()); }
  void TearDown() override { ASSERT_TRUE(config().update("jax_enable_x64", false).ok()); }
};

/// Two matrices [2, 3, 3]. If `type` is real, one of them has a conjugate pair of eigenvalues.
Array sample(ElementType type) {
  const std::vector<double> real = {1, 2, .5, -1, 3, 1, .25, -2, 2, 4, .5, 1, .75, 1, -.5, .25, 1.5, -3};
  const std::vector<double> imaginary = {.5, 0, 1, 0, -1, 0, 2, 0, .25, 0, 1, 0, -.5, 0, .25, .75, 0, 1};
  std::vector<Complex> values;
  for (size_t i = 0; i < real.size(); ++i) values.emplace_back(real[i], imaginary[i]);
  return is_complex(type) ? Array::from_vector(values, {2, 3, 3}) : Array::from_vector(real, {2, 3, 3});
}

Array direction(ElementType type) {
  std::vector<Complex> values;
  for (int k = 0; k < 18; ++k) values.emplace_back((k * 7 % 11 - 5) / 4.0, (k * 5 % 7 - 3) / 2.0);
  const Array x = Array::from_vector(values, {2, 3, 3});
  return is_complex(type) ? x : ops::real(x);
}

void expect_near(const Array& got, const Array& wanted, double tolerance) {
  ASSERT_EQ(got.aval_shape(), wanted.aval_shape());
  const std::vector<Complex> a = got.to_vector<Complex>(), b = wanted.to_vector<Complex>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_LE(std::abs(a[i] - b[i]), tolerance) << "at " << i;
}

constexpr ElementType kTypes[] = {ElementType::kF64, ElementType::kC128};

TEST_F(EigDerivatives, AreFiniteDifferencesOfValuesAndVectors) {
  for (ElementType type : kTypes) {
    for (const auto& [left, right] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
      const Array x = sample(type), d = direction(type);
      const auto f = [left = left, right = right](const Array& a) { return linalg::eig(a, left, right, true); };
      const double h = 1e-6;
      const Array step = d * h;
      const std::vector<Array> above = f(x + step), below = f(x - step);
      const auto [values, tangents] = jvp(f, std::tuple(x), std::tuple(d));
      ASSERT_EQ(tangents.size(), 1u + left + right);
      for (size_t k = 0; k < tangents.size(); ++k) expect_near(tangents[k], (above[k] - below[k]) / (2 * h), 1e-7);
    }
  }
}

TEST_F(EigDerivatives, OfDerivativesAreFiniteDifferencesToo) {
  const Array x = sample(ElementType::kC128), d = direction(ElementType::kC128);
  const auto slope = [&](const Array& a) {
    const auto f = [](const Array& b) { return linalg::eig(b, false, true, true)[1]; };
    return jvp(f, std::tuple(a), std::tuple(d)).second;
  };
  const double h = 1e-6;
  const Array step = d * h;
  expect_near(jvp(slope, std::tuple(x), std::tuple(d)).second, (slope(x + step) - slope(x - step)) / (2 * h), 1e-6);
}

/// Left and right vectors, weighted with (1 ... 9) / 8.
Array weighted(const Array& x) {
  const std::vector<Array> f = linalg::eig(x, true, true, true);
  const Array weights = (numpy::reshape(numpy::arange(9, ElementType::kF64), {3, 3}) + 1.0) / 8.0;
  return numpy::sum(ops::real(f[1]) * weights + ops::imag(f[2]) * weights);
}

Array slope(const Array& x) { return std::get<0>(vjp(weighted, x).second(numpy::ones({}, ElementType::kF64))); }

/// Recorded from jax.grad of the same function with jaxlib 0.10.2.
TEST_F(EigDerivatives, GradientsAreThoseOfJax) {
  const Array real = Array::from_vector<double>(
      {-0.23574823, -0.29202214, 0.65377402, 0.41171566, 0.39659413, -0.3248321, -0.5134729, -0.24486544, -0.1608459},
      {3, 3});
  const Array complex = Array::from_vector<Complex>({{-0.10865909, -0.0956921},
                                                     {-0.6248877, -0.0826971},
                                                     {0.13440049, -1.45247832},
                                                     {-0.26543309, 0.44083574},
                                                     {0.10720007, 0.35109168},
                                                     {-1.15359608, 0.81466515},
                                                     {0.24735974, 0.3507866},
                                                     {-0.28967315, 0.2423158},
                                                     {0.00145902, -0.25539959}},
                                                    {3, 3});
  expect_near(slope(sample(ElementType::kF64)[0]), real, 1e-7);
  expect_near(slope(sample(ElementType::kC128)[0]), complex, 1e-7);
}

TEST_F(EigDerivatives, AreTheSameUnderJitAndVmap) {
  for (ElementType type : kTypes) {
    const Array x = sample(type);
    const Array both[] = {slope(x[0]), slope(x[1])};
    expect_near(jit(slope)(x[0]), both[0], 1e-12);
    const Array batched = vmap(slope)(x);
    for (int k : {0, 1}) expect_near(batched[k], both[k], 1e-12);
  }
}

/// Every eigenvector of [[2, 1], [1, 2]] has two components of equal size, of both signs. The first one counts.
TEST_F(EigDerivatives, TakeTheFirstOfEqualComponentsAsTheGreatest) {
  const Array x = numpy::array({{2.0, 1}, {1, 2}}), d = numpy::array({{1.0, 0}, {0, 0}});
  const auto f = [](const Array& a) { return linalg::eig(a, false, true, true)[1]; };
  const auto [v, dv] = jvp(f, std::tuple(x), std::tuple(d));
  for (const Complex& c : dv.to_vector<Complex>()) EXPECT_NEAR(std::abs(c), std::sqrt(0.5) / 4, 1e-7);
}

TEST(Eig, VectorsWithoutTheFlagAreNotDifferentiatedAndTheErrorNamesIt) {
  for (const auto& [left, right] : {std::pair(true, false), {false, true}, {true, true}}) {
    const auto f = [left = left, right = right](const Array& x) { return numpy::sum(linalg::eig(x, left, right)[0]); };
    try {
      jvp(f, std::tuple(numpy::eye(2)), std::tuple(numpy::eye(2)));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), StatusCode::kUnimplemented);
      EXPECT_NE(std::string(error.what()).find("enable_eigvec_derivs=true"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace hilo::lax
