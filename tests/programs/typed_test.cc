// SPDX-License-Identifier: Apache-2.0
// Programs of users with experience in JAX who don't know hilo's headers: braces for structs, tuples of arrays, options
// after a count. tests/refused has programs that don't compile.
#include <gtest/gtest.h>

#include <array>
#include <tuple>
#include <vector>

#include "hilo/hilo.h"

using namespace hilo;

namespace {

struct Point {
  Array x, y;
};
Array product(const Point& p) { return (p.x * p.y).sum(); }
std::vector<float> floats(const Array& x) { return x.to_vector<float>(); }

TEST(Typed, BracesStandForTheStructThatAFunctionTakes) {
  const Array two = 2.0f, three = 3.0f;
  EXPECT_EQ(jit(product)({two, three}).item<float>(), 6);
  EXPECT_EQ(jit([](Array a, const Point& p) { return a + p.x * p.y; })(1.0f, {two, three}).item<float>(), 7);
  const Point g = grad(product)({two, three});
  EXPECT_EQ(g.x.item<float>(), 3);
  EXPECT_EQ(g.y.item<float>(), 2);
  const auto [value, gradient] = value_and_grad([](const Point& p) noexcept { return p.x * p.x * p.y; })({two, three});
  EXPECT_EQ(value.item<float>(), 12);
  EXPECT_EQ(gradient.x.item<float>(), 12);
  const Array rows = numpy::array({1.0f, 2.0f});
  EXPECT_EQ(floats(vmap(product)({rows, rows})), (std::vector<float>{1, 4}));
  EXPECT_EQ(floats(pmap(product)({rows[range(0, 1)], rows[range(0, 1)]})), (std::vector<float>{1}));
  EXPECT_EQ(checkpoint(product)({two, three}).item<float>(), 6);
  EXPECT_EQ(jit([](const std::vector<Array>& list) { return list[0] + list[1]; })({two, three}).item<float>(), 5);
}

TEST(Typed, FunctionsOfEachKindAreTransformed) {
  EXPECT_EQ(jit(+[](Array a) { return a * 2; })(2.0f).item<float>(), 4);
  EXPECT_EQ(jit([](auto a) { return a * 2; })(Array(2.0f)).item<float>(), 4);
  EXPECT_EQ(jit([](Array a, int n) { return a * n; })(2.0f, 3).item<float>(), 6);
  EXPECT_EQ(grad(jit([](Array a) { return a * a; }))(3.0f).item<float>(), 6);
  struct Scale {
    Array w;
    Array forward(Array x) const { return w * x; }
  };
  EXPECT_EQ(jit(&Scale::forward)(Scale{3.0f}, Array(2.0f)).item<float>(), 6);
}

TEST(Typed, JvpTakesListsOfStructs) {
  const auto [value, tangent] = jvp(product, {Point{2.0f, 3.0f}}, {Point{1.0f, 10.0f}});
  EXPECT_EQ(value.item<float>(), 6);
  EXPECT_EQ(tangent.item<float>(), 23);
  const auto both = [](const Point& p, const Point& q) { return product(p) * product(q); };
  EXPECT_EQ(
      jvp(both, {Point{1.0f, 2.0f}, Point{3.0f, 4.0f}}, {Point{1.0f, 0.0f}, Point{0.0f, 0.0f}}).second.item<float>(),
      24);
}

TEST(Typed, SegmentsTakeOptionsBehindTheirNumber) {
  const Array x = numpy::array({1.0f, 2.0f, 3.0f}), ids = numpy::array({0, 1, 1});
  EXPECT_EQ(floats(ops::segment_sum(x, ids, 3, {.indices_are_sorted = true})), (std::vector<float>{1, 5, 0}));
  EXPECT_EQ(floats(ops::segment_prod(x, ids, 2, {.unique_indices = false})), (std::vector<float>{1, 6}));
  EXPECT_EQ(floats(ops::segment_max(x, ids, 2, {.indices_are_sorted = true})), (std::vector<float>{1, 3}));
  EXPECT_EQ(floats(ops::segment_min(x, ids, 2, {.bucket_size = 1})), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(ops::segment_sum(x, ids, 3, true)), (std::vector<float>{1, 5, 0}));
}

TEST(Typed, SeveralResultsAreStackedAndJoined) {
  const auto both = vmap(grad<0, 1>([](Array a, Array b) { return a * b; }));
  const auto t = both(numpy::array({1.0f, 2.0f}), numpy::array({3.0f, 4.0f}));
  EXPECT_EQ(floats(numpy::stack(t)), (std::vector<float>{3, 4, 1, 2}));
  EXPECT_EQ(floats(numpy::stack(t, 1)), (std::vector<float>{3, 1, 4, 2}));
  EXPECT_EQ(floats(numpy::concatenate(t)), (std::vector<float>{3, 4, 1, 2}));
  EXPECT_EQ(floats(numpy::concatenate(std::array<Array, 2>{1 + std::get<0>(t), std::get<1>(t)}, 0)),
            (std::vector<float>{4, 5, 1, 2}));
  EXPECT_EQ(floats(numpy::hstack(t)), (std::vector<float>{3, 4, 1, 2}));
  EXPECT_EQ(floats(numpy::vstack(std::pair(std::get<0>(t), std::get<1>(t)))), (std::vector<float>{3, 4, 1, 2}));
  EXPECT_EQ(floats(numpy::column_stack(t)), (std::vector<float>{3, 1, 4, 2}));
  EXPECT_EQ(floats(lax::stack(t)), (std::vector<float>{3, 4, 1, 2}));
  EXPECT_EQ(floats(lax::concatenate(t, 0)), (std::vector<float>{3, 4, 1, 2}));
}

TEST(Typed, AScanIsToldItsLengthAlone) {
  const auto [last, ys] = lax::scan([](Array c, auto) { return std::pair(c + 1, c); }, Array(0.0f), {.length = 3});
  EXPECT_EQ(last.item<float>(), 3);
  EXPECT_EQ(floats(ys), (std::vector<float>{0, 1, 2}));
}

TEST(Typed, AxesOfATupleStandInBraces) {
  const auto f = [](std::tuple<Array, Array> pair, Array b) { return std::get<0>(pair) * std::get<1>(pair) + b; };
  const Array rows = numpy::array({1.0f, 2.0f});
  EXPECT_EQ(floats(vmap(f, {{0, none}, none})(std::tuple(rows, Array(10.0f)), 1.0f)), (std::vector<float>{11, 21}));
  EXPECT_EQ(floats(vmap(f, {{0, nullptr}, nullptr})(std::tuple(rows, Array(10.0f)), 1.0f)),
            (std::vector<float>{11, 21}));
}

TEST(Typed, SettersThrowAndGiveNothingToLookAt) {
  config::update("jax_enable_x64", true);
  EXPECT_EQ(numpy::zeros({1}).dtype(), float64);
  config().update("jax_enable_x64", false);
  EXPECT_EQ(numpy::zeros({1}).dtype(), float32);
  or_throw(config().update("jax_enable_x64", true));
  config().clear("jax_enable_x64");
  EXPECT_EQ(numpy::zeros({1}).dtype(), float32);
  EXPECT_THROW(config::update("jax_enable_x46", true), Error);
  EXPECT_THROW(config().update("jax_enable_x64", "perhaps"), Error);
  EXPECT_THROW(config().clear("zzz"), Error);
  numpy::zeros({1}).block_until_ready();  // so that a client exists
  EXPECT_THROW(initialize_replica_count(3), Error);
  EXPECT_THROW(initialize_platform_name("Host"), Error);
}

TEST(Typed, EvalShapeTakesAnAval) {
  const Array x = numpy::ones({2, 3});
  EXPECT_EQ(eval_shape([](Array a) { return a.T(); }, x.aval()).shape(), (numpy::Shape{3, 2}));
}

TEST(Typed, DefjvpsTakesNoneForAnArgument) {
  const auto f = custom_jvp([](Array a, Array b) {
                   return a * b;
                 }).defjvps([](Array t, Array, Array, Array b) { return 10.0f * t * b; }, none);
  const auto [da, db] = grad<0, 1>(f)(2.0f, 3.0f);
  EXPECT_EQ(da.item<float>(), 30);
  EXPECT_EQ(db.item<float>(), 0);
}

}  // namespace
