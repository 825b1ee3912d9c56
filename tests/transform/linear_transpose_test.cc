// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/linear_transpose.h"

#include <gtest/gtest.h>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/golden_values.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

Array matrix() { return numpy::reshape(numpy::arange(6), {2, 3}) - 2.0f; }

TEST(LinearTranspose, PullsCotangentsToEveryArgument) {
  const auto f = [](Array a, Array b) { return numpy::matmul(matrix(), a) + 3.0f * b; };
  const auto pull = linear_transpose(f, numpy::zeros({3}), numpy::zeros({2}));
  expect_golden("linear_transpose", pull(numpy::array({1.0f, -2.0f})));
  expect_golden("linear_transpose", jit(pull)(numpy::array({1.0f, -2.0f})));
  const auto [da, db] = vmap(pull)(numpy::array({{1.0f, -2.0f}, {0.0f, 1.0f}}));
  EXPECT_EQ(da[1].to_vector<float>(), (Floats{1, 2, 3}));
  EXPECT_EQ(db[1].to_vector<float>(), (Floats{0, 3}));
}

// Under vmap a cond becomes a select: operands pass through a stop_gradient where the branch is not selected.
TEST(LinearTranspose, OfACondThatVmapHasMadeASelect) {
  const auto branch = [](Array taken, Array x) {
    return lax::cond(taken, [](Array a) { return a; }, [](Array a) { return 2.0f * a; }, x);
  };
  const auto pull =
      linear_transpose([&](Array x) { return vmap(branch)(numpy::array({true, false}), x); }, numpy::ones({2}));
  EXPECT_EQ(std::get<0>(pull(numpy::array({5.0f, 7.0f}))).to_vector<float>(), (Floats{5, 14}));
}

TEST(LinearTranspose, NamesTheOpThatIsNotLinear) {
  const auto pull = linear_transpose([](Array a) { return numpy::sin(a); }, Array(1.0f));
  const std::string text = error_of([&] { pull(1.0f); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("sine"), std::string::npos) << text;
}

TEST(LinearTranspose, RefusesIntegersToFloatsAndCotangentsThatDoNotFit) {
  const std::string integers = error_of([] { linear_transpose([](Array a) { return 2.0f * a; }, numpy::arange(3)); },
                                        StatusCode::kInvalidArgument);
  EXPECT_NE(integers.find("linear_transpose only supports"), std::string::npos) << integers;
  EXPECT_NE(integers.find("got s32[3] -> f32[3]"), std::string::npos) << integers;
  const auto pull = linear_transpose([](Array a) { return a; }, numpy::zeros({3}));
  const std::string shape = error_of([&] { pull(numpy::ones({2})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(shape.find("got f32[2], wanted f32[3]"), std::string::npos) << shape;
}

TEST(ClosureConvert, MakesClosedOverTracersArguments) {
  const Array constant = numpy::array({1.0f, 2.0f});
  const auto outer = [&](Array w) {
    const auto [g, hoisted] = closure_convert([&](Array a) { return a * w * constant; }, Array(1.0f));
    EXPECT_EQ(hoisted.size(), 1U);
    return numpy::sum(g(Array(5.0f), hoisted));
  };
  EXPECT_EQ(grad(outer)(numpy::array({3.0f, 4.0f})).to_vector<float>(), (Floats{5, 10}));
  const auto [g, hoisted] = closure_convert([&](Array a) { return a * constant; }, Array(1.0f));
  EXPECT_TRUE(hoisted.empty());
  EXPECT_EQ(g(Array(2.0f), hoisted).to_vector<float>(), (Floats{2, 4}));
}

}  // namespace
}  // namespace hilo
