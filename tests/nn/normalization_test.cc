// SPDX-License-Identifier: Apache-2.0
// Values, types and slopes recorded from jax 0.10.2.
#include "hilo/nn/nn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/expect_values.h"
#include "tests/support/x64.h"

namespace hilo::nn {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

struct Extremes {
  float a, b;
  float logsumexp;
  std::vector<float> slope, softmax, log_softmax;
};
const Extremes kExtremes[] = {
    {-kInf, -kInf, -kInf, {kNan, kNan}, {kNan, kNan}, {kNan, kNan}},
    {kInf, 1, kInf, {kNan, 0}, {kNan, kNan}, {kNan, kNan}},
    {kInf, kInf, kInf, {kNan, kNan}, {kNan, kNan}, {kNan, kNan}},
    {kInf, -kInf, kInf, {kNan, 0}, {kNan, kNan}, {kNan, kNan}},
    {kNan, 1, kNan, {kNan, kNan}, {kNan, kNan}, {kNan, kNan}},
    {kNan, kInf, kNan, {kNan, kNan}, {kNan, kNan}, {kNan, kNan}},
    {-kInf, 1, 1, {0, 1}, {0, 1}, {-kInf, 0}},
    {1e38f, 1e38f, 1e38f, {0.5f, 0.5f}, {0.5f, 0.5f}, {-0.69314718f, -0.69314718f}},
    {3e38f, -3e38f, 3e38f, {1, 0}, {1, 0}, {0, -kInf}},
};

TEST(Logsumexp, OfInfinitiesIsThatOfJax) {
  for (const Extremes& e : kExtremes) {
    const Array x = Array::from_vector<float>({e.a, e.b}, {2});
    const auto f = [](const Array& a) { return logsumexp(a); };
    expect_values(f(x), {e.logsumexp});
    expect_values(jit(f)(x), {e.logsumexp});
    expect_values(grad(f)(x), e.slope);
  }
}

TEST(Softmax, OfInfinitiesIsThatOfJax) {
  for (const Extremes& e : kExtremes) {
    const Array x = Array::from_vector<float>({e.a, e.b}, {2});
    expect_values(softmax(x), e.softmax);
    expect_values(log_softmax(x), e.log_softmax);
  }
}

TEST(Softmax, OfNothingAndOfIntegers) {
  EXPECT_EQ(logsumexp(numpy::zeros({0})).item<float>(), -kInf);
  expect_values(logsumexp(numpy::zeros({2, 0}), -1), {-kInf, -kInf});
  EXPECT_EQ(softmax(numpy::zeros({2, 0})).aval_shape().to_string(), "f32[2,0]");
  EXPECT_EQ(log_softmax(numpy::zeros({0})).aval_shape().to_string(), "f32[0]");
  const Array integers = Array::from_vector<int32_t>({1, 2}, {2});
  expect_values(logsumexp(integers), {2.3132615f});
  expect_values(softmax(integers), {0.26894143f, 0.7310586f});
  EXPECT_EQ(softmax(numpy::astype(integers, ElementType::kF16)).dtype(), ElementType::kF16);
}

TEST(OneHot, TakesATypeAndIsWideUnderX64) {
  const Array labels = Array::from_vector<int32_t>({0, 2, 5, -1}, {4});
  expect_values(one_hot(labels, 3), {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(one_hot(labels, 3, ElementType::kS8).dtype(), ElementType::kS8);
  EXPECT_EQ(one_hot(labels, 0).aval_shape().to_string(), "f32[4,0]");
  const X64Scope x64;
  EXPECT_EQ(one_hot(labels, 3).dtype(), ElementType::kF64);
}

}  // namespace
}  // namespace hilo::nn
