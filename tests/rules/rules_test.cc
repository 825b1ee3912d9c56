// SPDX-License-Identifier: Apache-2.0
// One row per op. Compares its jvp with finite differences, its vjp with its jvp, vmap with a loop, and jit with eager
// execution.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/elementwise.h"
#include "hilo/lax/special.h"
#include "hilo/nn/nn.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

struct Row {
  const char* name;
  Array (*f)(const Array& x);  ///< of f32[2,3]
  double low, high;            ///< x is drawn from [low, high]
};

/// Built from a literal, because a computed array belongs to the trace that computes it first.
const Array& other() {
  static const Array* y =
      new Array(Array::from_literal(Literal::array<float>({2, 3}, {0.7f, 1.3f, 0.4f, 1.1f, 0.9f, 1.7f})));
  return *y;
}

const Row kRows[] = {
    {"abs", [](const Array& x) { return numpy::abs(x); }, -2, 2},
    {"acos", [](const Array& x) { return lax::acos(x); }, -0.8, 0.8},
    {"acosh", [](const Array& x) { return lax::acosh(x); }, 1.5, 3},
    {"add", [](const Array& x) { return lax::add(x, other()); }, -2, 2},
    {"asin", [](const Array& x) { return lax::asin(x); }, -0.8, 0.8},
    {"asinh", [](const Array& x) { return lax::asinh(x); }, -2, 2},
    {"atan", [](const Array& x) { return lax::atan(x); }, -2, 2},
    {"atan2", [](const Array& x) { return lax::atan2(x, other()) + lax::atan2(other(), x); }, 0.5, 2},
    {"atanh", [](const Array& x) { return lax::atanh(x); }, -0.8, 0.8},
    {"bessel_i0e", [](const Array& x) { return lax::bessel_i0e(x); }, 0.5, 6},
    {"bessel_i1e", [](const Array& x) { return lax::bessel_i1e(x); }, -6, 6},
    {"cbrt", [](const Array& x) { return lax::cbrt(x); }, 0.5, 2},
    {"clamp", [](const Array& x) { return lax::clamp(other() * -1.0f, x, other()); }, -3, 3},
    {"cos", [](const Array& x) { return lax::cos(x); }, -3, 3},
    {"cosh", [](const Array& x) { return lax::cosh(x); }, -2, 2},
    {"digamma", [](const Array& x) { return lax::digamma(x); }, 0.5, 4},
    {"div", [](const Array& x) { return x / other() + other() / x; }, 0.5, 2},
    {"erf", [](const Array& x) { return lax::erf(x); }, -2, 2},
    {"erf_inv", [](const Array& x) { return lax::erf_inv(x); }, -0.7, 0.7},
    {"erfc", [](const Array& x) { return lax::erfc(x); }, -2, 2},
    {"exp", [](const Array& x) { return lax::exp(x); }, -2, 2},
    {"expm1", [](const Array& x) { return lax::expm1(x); }, -2, 2},
    {"lgamma", [](const Array& x) { return lax::lgamma(x); }, 0.5, 4},
    {"log", [](const Array& x) { return lax::log(x); }, 0.5, 3},
    {"log1p", [](const Array& x) { return lax::log1p(x); }, -0.5, 3},
    {"logistic", [](const Array& x) { return lax::logistic(x); }, -3, 3},
    {"max", [](const Array& x) { return lax::max(x, other()); }, -2, 2},
    {"min", [](const Array& x) { return lax::min(x, other()); }, -2, 2},
    {"mul", [](const Array& x) { return lax::mul(x, other()) + lax::mul(x, x); }, -2, 2},
    {"neg", [](const Array& x) { return lax::neg(x); }, -2, 2},
    {"polygamma", [](const Array& x) { return lax::polygamma(numpy::array({{1.0, 2, 0}, {1, 2, 0}}), x); }, 1, 3},
    {"pow", [](const Array& x) { return lax::pow(x, other()) + lax::pow(other(), x); }, 0.5, 2},
    {"rsqrt", [](const Array& x) { return lax::rsqrt(x); }, 0.5, 2},
    {"select", [](const Array& x) { return numpy::where(x > 0.3f, x * x, -x); }, -2, 2},
    {"sin", [](const Array& x) { return lax::sin(x); }, -3, 3},
    {"sinh", [](const Array& x) { return lax::sinh(x); }, -2, 2},
    {"sqrt", [](const Array& x) { return lax::sqrt(x); }, 0.5, 2},
    {"sub", [](const Array& x) { return lax::sub(other(), x); }, -2, 2},
    {"tan", [](const Array& x) { return lax::tan(x); }, -1, 1},
    {"tanh", [](const Array& x) { return lax::tanh(x); }, -2, 2},
    {"zeta", [](const Array& x) { return lax::zeta(other() + 1.5f, x); }, 1, 3},
    {"reshape", [](const Array& x) { return numpy::reshape(x, {3, 2}) * 2.0f; }, -2, 2},
    {"transpose", [](const Array& x) { return numpy::transpose(x) * 2.0f; }, -2, 2},
    {"broadcast", [](const Array& x) { return numpy::broadcast_to(x, {4, 2, 3}) * x; }, -2, 2},
    {"reverse", [](const Array& x) { return numpy::flip(x, 1) * x; }, -2, 2},
    {"slice", [](const Array& x) { return numpy::slice(x, 0, 3, 2, 1); }, -2, 2},
    {"concatenate", [](const Array& x) { return numpy::concatenate({x, x * x}, 1); }, -2, 2},
    {"gather",
     [](const Array& x) { return numpy::take(x, numpy::astype(numpy::array({2.0, 0, 2}), ElementType::kS32), 1); }, -2,
     2},
    {"reduce_sum", [](const Array& x) { return numpy::sum(x * x, 1); }, -2, 2},
    {"reduce_max", [](const Array& x) { return numpy::max(x, 1); }, -2, 2},
    {"reduce_min", [](const Array& x) { return numpy::min(x, 0); }, -2, 2},
    {"reduce_prod", [](const Array& x) { return numpy::prod(x, 1); }, 0.5, 2},
    {"var", [](const Array& x) { return numpy::var(x, 1); }, -2, 2},
    {"dot", [](const Array& x) { return numpy::matmul(x, numpy::transpose(x)); }, -2, 2},
    {"sort", [](const Array& x) { return numpy::sort(x, 1) * numpy::array({1.0, 2, 3}); }, -2, 2},
    {"softmax", [](const Array& x) { return nn::softmax(x); }, -2, 2},
    {"logsumexp", [](const Array& x) { return nn::logsumexp(x); }, -2, 2},
};

class Rules : public testing::TestWithParam<Row> {
 protected:
  /// Six distinct values, spread over the row's range.
  Array point() const {
    const Row& row = GetParam();
    std::vector<float> values;
    for (double t : {0.07, 0.83, 0.41, 0.66, 0.23, 0.94})
      values.push_back(static_cast<float>(row.low + t * (row.high - row.low)));
    return Array::from_vector(values, {2, 3});
  }
  Array direction() const { return numpy::array({{0.3, -0.7, 0.5}, {0.2, 0.9, -0.4}}); }
};

void expect_near(const Array& got, const Array& wanted, double tolerance) {
  ASSERT_EQ(got.aval_shape(), wanted.aval_shape());
  const std::vector<double> a = got.to_vector<double>(), b = wanted.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i]))) << "at " << i;
}

TEST_P(Rules, JvpIsTheFiniteDifference) {
  const auto f = GetParam().f;
  const double h = 1e-2;
  const Array x = point(), v = direction();
  const Array difference = (f(x + v * h) - f(x - v * h)) / (2 * h);
  expect_near(jvp(f, std::tuple(x), std::tuple(v)).second, difference, 2e-2);
}

TEST_P(Rules, VjpIsTheTransposeOfJvp) {
  const auto f = GetParam().f;
  const Array x = point(), v = direction();
  const auto [y, pull] = vjp(f, x);
  const Array w = numpy::cos(y * 3.0f);
  const double forward = numpy::sum(jvp(f, std::tuple(x), std::tuple(v)).second * w).template item<double>();
  const double reverse = numpy::sum(std::get<0>(pull(w)) * v).template item<double>();
  EXPECT_NEAR(forward, reverse, 2e-4 * std::max(1.0, std::abs(forward)));
}

TEST_P(Rules, VmapIsALoop) {
  const auto f = GetParam().f;
  const Array x = point();
  const Array y = x * 0.9f + 0.01f;
  const Array together = vmap(f)(numpy::stack({x, y}));
  expect_near(together[0], f(x), 1e-5);
  expect_near(together[1], f(y), 1e-5);
  const Array minor = vmap(f, {2})(numpy::stack({x, y}, 2));
  expect_near(minor[1], f(y), 1e-5);
}

TEST_P(Rules, JitIsEager) {
  const auto f = GetParam().f;
  expect_near(jit(f)(point()), f(point()), 2e-6);
  const auto g = [f](const Array& x) { return numpy::sum(f(x)); };
  expect_near(jit(grad(g))(point()), grad(g)(point()), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Ops, Rules, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hilo
