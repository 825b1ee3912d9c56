// SPDX-License-Identifier: Apache-2.0
// Programs of users with experience in JAX who don't know hilo's headers: names that were once missing.
#include <gtest/gtest.h>

#include <sstream>

#include "hilo/hilo.h"

using namespace hilo;

namespace {

template <typename T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
std::vector<float> floats(const Array& x) { return x.to_vector<float>(); }
std::vector<int> ints(const Array& x) { return x.to_vector<int>(); }

TEST(Names, ShapesAndTypesPrint) {
  const Array x = numpy::zeros({2, 3});
  EXPECT_EQ(printed(x.shape()), "(2, 3)");
  EXPECT_EQ(printed(numpy::ones(4).shape()), "(4,)");
  EXPECT_EQ(printed(numpy::shape(x)), "(2, 3)");
  EXPECT_EQ(printed(numpy::Shape{}), "()");
  EXPECT_EQ(printed(x.dtype()), "float32");
  EXPECT_EQ(printed(numpy::split(numpy::arange(4), 2)), "[[0 1], [2 3]]");
  EXPECT_EQ(printed(random::key(42)), "Array((), dtype=key<threefry2x32>) overlaying:\n[ 0 42]");
}

TEST(Names, ListsOfArraysIndexAndUnpack) {
  const Array x = numpy::arange(9).reshape(3, 3);
  EXPECT_EQ(ints(x(numpy::ix_(numpy::array({0, 1}), numpy::array({1, 2})))), (std::vector<int>{1, 2, 4, 5}));
  const auto [rows, columns] = numpy::where<2>(x > 5);
  EXPECT_EQ(ints(rows), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(ints(columns), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(ints(x[numpy::nonzero(x > 6)]), (std::vector<int>{7, 8}));
  EXPECT_EQ(ints(x(numpy::triu_indices(3, 1))), (std::vector<int>{1, 2, 5}));
  EXPECT_EQ(x.at(numpy::tril_indices(3)).set(0).sum().item<int>(), 1 + 2 + 5);
  const auto [i, j] = numpy::unravel_index<2>(numpy::array({5, 7}), {3, 4});
  EXPECT_EQ(ints(numpy::ravel_multi_index({i, j}, {3, 4})), (std::vector<int>{5, 7}));
  const auto [a, b, c] = numpy::split<3>(x, 1);
  EXPECT_EQ(ints(b), (std::vector<int>{1, 4, 7}));
  const auto [first, second, third] = numpy::unstack<3>(x);
  EXPECT_EQ(ints(third), (std::vector<int>{6, 7, 8}));
  const auto [keys, values] = lax::sort<2>({numpy::array({1, 1, 0}), numpy::array({5, 4, 3})}, {.num_keys = 2});
  EXPECT_EQ(ints(values), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(numpy::stack(numpy::meshgrid(numpy::arange(2), numpy::arange(3)), {.axis = -1}).ndim(), 3);
  EXPECT_THROW(numpy::where<2>(numpy::ones({3})), Error);
}

TEST(Names, AxesAndOptionsTogether) {
  const Array x = numpy::arange(6.0f).reshape({2, 3});
  EXPECT_EQ(numpy::Shape(x.mean(-1, {.keepdims = true}).shape()), (numpy::Shape{2, 1}));
  EXPECT_EQ(floats(x.var(1, {.ddof = 1})), (std::vector<float>{1, 1}));
  EXPECT_EQ(floats(x.ptp(0)), (std::vector<float>{3, 3, 3}));
  EXPECT_EQ(floats(numpy::percentile(x, {0, 50, 100})), (std::vector<float>{0, 2.5, 5}));
  EXPECT_EQ(floats(numpy::quantile(x, {0.0, 1.0}, {.axis = 1})), (std::vector<float>{0, 3, 2, 5}));
  EXPECT_NEAR(numpy::angle(std::complex<float>(0, 1), {.deg = true}).item<float>(), 90, 1e-4);
  EXPECT_EQ(numpy::broadcast_shapes({2, 1}, {1, 3}), (numpy::Shape{2, 3}));
  EXPECT_EQ(numpy::mgrid(range(0, 3), range(0, 2)).shape(0), 2);
  EXPECT_EQ(numpy::trapezoid(numpy::arange(3.0f), numpy::array({0.0f, 1.0f, 3.0f})).item<float>(), 3.5f);
  const Array slope = numpy::gradient(numpy::array({0.0f, 1.0f, 4.0f}));
  EXPECT_EQ(floats(slope), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(numpy::gradient(numpy::array({0.0f, 1.0f, 4.0f}))[2].item<float>(), 3);
  EXPECT_EQ(floats(numpy::gradient(x)[0]), (std::vector<float>{3, 3, 3, 3, 3, 3}));
  EXPECT_THROW(numpy::gradient(x)[2], Error);
  EXPECT_THROW(static_cast<void>(Array(numpy::gradient(x))), Error);
  EXPECT_EQ(numpy::einsum_path("ij,jk,kl->il", numpy::ones({3, 4}), numpy::ones({4, 5}), numpy::ones({5, 6}),
                               {.optimize = "optimal"})
                .path.size(),
            2u);
}

TEST(Names, BitsShiftAndTruthIsOfOne) {
  const Array x = numpy::array({1, 2, 3});
  EXPECT_EQ(ints(x << 1), (std::vector<int>{2, 4, 6}));
  EXPECT_EQ(ints(x >> numpy::array({0, 1, 1})), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(ints(x.matmul(x)), (std::vector<int>{14}));
  try {
    if (x > 1 && x < 3) FAIL();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("x.any() or x.all(); element by element x & y"), std::string::npos);
  }
}

TEST(Names, ArgumentsByNameWhereTheyUsuallyStandByPosition) {
  const Array x = numpy::ones({1, 4, 4, 1}), w = numpy::ones({2, 2, 1, 1});
  const Array y = lax::conv_general_dilated(
      x, w, {.window_strides = {1, 1}, .padding = "VALID", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
  EXPECT_EQ(y.sum().item<float>(), 36);
  const Array pooled = lax::reduce_window(
      x, 0.0f, lax::add, {.window_dimensions = {1, 2, 2, 1}, .window_strides = {1, 2, 2, 1}, .padding = "VALID"});
  EXPECT_EQ(floats(pooled), (std::vector<float>{4, 4, 4, 4}));
  EXPECT_EQ(image::resize(numpy::ones({2, 2}), {4, 4}, {.method = "nearest"}).sum().item<float>(), 16);
  EXPECT_EQ(scipy::ndimage::map_coordinates(numpy::arange(4.0f), {numpy::array({1.5f})}, {.order = 1}).item<float>(),
            1.5f);
  const random::Key key = random::key(0);
  EXPECT_TRUE(numpy::array_equal(random::bernoulli(key, {.p = 0.3, .shape = {9}}), random::bernoulli(key, 0.3, {9}))
                  .item<bool>());
  EXPECT_TRUE(numpy::array_equal(random::randint(key, {.shape = {5}, .minval = 0, .maxval = 9}),
                                 random::randint(key, {5}, 0, 9))
                  .item<bool>());
  const auto factor = scipy::linalg::cho_factor(4.0f * numpy::eye(2), true);
  EXPECT_EQ(floats(scipy::linalg::cho_solve(factor, numpy::ones(2))), (std::vector<float>{0.25, 0.25}));
}

TEST(Names, OptimisersAndSchedulesByName) {
  const Array w = numpy::ones({2}), g = numpy::array({0.5f, -0.25f});
  const auto step = [&](const optim::GradientTransformation& tx) { return tx.update(g, tx.init(w), w).first; };
  EXPECT_EQ(floats(step(optim::sgd({.learning_rate = 0.5}))), (std::vector<float>{-0.25, 0.125}));
  EXPECT_EQ(floats(step(optim::adam({.learning_rate = 0.1, .b1 = 0.8}))), floats(step(optim::adam(0.1, {.b1 = 0.8}))));
  EXPECT_EQ(floats(step(optim::adamw({.learning_rate = 0.1, .weight_decay = 0.1}))),
            floats(step(optim::adamw(0.1, {.weight_decay = 0.1}))));
  EXPECT_EQ(floats(step(optim::adagrad({.learning_rate = 0.1}))), floats(step(optim::adagrad(0.1))));
  EXPECT_THROW(optim::adam({.b1 = 0.8}), Error);
  const auto schedule = optim::warmup_cosine_decay_schedule(
      {.init_value = 0.0, .peak_value = 1.0, .warmup_steps = 10, .decay_steps = 30});
  EXPECT_NEAR(schedule(5).item<float>(), 0.5, 1e-6);
  EXPECT_NEAR(schedule(20).item<float>(), 0.5, 1e-6);
  EXPECT_NEAR(
      optim::exponential_decay({.init_value = 1.0, .transition_steps = 10, .decay_rate = 0.5})(20).item<float>(), 0.25,
      1e-6);
  EXPECT_NEAR(optim::linear_schedule({.init_value = 0.0, .end_value = 2.0, .transition_steps = 4})(3).item<float>(),
              1.5, 1e-6);
  EXPECT_NEAR(optim::cosine_decay_schedule({.init_value = 1.0, .decay_steps = 10})(5).item<float>(), 0.5, 1e-6);
  EXPECT_EQ(
      optim::piecewise_constant_schedule({.init_value = 1.0, .boundaries_and_scales = {{2, 0.5}}})(3).item<float>(),
      0.5f);
  EXPECT_EQ(floats(optim::huber_loss(numpy::array({0.5f, 3.0f}), numpy::zeros({2}), 1.0)),
            (std::vector<float>{0.125, 2.5}));
  const std::map<std::string, Array> tree{{"a", numpy::array({3.0f})}, {"b", numpy::array({4.0f})}};
  EXPECT_EQ(optim::tree_utils::tree_l2_norm(tree).item<float>(), 5);
  EXPECT_EQ(optim::tree_utils::tree_vdot(tree, tree).item<float>(), 25);
  EXPECT_EQ(optim::tree_utils::tree_add_scale(tree, 2.0f, tree).at("b").item<float>(), 12);
  EXPECT_EQ(optim::tree_utils::tree_sum(optim::tree_utils::tree_ones_like(tree)).item<float>(), 2);
}

TEST(Names, NoneAndTuplesFromStepsAndRules) {
  const auto [count, nothing] = lax::scan([](Array c, auto) { return std::pair(c + 1, none); }, Array(0), none, 10);
  EXPECT_EQ(count.item<int>(), 10);
  const auto [last, sums] =
      lax::scan([](Array c, Array x) { return std::tuple(c + x, c * x); }, Array(0.0f), numpy::arange(4.0f));
  EXPECT_EQ(last.item<float>(), 6);
  EXPECT_EQ(floats(sums), (std::vector<float>{0, 0, 2, 9}));
  const auto clip = custom_vjp([](Array x) { return x; })
                        .defvjp([](Array x) { return std::pair(x, none); },
                                [](auto, Array g) { return std::tuple(numpy::clip(g, -1, 1)); });
  EXPECT_EQ(grad([&](Array x) { return 5.0f * clip(x); })(1.0f).item<float>(), 1);
  const auto f = [](Array x, Array y) { return x * y; };
  const auto [value, slope] = jvp(f, {3.0f, 4.0f}, {1.0f, 2.0f});
  EXPECT_EQ(value.item<float>(), 12);
  EXPECT_EQ(slope.item<float>(), 10);
  EXPECT_THROW(jvp(f, {3.0f}, {1.0f}), Error);
  const std::vector<Array> tree{numpy::array({1.0f}), numpy::array({2.0f})};
  EXPECT_EQ(tree::reduce(numpy::add, tree).item<float>(), 3);
  EXPECT_EQ(device_put(tree).size(), 2u);
}

TEST(Names, FilesAreReadIntoArrays) {
  const std::string folder = testing::TempDir();
  const Array pixels = numpy::arange(12).reshape({2, 2, 3}).astype(uint8);
  io::write_png(folder + "names.png", pixels);
  const Array read = io::read_png(folder + "names.png");
  EXPECT_TRUE(numpy::array_equal(read, pixels).item<bool>());
  EXPECT_THROW(Array(io::read_png(folder + "no_such.png")), Error);
  numpy::savetxt(folder + "names.csv", numpy::eye(2), {.delimiter = ","});
  EXPECT_EQ(floats(numpy::loadtxt(folder + "names.csv", {.delimiter = ","})), (std::vector<float>{1, 0, 0, 1}));
  EXPECT_THROW(numpy::loadtxt(folder + "names.csv", {.delimiter = ", "}), Error);
  io::save_safetensors(folder + "names.safetensors", {{"w", numpy::ones(3)}});
  EXPECT_EQ(io::load_safetensors(folder + "names.safetensors").at("w").size(), 3);
  EXPECT_EQ(ints(numpy::frombuffer(std::string("ab"), uint8)), (std::vector<int>{97, 98}));
  EXPECT_EQ(ints(numpy::fromiter(std::vector<int>{1, 2, 3}, int32, 2)), (std::vector<int>{1, 2}));
  EXPECT_THROW(numpy::fromiter(std::vector<int>{1}, int32, 2), Error);
}

TEST(Names, DrawsFromADensity) {
  const Array data = random::normal(random::key(0), {2, 500});
  const scipy::stats::gaussian_kde density(data);
  const Array drawn = density.resample(random::key(1), {2000});
  EXPECT_EQ(numpy::Shape(drawn.shape()), (numpy::Shape{2, 2000}));
  EXPECT_NEAR(drawn.mean().item<float>(), 0, 0.1);
  EXPECT_NEAR(drawn.std().item<float>(), 1, 0.15);
  EXPECT_EQ(density.resample(random::key(1)).size(), 2);
}

}  // namespace
