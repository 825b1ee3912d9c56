// SPDX-License-Identifier: Apache-2.0
// Windows and running reductions, by their names in jax.lax. Expected numbers are computed by jaxlib.
#include "hilo/lax/window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Array board() { return numpy::array({{3.0, 1, 4, 1, 5}, {9, 2, 6, 5, 3}, {5, 8, 9, 7, 9}, {3, 2, 3, 8, 4}}); }

Array pooled(const Array& x) { return lax::reduce_window(x, -kInfinity, lax::max, {3, 2}, {2, 2}, {{1, 1}, {0, 1}}); }
Array with_holes(const Array& x) {
  return lax::reduce_window(x, 0.0f, lax::add, {2, 3}, {1, 2}, {{0, 1}, {2, -1}}, {2, 1}, {1, 2});
}
/// sum(f(x) * (1, 2, 3, ...)), so that every result has a different weight.
template <typename F>
auto weighted(const F& f) {
  return [f](const Array& x) {
    const Array y = f(x);
    const Array weights = numpy::arange(y.size(), ElementType::kF32) + 1.0f;
    return numpy::sum(numpy::ravel(y) * weights);
  };
}

TEST(Window, PoolsByMaximum) {
  EXPECT_EQ(pooled(board()).to_vector<float>(), (Floats{9, 6, 5, 9, 9, 9}));
  const Floats slopes = {0, 0, 0, 0, 3, 5, 0, 2, 0, 0, 0, 0, 5, 0, 6, 0, 0, 0, 0, 0};
  EXPECT_EQ(grad(weighted(pooled))(board()).to_vector<float>(), slopes);
  EXPECT_EQ(jit(grad(weighted(pooled)))(board()).to_vector<float>(), slopes);
}

TEST(Window, AnInitialValueThatWinsHasTheGradient) {
  const auto f = [](const Array& x) { return lax::reduce_window(x, 4.5f, lax::max, {2}, {2}, "VALID"); };
  EXPECT_EQ(grad(weighted(f))(numpy::array({1.0, 2, 7, 3})).to_vector<float>(), (Floats{0, 0, 2, 0}));
  const auto of_initial = [](const Array& first) {
    const Array x = numpy::array({1.0, 2, 7, 3});
    return numpy::sum(lax::reduce_window(x, first, lax::max, {2}, {2}, "VALID"));
  };
  EXPECT_EQ(grad(of_initial)(Array(4.5f)).item<float>(), 1);
}

TEST(Window, SumsWithDilations) {
  EXPECT_EQ(with_holes(board()).to_vector<float>(), (Floats{7, 15, 15, 14, 14, 6, 6}));
  EXPECT_EQ(grad(weighted(with_holes))(board()).to_vector<float>(),
            (Floats{1, 0, 1, 0, 0, 5, 0, 5, 0, 0, 9, 0, 9, 0, 0, 13, 0, 13, 0, 0}));
}

TEST(Window, WordsPadTheDilatedArray) {
  const Array x = numpy::array({1.0, 2, 3, 4});
  const auto sums = [&](const char* word) {
    return lax::reduce_window(x, 0.0f, lax::add, {3}, {2}, word).to_vector<float>();
  };
  EXPECT_EQ(sums("SAME"), (Floats{6, 7}));
  EXPECT_EQ(sums("VALID"), (Floats{6}));
  const Array dilated = lax::reduce_window(x, 0.0f, lax::add, {3}, {1}, "SAME", {2});
  EXPECT_EQ(dilated.to_vector<float>(), (Floats{1, 3, 2, 5, 3, 7, 4}));
}

TEST(Window, AnyReducerHasADerivative) {
  const auto products = [](const Array& x) { return lax::reduce_window(x, 1.0f, lax::mul, {2}, {1}, {{1, 0}}); };
  EXPECT_EQ(products(numpy::array({2.0, 3, 4})).to_vector<float>(), (Floats{2, 6, 12}));
  EXPECT_EQ(grad(weighted(products))(numpy::array({2.0, 3, 4})).to_vector<float>(), (Floats{7, 16, 9}));
}

TEST(Window, BatchesAnyReducer) {
  const Array boards = numpy::stack({board(), -board()});
  EXPECT_EQ(vmap(pooled)(boards).to_vector<float>(), (Floats{9, 6, 5, 9, 9, 9, -1, -1, -3, -2, -3, -3}));
  const Array slopes = vmap(grad(weighted(pooled)))(boards);
  const Array second = numpy::slice(numpy::reshape(slopes, {2, 20}), 1, 2);
  EXPECT_EQ(second.to_vector<float>(), grad(weighted(pooled))(-board()).to_vector<float>());
}

TEST(Window, SecondDerivativesGoThroughTheSelection) {
  const auto f = [](const Array& x) {
    const Array y = pooled(x);
    return numpy::sum(y * y * y);
  };
  const auto slope = [&](const Array& x) { return numpy::sum(numpy::square(grad(f)(x))); };
  const Array x = numpy::array({{1.0, 5}, {2, 3}, {4, 7}});
  // One window selects 5, the other 7. The sum of (3 v^2)^2 has the slope 36 v^3.
  EXPECT_EQ(grad(slope)(x).to_vector<float>(), (Floats{0, 36 * 125, 0, 0, 0, 36 * 343}));
}

TEST(Window, MistakesNameTheList) {
  const Array x = board();
  const auto error = [&](const std::function<void()>& f) { return error_of(f, StatusCode::kInvalidArgument); };
  EXPECT_NE(error([&] {
              lax::reduce_window(x, 0.0f, lax::add, {2}, {1, 1}, "VALID");
            }).find("window_dimensions: got 1 numbers, wanted one for each of 2 dimensions"),
            std::string::npos);
  EXPECT_NE(error([&] { lax::reduce_window(x, 0.0f, lax::add, {2, 2}, {1, 1}, "same?"); }).find("padding"),
            std::string::npos);
  EXPECT_NE(error([&] { lax::reduce_window(x, 0.0f, lax::add, {0, 2}, {1, 1}, "VALID"); }).find("size 0 < 1"),
            std::string::npos);
  EXPECT_NE(error([&] { lax::cumsum(x, 2); }).find("axis 2 is out of range for f32[4,5]"), std::string::npos);
}

// ---- running reductions ---------------------------------------------------------------------------------------------

Array five() { return numpy::array({1, 3, 2, 3, 0.5}); }

void expect_near(const Array& got, const Floats& wanted) {
  const Floats values = got.to_vector<float>();
  ASSERT_EQ(values.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], 2e-6 * std::max(1.0f, wanted[i])) << i;
}

TEST(Cumulative, HaveTheDerivativesOfJax) {
  expect_near(lax::cumlogsumexp(five()), {1, 3.126928f, 3.4076061f, 3.9175758f, 3.9498415f});
  const auto slope = [](const auto& f) { return grad(weighted(f))(five()); };
  expect_near(slope([](const Array& x) { return lax::cumsum(x); }), {15, 14, 12, 9, 5});
  expect_near(slope([](const Array& x) { return lax::cumsum(x, 0, true); }), {1, 3, 6, 10, 15});
  expect_near(slope([](const Array& x) { return lax::cumprod(x); }), {142, 47, 67.5, 39, 90});
  expect_near(slope([](const Array& x) { return lax::cummax(x); }), {1, 9.5, 0, 4.5, 0});
  expect_near(slope([](const Array& x) { return lax::cumlogsumexp(x, 0, true); }),
              {0.052348f, 1.2031406f, 1.2037592f, 6.9687233f, 5.5720277f});
}

TEST(Cumulative, NothingComesOfMinusInfinity) {
  const auto f = [](const Array& x) { return numpy::sum(numpy::slice(lax::cumlogsumexp(x), 1, 3)); };
  expect_near(grad(f)(numpy::array({-kInfinity, 0, 1})), {0, 1.2689414f, 0.73105854f});
}

TEST(Cumulative, BatchAlongTheOtherAxis) {
  const Array rows = numpy::array({{1.0, 2, 3}, {4, 5, 6}});
  const auto sums = [](const Array& x) { return lax::cumsum(x, -1); };
  EXPECT_EQ(vmap(sums)(rows).to_vector<float>(), (Floats{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(vmap(sums, {1}, {1})(rows).to_vector<float>(), (Floats{1, 2, 3, 5, 7, 9}));
}

TEST(Cumulative, NumpyFlattensAndKeepsTypes) {
  EXPECT_EQ(numpy::cumsum(numpy::array({{1.0, 2}, {3, 4}})).to_vector<float>(), (Floats{1, 3, 6, 10}));
  EXPECT_EQ(numpy::cumprod(numpy::array({{1.0, 2}, {3, 4}}), 0).to_vector<float>(), (Floats{1, 2, 3, 8}));
  EXPECT_EQ(numpy::cumsum(numpy::ones({3}, ElementType::kS8)).dtype(), ElementType::kS8);
  EXPECT_EQ(numpy::cumsum(numpy::ones({3}, ElementType::kPred)).dtype(), ElementType::kS32);
}

TEST(AssociativeScan, RunsAnyAssociativeFunction) {
  const Array x = numpy::array({1.0, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(lax::associative_scan(lax::add, x).to_vector<float>(), (Floats{1, 3, 6, 10, 15, 21, 28}));
  EXPECT_EQ(lax::associative_scan(lax::add, x, true).to_vector<float>(), (Floats{28, 27, 25, 22, 18, 13, 7}));
  EXPECT_EQ(lax::associative_scan(lax::mul, numpy::array({{1.0, 2}, {3, 4}, {5, 6}})).to_vector<float>(),
            (Floats{1, 2, 3, 8, 15, 48}));
  // x -> a x + b, composed.
  const auto compose = [](const std::vector<Array>& f, const std::vector<Array>& g) {
    return std::vector<Array>{f[0] * g[0], g[0] * f[1] + g[1]};
  };
  const std::vector<Array> lines =
      lax::associative_scan(compose, {numpy::array({2.0, 3, 1}), numpy::array({1.0, 0, 5})}, false, 0);
  EXPECT_EQ(lines[0].to_vector<float>(), (Floats{2, 6, 6}));
  EXPECT_EQ(lines[1].to_vector<float>(), (Floats{1, 3, 8}));
}

}  // namespace
}  // namespace hilo
