// SPDX-License-Identifier: Apache-2.0
// The rows of [nn/activations] in tests/golden/lax_cases.txt.
#include <cmath>
#include <limits>

#include "hilo/hilo.h"
#include "tests/numpy/golden_rows.h"
#include "tests/support/expect_values.h"

namespace hilo {
namespace {

TEST(Nn, GivesWhatJaxGives) {
  // clang-format off: the inputs come first
#include "tests/numpy/golden_inputs.inc"
#include "tests/nn/activations_golden.inc"
  // clang-format on
}

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Relu, KeepsNanAndTypesAndIsFlatAtZero) {
  expect_values(nn::relu(Array::from_vector<float>({-1, -0.0f, 0, 2, kNan, kInf, -kInf}, {7})),
                {0, 0, 0, 2, kNan, kInf, 0});
  EXPECT_EQ(nn::relu(Array::from_vector<int32_t>({1, -2}, {2})).dtype(), ElementType::kS32);
  const auto total = [](const Array& x) { return numpy::sum(nn::relu(x)); };
  expect_values(grad(total)(numpy::array({-1.0, 0, 2})), {0, 0, 1});
}

TEST(Softplus, HasItsSlopeAtZeroAndAtInfinities) {
  const auto total = [](const Array& x) { return numpy::sum(nn::softplus(x)); };
  expect_values(grad(total)(Array::from_vector<float>({0, kInf, -kInf, 2}, {4})), {0.5, 1, 0, 0.8807971f});
}

}  // namespace
}  // namespace hilo
