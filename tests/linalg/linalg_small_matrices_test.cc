// SPDX-License-Identifier: Apache-2.0
// Linear algebra of small matrices, which is written out: alone, in loops, under vmap, and its derivatives.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/linalg.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/scipy/linalg/linalg.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/x64.h"

namespace hilo::linalg {
namespace {

/// Returns [batch, rows, columns], or [rows, columns] for batch 0.
std::vector<int64_t> shape_of(int64_t batch, int64_t rows, int64_t columns) {
  return batch == 0 ? std::vector<int64_t>{rows, columns} : std::vector<int64_t>{batch, rows, columns};
}

Array random_matrix(std::vector<int64_t> shape, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  int64_t count = 1;
  for (int64_t d : shape) count *= d;
  std::vector<double> values(count);
  for (double& v : values) v = unit(random);
  return numpy::reshape(numpy::array(values), shape);
}

Array definite(const Array& a) { return numpy::matmul(a, numpy::swapaxes(a, -1, -2)) + numpy::eye(a.shape(-1)) * 0.5; }

double difference(const Array& x, const Array& y) { return numpy::max(numpy::abs(x - y)).item<double>(); }

constexpr double kTolerance = 1e-11;

TEST(SmallMatrices, SolveInverseAndDeterminantFitTheirDefinition) {
  const X64Scope wide;
  for (int64_t n : {1, 2, 3, 5, 7}) {
    for (int64_t batch : {0, 3}) {
      const Array a = random_matrix(shape_of(batch, n, n), 7) + numpy::eye(n),
                  b = random_matrix(shape_of(batch, n, 2), 8);
      EXPECT_LT(difference(numpy::matmul(a, jit([](Array a, Array b) { return solve(a, b); })(a, b)), b), 1e-9) << n;
      EXPECT_LT(difference(numpy::matmul(a, inv(a)), numpy::broadcast_to(numpy::eye(n), a.shape())), 1e-8) << n;
      const SlogdetResult s = slogdet(a);
      EXPECT_LT(difference(det(a), s.sign * numpy::exp(s.logabsdet)), kTolerance) << n;
      const Array d = definite(a), l = cholesky(d);
      EXPECT_LT(difference(numpy::matmul(l, numpy::swapaxes(l, -1, -2)), d), kTolerance) << n;
      const QrResult f = qr(a);
      EXPECT_LT(difference(numpy::matmul(f.q, f.r), a), kTolerance) << n;
    }
  }
}

/// One step of a loop: every decomposition that is written out.
Array step(const Array& x) {
  const Array a = x + numpy::eye(x.shape(-1)) * 2.0;
  const Array y = solve(a, x), l = cholesky(definite(y));
  const Array z = lax::linalg::triangular_solve(l, y, {.left_side = true, .lower = true});
  return numpy::sin(z) * 0.5 + qr(a).r * 0.1;
}

TEST(SmallMatrices, LoopsComputeWhatTheirStepsDo) {
  const X64Scope wide;
  for (int64_t n : {1, 2, 4}) {
    const Array x = random_matrix({n, n}, 3);
    Array expected = x;
    for (int k = 0; k < 4; ++k) expected = step(expected);
    const auto loop = jit(
        [](const Array& x) { return lax::fori_loop(0, 4, [](const Array&, const Array& x) { return step(x); }, x); });
    EXPECT_LT(difference(loop(x), expected), 1e-9) << n;
    const auto scanned = jit([](const Array& x) {
      return lax::scan([](const Array& x, const Array&) { return std::pair(step(x), x); }, x, numpy::zeros({4})).first;
    });
    EXPECT_LT(difference(scanned(x), expected), 1e-9) << n;
  }
}

TEST(SmallMatrices, VmapComputesEachMatrixAlone) {
  const X64Scope wide;
  for (int64_t n : {2, 3}) {
    for (int64_t batch : {1, 17}) {
      const Array all = random_matrix({batch, n, n}, 5);
      const auto loop = [](const Array& x) {
        return lax::fori_loop(0, 3, [](const Array&, const Array& x) { return step(x); }, x);
      };
      const Array got = jit(vmap(loop))(all), once = jit(vmap(step))(all);
      for (int64_t k = 0; k < batch; k += 4) {
        EXPECT_LT(difference(got[k], loop(all[k])), 1e-9) << n;
        EXPECT_LT(difference(once[k], step(all[k])), 1e-9) << n;
      }
    }
  }
}

/// (f(x + h d) - f(x - h d)) / 2h.
template <typename F>
double slope(const F& f, const Array& x, const Array& d) {
  constexpr double kStep = 1e-5;
  return (f(x + d * kStep).template item<double>() - f(x - d * kStep).template item<double>()) / (2 * kStep);
}

TEST(SmallMatrices, GradientsAreSlopes) {
  const X64Scope wide;
  for (int64_t n : {1, 3}) {
    const Array x = random_matrix({n, n}, 9), d = random_matrix({n, n}, 10);
    const auto check = [&](const auto& f, const char* what) {
      const double expected = slope(f, x, d);
      const double got = numpy::sum(jit(grad(f))(x) * d).template item<double>();
      EXPECT_NEAR(got, expected, 1e-6 * (1 + std::abs(expected))) << what << " " << n;
    };
    check([](const Array& x) { return numpy::sum(numpy::sin(inv(x + numpy::eye(x.shape(0)) * 3.0))); }, "inv");
    check([](const Array& x) { return numpy::sum(numpy::sin(cholesky(definite(x)))); }, "cholesky");
    check([](const Array& x) { return slogdet(x + numpy::eye(x.shape(0)) * 3.0).logabsdet; }, "slogdet");
    check([](const Array& x) { return numpy::sum(numpy::sin(qr(x + numpy::eye(x.shape(0)) * 3.0).r)); }, "qr");
    check(
        [](const Array& x) {
          return numpy::sum(lax::fori_loop(0, 3, [](const Array&, const Array& x) { return step(x); }, x));
        },
        "loop");
  }
}

TEST(SmallMatrices, SingularOnesAreInfiniteOrNan) {
  const Array singular = numpy::array({{1.0f, 2.0f}, {2.0f, 4.0f}});
  const std::vector<float> x = solve(singular, numpy::array({1.0f, 1.0f})).to_vector<float>();
  EXPECT_FALSE(std::isfinite(x[0]) || std::isfinite(x[1]));
  EXPECT_EQ(slogdet(singular).sign.item<float>(), 0);
  EXPECT_TRUE(std::isnan(cholesky(-singular).to_vector<float>()[0]));
  const Array zero = numpy::zeros({3, 3});
  EXPECT_TRUE(std::isnan(solve(zero, numpy::zeros({3})).to_vector<float>()[0]));
}

}  // namespace
}  // namespace hilo::linalg
