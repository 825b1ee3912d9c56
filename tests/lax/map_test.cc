// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/map.h"

#include <gtest/gtest.h>

#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"
#include "tests/support/golden_values.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;
using Pair = std::pair<Array, Array>;

Array seven() { return numpy::array({0.5f, -1.0f, 2.0f, 0.25f, -0.75f, 1.5f, 3.0f}); }
Array times(const Array& a, const Array& b) { return a * b; }

TEST(Map, GoesThroughTheLeadingAxis) {
  const auto f = [](Array x) { return numpy::sin(x) * 2.0f; };
  expect_golden("map.values", lax::map(f, seven()));
  expect_golden("map.values", jit([&](Array xs) { return lax::map(f, xs); })(seven()));
  for (int64_t batch : {1, 2, 3, 7, 9}) expect_golden("map.values", lax::map(f, seven(), {.batch_size = batch}));
}

TEST(Map, DifferentiatesAndBatches) {
  const auto total = [](Array xs) {
    return numpy::sum(lax::map([](Array x) { return numpy::sin(x) * x; }, xs, {.batch_size = 3}));
  };
  expect_golden("map.grad", grad(total)(seven()));
  expect_golden("map.grad", jit(grad(total))(seven()));
  expect_golden("map.grad", vmap(grad(total))(numpy::reshape(seven(), {1, 7})));
}

TEST(Map, TakesTreesAndNoElements) {
  const auto f = [](Pair p) { return std::pair(p.first + p.second, p.second); };
  const auto [sum, second] = lax::map(f, Pair(seven(), numpy::ones({7, 2})), {.batch_size = 4});
  EXPECT_EQ(sum.aval_shape().to_string(), "f32[7,2]");
  EXPECT_EQ(second.aval_shape().to_string(), "f32[7,2]");
  EXPECT_EQ(lax::map([](Array x) { return x; }, numpy::zeros({0, 3})).aval_shape().to_string(), "f32[0,3]");
}

TEST(Map, SaysWhatItWasGivenWrong) {
  const auto f = [](Pair p) { return p.first; };
  const std::string sizes =
      error_of([&] { lax::map(f, Pair(seven(), numpy::ones({2}))); }, StatusCode::kInvalidArgument);
  EXPECT_NE(sizes.find("got f32[7] and f32[2]"), std::string::npos) << sizes;
  EXPECT_NE(sizes.find("map (map_test.cc:"), std::string::npos) << sizes;
  error_of([&] { lax::map([](Array x) { return x; }, seven(), {.batch_size = 0}); }, StatusCode::kInvalidArgument);
}

TEST(AssociativeScan, GroupsAsJaxDoes) {
  expect_golden("associative_scan.product", lax::associative_scan(times, seven()));
  expect_golden("associative_scan.reverse", lax::associative_scan(times, seven(), {.reverse = true}));
  const auto total = [](Array x) { return numpy::sum(numpy::sin(lax::associative_scan(times, x))); };
  expect_golden("associative_scan.grad", grad(total)(seven()));
  expect_golden("associative_scan.grad", jit(grad(jit(total)))(seven()));
}

TEST(AssociativeScan, TakesTreesAlongAnyAxis) {
  const auto linear = [](Pair p, Pair q) { return Pair(p.first * q.first, q.first * p.second + q.second); };
  const Pair rows(numpy::stack({seven(), seven() + 1.0f}), numpy::stack({seven() * 2.0f, seven()}));
  expect_golden("associative_scan.tree", lax::associative_scan(linear, rows, {.axis = 1}));
  expect_golden("associative_scan.tree", lax::associative_scan(linear, rows, {.axis = -1}));
  const Pair turned = vmap([&](Pair p) { return lax::associative_scan(linear, p); })(rows);
  expect_golden("associative_scan.tree", turned);
}

TEST(AssociativeScan, TakesEverySizeAndType) {
  for (int n = 0; n < 10; ++n) {
    const Array sums = lax::associative_scan([](Array a, Array b) { return a + b; }, numpy::arange(n));
    int total = 0;
    for (int i = 0; i < n; ++i) EXPECT_EQ(sums[i].item<int>(), total += i);
  }
  const Array flags = numpy::array({0.0f, 1.0f, 0.0f}) > 0.5f;
  EXPECT_EQ(lax::associative_scan([](Array a, Array b) { return lax::bitwise_or(a, b); }, flags).to_vector<bool>(),
            (std::vector<bool>{false, true, true}));
}

TEST(AssociativeScan, SaysWhatItWasGivenWrong) {
  error_of([] { lax::associative_scan(times, seven(), {.axis = 1}); }, StatusCode::kInvalidArgument);
  error_of([] { lax::associative_scan(times, Array(1.0f)); }, StatusCode::kInvalidArgument);
  const std::string shape =
      error_of([] { lax::associative_scan([](Array a, Array) { return numpy::sum(a); }, seven()); },
               StatusCode::kInvalidArgument);
  EXPECT_NE(shape.find("fn must return what it takes"), std::string::npos) << shape;
}

TEST(SelectN, PicksACaseForEachElement) {
  const auto places = [] { return Array::from_vector(std::vector<int32_t>{2, 0, 1}, {3}); };
  const Array a = numpy::array({1.0f, 2.0f, 3.0f}), b = a * 10.0f, c = a * 100.0f;
  EXPECT_EQ(lax::select_n(a > 1.5f, a, b).to_vector<float>(), (Floats{1, 20, 30}));
  EXPECT_EQ(lax::select_n(places(), a, b, c).to_vector<float>(), (Floats{100, 2, 30}));
  EXPECT_EQ(lax::select_n(Array(1), a, b, c).to_vector<float>(), (Floats{10, 20, 30}));
  EXPECT_EQ(
      grad([&](Array x) { return numpy::sum(lax::select_n(places(), x, x * 2.0f, x * 3.0f)); })(a).to_vector<float>(),
      (Floats{3, 1, 2}));
  error_of([&] { lax::select_n(a > 1.0f, a, b, c); }, StatusCode::kInvalidArgument);
  error_of([&] { lax::select_n(a, a, b); }, StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo
