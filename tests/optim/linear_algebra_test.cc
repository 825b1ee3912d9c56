// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/linear_algebra.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/optim/optim.h"
#include "hilo/transform/jit.h"

namespace hilo::optim {
namespace {

Array symmetric() { return numpy::array({{4.0f, 1.0f, 0.5f}, {1.0f, 3.0f, -1.0f}, {0.5f, -1.0f, 2.0f}}); }
float greatest(const Array& x) { return numpy::max(numpy::abs(x)).item<float>(); }

TEST(PowerIteration, FindsTheGreatestEigenvalue) {
  const auto [value, vector] = power_iteration(symmetric(), {.num_iters = 300, .error_tolerance = 1e-7});
  EXPECT_LT(greatest(numpy::matmul(symmetric(), vector) - value * vector), 1e-4);
  const auto of_function = power_iteration([](const Array& v) { return 2.0 * v; }, {.v0 = numpy::array({3.0f, 4.0f})});
  EXPECT_FLOAT_EQ(of_function.eigenvalue.item<float>(), 2);
  EXPECT_FLOAT_EQ(of_function.eigenvector[0].item<float>(), 0.6f);
  EXPECT_THROW((void)power_iteration([](const Array& v) { return v; }, {}), Error);
  EXPECT_THROW((void)power_iteration(numpy::ones({2, 3})), Error);
}

TEST(MatrixInversePthRoot, ItsPowerIsTheInverse) {
  for (int64_t p : {1, 2, 4, 8}) {
    const Array root = jit([&](Array m) { return matrix_inverse_pth_root(m, p).root; })(symmetric());
    Array power = symmetric();
    for (int64_t i = 0; i < p; ++i) power = numpy::matmul(power, root);
    EXPECT_LT(greatest(power - numpy::eye(3)), 1e-3) << p;
  }
  EXPECT_FLOAT_EQ(matrix_inverse_pth_root(numpy::array({{16.0f}}), 2).root.item<float>(), 0.25f);
  EXPECT_THROW((void)matrix_inverse_pth_root(symmetric(), 3), Error);
}

TEST(Nnls, MeetsTheConditionsOfTheLeastSquare) {
  const Array a = numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}}), b = numpy::array({5.0f, 6.0f});
  const Array x = nnls(a, b, 1000);
  EXPECT_NEAR(x[0].item<float>(), 0, 1e-5);
  EXPECT_NEAR(x[1].item<float>(), 1.7, 1e-4);  // (2 5 + 4 6) / (2 2 + 4 4)
  const Array both = nnls(a, numpy::stack({b, -b}, 1), 1000);
  EXPECT_NEAR(both(1, 0).item<float>(), 1.7, 1e-4);
  EXPECT_EQ(both(1, 1).item<float>(), 0);
  EXPECT_EQ(nnls(numpy::zeros({2, 2}), b, 3).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_THROW((void)nnls(a, numpy::ones({3}), 5), Error);
}

TEST(MultiNormal, SumsTheLogarithmsOfItsParts) {
  const auto normal = multi_normal(numpy::array({0.0f, 1.0f}), numpy::array({0.0f, std::log(2.0f)}));
  const double wanted = -std::log(2 * M_PI) - std::log(2.0) - 0.5 * (0.25 + 0.0625);
  EXPECT_NEAR(normal.log_prob(numpy::array({0.5f, 0.5f})).item<float>(), wanted, 1e-6);
  const Array sample = normal.sample({1000}, random::key(0));
  EXPECT_EQ(sample.shape(0), 1000);
  EXPECT_NEAR(numpy::mean(sample, 0)[1].item<float>(), 1, 0.2);
  EXPECT_NEAR(numpy::std(sample, 0)[1].item<float>(), 2, 0.15);
}

}  // namespace
}  // namespace hilo::optim
