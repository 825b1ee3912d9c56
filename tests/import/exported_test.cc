// SPDX-License-Identifier: Apache-2.0
// Files of jax.export, recorded by tests/golden/record_exports.py.
#include "hilo/import/exported.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/paths.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

std::string data(const std::string& name) {
  return std::string(tests::kSourceDir) + "/tests/import/data/" + name + ".jax";
}

std::vector<float> values(const Array& a) { return a.to_vector<float>(); }

void expect_near(const Array& got, const std::vector<double>& wanted) {
  const std::vector<double> values = got.to_vector<double>();
  ASSERT_EQ(values.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], 1e-5 * (1 + std::abs(wanted[i]))) << i;
}

const Array x3 = numpy::array({0.1, 0.2, 0.3});

TEST(Exported, TakesTreesInTheirOrderAndKnowsTheirNames) {
  const auto f = load(data("of_trees"));
  EXPECT_EQ(f.name(), "of_trees");
  std::vector<std::string> names;
  for (const LoadedValue& input : f.inputs()) names.push_back(input.name);
  EXPECT_EQ(names, (std::vector<std::string>{"args[0]['b']", "args[0]['w']", "args[1]", "kwargs['scale']"}));
  EXPECT_EQ(f.outputs()[0].name, "['y']");
  const std::map<std::string, Array> parameters = {{"w", numpy::ones({3, 2})}, {"b", numpy::zeros({2})}};
  const Array y = f(parameters, numpy::full({4, 3}, 0.5f), 2.0);
  EXPECT_EQ(y.aval_shape().to_string(), "f32[4,2]");
  EXPECT_NEAR(y[0][0].item<double>(), 2 * std::tanh(1.5), 1e-5);
}

TEST(Exported, ReverseModeCallsTheDerivativeInTheFile) {
  const auto f = load(data("clipped"));
  expect_near(f(x3), {std::sin(0.1), std::sin(0.2), std::sin(0.3)});
  EXPECT_EQ(values(grad([&](const Array& x) { return numpy::sum(f(x) * 2.0); })(x3)), (std::vector<float>{20, 20, 20}));
}

TEST(Exported, WithoutItTheMathematicsIsDifferentiated) {
  const auto f = load(data("clipped"), {.use_vjp = false});
  expect_near(grad([&](const Array& x) { return numpy::sum(f(x)); })(x3),
              {std::cos(0.1), std::cos(0.2), std::cos(0.3)});
  const auto [y, dy] = jvp(f, std::tuple(x3), std::tuple(numpy::ones({3})));
  expect_near(dy, {std::cos(0.1), std::cos(0.2), std::cos(0.3)});
}

TEST(Exported, TheDerivativeSurvivesJitVmapAndScan) {
  const auto f = load(data("clipped"));
  const auto loss = [&](const Array& x) { return numpy::sum(f(x)); };
  EXPECT_EQ(values(grad(jit(loss))(x3)), (std::vector<float>{10, 10, 10}));
  EXPECT_EQ(values(jit(grad(loss))(x3)), (std::vector<float>{10, 10, 10}));
  const Array rows = numpy::stack({x3, x3 + 1.0f});
  EXPECT_EQ(values(vmap(grad(loss))(rows)), (std::vector<float>(6, 10)));
  const auto batched = [&](const Array& x) { return numpy::sum(vmap(f)(x)); };
  EXPECT_EQ(values(grad(batched)(rows)), (std::vector<float>(6, 10)));
  const auto twice = [&](const Array& x) {
    return numpy::sum(lax::fori_loop(0, 2, [&](const Array&, const Array& c) { return f(c); }, x));
  };
  EXPECT_EQ(values(grad(twice)(x3)), (std::vector<float>{100, 100, 100}));
}

TEST(Exported, AnArgumentSharedByABatchGetsTheSum) {
  const auto f = load(data("clipped"));
  const auto loss = [&](const Array& x) {
    return numpy::sum(vmap([&](const Array& s) { return s * f(x); })(numpy::array({1.0, 2.0})));
  };
  EXPECT_EQ(values(grad(loss)(x3)), (std::vector<float>{30, 30, 30}));
}

TEST(Exported, DerivativesOfDerivativesGoAsDeepAsTheFile) {
  const auto f = load(data("cubed_twice"));
  const Array x = numpy::array({2.0, 3.0});
  expect_near(grad(f)(x), {12, 27});
  const auto second = grad([&](const Array& v) { return numpy::sum(grad(f)(v)); });
  expect_near(second(x), {12, 18});
}

TEST(Exported, IntegersHaveNoGradient) {
  const auto f = load<std::tuple<Array, Array>>(data("mixed"));
  const Array x = numpy::array({1.0, 2.0});
  const auto [y, next] = f(x, 3);
  EXPECT_EQ(y.item<float>(), 15);
  EXPECT_EQ(next.item<int>(), 4);
  const auto loss = [&](const Array& v) { return std::get<0>(f(v, 3)); };
  EXPECT_EQ(values(grad(loss)(x)), (std::vector<float>{6, 12}));
}

TEST(Exported, ArgumentsThatTheModuleDoesNotTakeAreArgumentsStill) {
  const auto f = load(data("unused"));
  ASSERT_EQ(f.inputs().size(), 3u);
  const Array x = numpy::array({1.0, 2.0}), y = numpy::zeros({5}), z = numpy::array({5.0, 5.0});
  EXPECT_EQ(values(f(x, y, z)), (std::vector<float>{-4, -3}));
  const auto loss = [&](const Array& a, const Array& b, const Array& c) { return numpy::sum(f(a, b, c)); };
  EXPECT_EQ(values(grad<1>(loss)(x, y, z)), (std::vector<float>(5, 0)));
  EXPECT_EQ(values(grad<2>(loss)(x, y, z)), (std::vector<float>{-1, -1}));
}

TEST(Exported, OfSeveralPlatformsTakesThatOfTheCpu) {
  EXPECT_EQ(values(load(data("two_platforms"))(numpy::array({1.0, 2.0}))), (std::vector<float>{2, 3}));
}

TEST(Exported, SymbolicSizesAreSolvedAtTheCall) {
  using Results = std::tuple<Array, Array, Array>;
  const auto f = load<Results>(data("open_sizes"));
  EXPECT_EQ(f.inputs()[0].type, "f32[a,2*b]");
  EXPECT_EQ(f.outputs()[0].type, "f32[a,2*b]");
  for (int64_t rows : {1, 2, 5}) {
    for (int64_t columns : {1, 3}) {
      const Array x = numpy::reshape(numpy::arange(2 * rows * columns, ElementType::kF32) * 0.1f, {rows, 2 * columns});
      const Array y = numpy::arange(rows, ElementType::kF32);
      const auto same = [&](const Array& v) {
        const Array halves =
            numpy::sum(numpy::reshape(v, {rows, 2, columns}), 1) * numpy::arange(columns, ElementType::kF32);
        return numpy::sum(numpy::tanh(halves)) * static_cast<double>(rows);
      };
      const auto [joined, total, before] = f(x, y);
      EXPECT_EQ(joined.aval_shape(), Shape::array(ElementType::kF32, {rows, 2 * columns}));
      EXPECT_EQ(before.size(), rows);
      EXPECT_NEAR(total.item<double>(), same(x).item<double>(), 1e-5);
      const Array slopes = grad([&](const Array& v) { return std::get<1>(f(v, y)); })(x);
      const std::vector<float> wanted = values(grad(same)(x));
      expect_near(slopes, {wanted.begin(), wanted.end()});
    }
  }
}

TEST(Exported, DecompositionsAreDifferentiated) {
  const auto upper = load(data("upper_of_qr"));
  const Array x = numpy::array({{1.0, 2.0, 0.5}, {0.0, 1.0, 3.0}, {2.0, 1.0, 1.0}, {1.0, -1.0, 2.0}});
  // R^H R = x^H x, so the sum of squares of R is that of x.
  const auto loss = [&](const Array& v) { return numpy::sum(upper(v) * upper(v)); };
  const std::vector<float> wanted = values(x * 2.0f);
  expect_near(grad(loss)(x), {wanted.begin(), wanted.end()});
}

TEST(Exported, SizesThatDoNotFitAreRefusedByName) {
  const auto f = load<std::vector<Array>>(data("open_sizes"));
  const auto refused = [&](const Array& x, const Array& y) {
    return error_of([&] { f(x, y); }, StatusCode::kInvalidArgument);
  };
  EXPECT_NE(refused(numpy::ones({2, 6}), numpy::ones({3})).find("'args[1]': dimension 0 is 3, wanted a = 2"),
            std::string::npos);
  EXPECT_NE(refused(numpy::ones({2}), numpy::ones({2})).find("got f32[2], wanted f32[a,2*b]"), std::string::npos);
}

TEST(Exported, ForwardModeIsRefusedInJaxsWords) {
  const auto f = load(data("clipped"));
  const std::string message =
      error_of([&] { jvp(f, std::tuple(x3), std::tuple(numpy::ones({3}))); }, StatusCode::kUnimplemented);
  EXPECT_NE(message.find("can't apply forward-mode differentiation (jvp) to a custom_vjp function"), std::string::npos)
      << message;
  EXPECT_NE(message.find("use_vjp = false"), std::string::npos) << message;
}

TEST(Exported, RefusesOtherPlatforms) {
  const std::string message = error_of([] { load(data("for_tpu")); }, StatusCode::kFailedPrecondition);
  EXPECT_NE(message.find("was exported for tpu; wanted cpu"), std::string::npos) << message;
}

}  // namespace
}  // namespace hilo
