// SPDX-License-Identifier: Apache-2.0
// The rows of [lax/elementwise] in tests/golden/lax_cases.txt.
#include <cmath>
#include <limits>

#include "hilo/hilo.h"
#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(LaxElementwise, GivesWhatJaxGives) {
  // clang-format off: the inputs come first
#include "tests/numpy/golden_inputs.inc"
#include "tests/lax/elementwise_golden.inc"
  // clang-format on
}

using Floats = std::vector<float>;

void expect_near(const Array& got, const Floats& expected) {
  const Floats values = got.to_vector<float>();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isinf(expected[i])) EXPECT_EQ(values[i], expected[i]);
    else EXPECT_NEAR(values[i], expected[i], 2e-7 * std::max(1.0f, std::abs(expected[i])));
  }
}

// Values of jax 0.12.0.1.
TEST(LaxElementwise, Log2) {
  const float inf = std::numeric_limits<float>::infinity();
  const Array x = numpy::array({0.125f, 1.0f, 3.0f, 10.0f, 0.0f});
  expect_near(lax::log2(x), {-3, 0, 1.5849624872207642f, 3.321928024291992f, -inf});
  expect_near(vmap(grad(lax::log2))(x[range(4)]), {11.541560173f, 1.4426950216f, 0.4808983505f, 0.1442695111f});
  const Array z = lax::log2(lax::complex(1.0f, 2.0f));
  expect_near(numpy::stack({numpy::real(z), numpy::imag(z)}), {1.160964012145996f, 1.5972779989242554f});
}

TEST(LaxElementwise, OneMinusSquare) {
  const Array x = numpy::array({0.0f, 0.5f, -1.0f, 0.99999f, 1e-4f});
  EXPECT_EQ(lax::one_minus_square(x).to_vector<float>(), (Floats{1, 0.75f, 0, 2.0027060600114055e-05f, 1}));
  EXPECT_EQ(vmap(grad(lax::one_minus_square))(x).to_vector<float>(),
            (Floats{0, -1, 2, -1.9999799728393555f, -0.00019999999494757503f}));
  EXPECT_EQ(lax::one_minus_square(numpy::arange(3)).to_vector<int>(), (std::vector<int>{1, 0, -3}));
  EXPECT_EQ(grad(grad(lax::one_minus_square))(0.3f).item(), -2);
}

TEST(LaxElementwise, Polynomial) {
  const auto f = [](Array x) { return lax::polynomial(x, {1.0f, 5.0f, 2.0f}); };
  const Array x = numpy::array({0.0f, 1.0f, -2.0f});
  EXPECT_EQ(f(x).to_vector<float>(), (Floats{1, 8, -1}));
  EXPECT_EQ(vmap(grad(f))(x).to_vector<float>(), (Floats{5, 9, -3}));
  const Array matrix = numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}}), column = numpy::array({{1.0f}, {2.0f}});
  EXPECT_EQ(lax::polynomial(matrix, {column, 3.0f}).to_vector<float>(), (Floats{4, 7, 11, 14}));
  EXPECT_EQ(lax::polynomial(x, {}).to_vector<float>(), (Floats{0, 0, 0}));
  EXPECT_EQ(lax::polynomial(x, {7.0f}).to_vector<float>(), (Floats{7, 7, 7}));
  EXPECT_EQ(lax::polynomial(numpy::array({1, 2}), {1, 1, 1}).to_vector<int>(), (std::vector<int>{3, 7}));
}

}  // namespace
}  // namespace hilo
