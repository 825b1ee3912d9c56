// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/grad.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/nn/nn.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

struct Params {
  Array w, b;
};

TEST(Grad, OfAPowerIsTheTextbooks) {
  EXPECT_FLOAT_EQ(grad([](const Array& x) { return x * x * x; })(Array(2.0f)).item<float>(), 12);
}

TEST(Grad, NestsToThirdOrder) {
  auto f = [](const Array& x) { return numpy::sin(x); };
  EXPECT_NEAR(grad(grad(grad(f)))(Array(0.5f)).item<float>(), -std::cos(0.5), 1e-6);
}

TEST(Grad, OfIntegersIsZerosThatAreArraysLikeOthers) {
  const auto f = [](Array x) { return numpy::sum(x + 0.0f); };
  const Array zeros = grad(f, {.allow_int = true})(numpy::ones({2, 4}, ElementType::kS32));
  const Array reshaped = numpy::reshape(zeros, {4, 2}), transposed = numpy::transpose(zeros);
  for (const Array& a : {reshaped, transposed}) {
    EXPECT_EQ(a.aval_shape().to_string(), "s32[4,2]");
    EXPECT_EQ(a.to_vector<int>(), std::vector<int>(8, 0));
  }
}

TEST(Grad, WorksWithCppBranchesOnValues) {
  auto f = [](const Array& x) { return x > 0.0f ? x * x : -x; };
  EXPECT_EQ(grad(f)(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ(grad(f)(Array(-3.0f)).item<float>(), -1);
}

TEST(Grad, HasTheTreeOfItsArgument) {
  auto loss = [](const Params& p, const Array& x) { return numpy::sum(p.w * x + p.b); };
  const Params g = grad(loss)(Params{numpy::array({1.0, 2}), Array(0.5f)}, numpy::array({3.0, 4}));
  EXPECT_EQ(g.w.to_vector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(g.b.item<float>(), 2);
}

TEST(Grad, OfSeveralArgumentsIsATuple) {
  const auto [dx, dy] = grad<0, 1>([](const Array& x, const Array& y) { return x * y * y; })(Array(2.0f), Array(3.0f));
  EXPECT_EQ(dx.item<float>(), 9);
  EXPECT_EQ(dy.item<float>(), 12);
}

TEST(Grad, GivesSeveralGradientsInTheOrderAskedFor) {
  auto f = [](const Array& x, const Params& p, const Array& y) { return x * p.w * p.w * y * y * y + p.b; };
  const auto [dy, dp, dx] = grad<2, 1, 0>(f)(Array(2.0f), Params{Array(3.0f), Array(0.0f)}, Array(1.0f));
  EXPECT_EQ(dy.item<float>(), 54);
  EXPECT_EQ(dp.w.item<float>(), 12);
  EXPECT_EQ(dp.b.item<float>(), 1);
  EXPECT_EQ(dx.item<float>(), 9);
  EXPECT_EQ(grad<-1>(f)(Array(2.0f), Params{Array(3.0f), Array(0.0f)}, Array(1.0f)).item<float>(), 54);
}

TEST(Grad, CarriesAuxiliaryResults) {
  auto f = [](const Array& x) { return std::pair(x * x, x + 1.0f); };
  const auto [value, g] = value_and_grad(f)(Array(3.0f));
  EXPECT_EQ(value.first.item<float>(), 9);
  EXPECT_EQ(value.second.item<float>(), 4);
  EXPECT_EQ(g.item<float>(), 6);
  // The auxiliary result may be any pytree, also with integer leaves.
  auto counted = [](const Array& x) { return std::pair(x * x, std::tuple(x > 0.0f, numpy::arange(2))); };
  const auto [slope, aux] = grad(counted)(Array(3.0f));
  EXPECT_EQ(slope.item<float>(), 6);
  EXPECT_TRUE(std::get<0>(aux).item<bool>());
  EXPECT_EQ(std::get<1>(aux).to_vector<int>(), (std::vector<int>{0, 1}));
}

TEST(Grad, StopsAtStopGradient) {
  auto f = [](const Array& x) { return x * stop_gradient(x); };
  EXPECT_EQ(grad(f)(Array(3.0f)).item<float>(), 3);
  EXPECT_EQ(jit(grad(f))(Array(3.0f)).item<float>(), 3);
}

TEST(Grad, SharesAMaximumBetweenEquals) {
  auto f = [](const Array& x) { return numpy::maximum(x, x); };
  EXPECT_EQ(grad(f)(Array(1.0f)).item<float>(), 1);
  EXPECT_EQ(grad([](const Array& x) { return nn::relu(x); })(Array(0.0f)).item<float>(), 0);
}

TEST(Grad, OfAnUnusedArgumentIsZero) {
  auto f = [](const Array& x, const Array& y) { return y * y + 0.0f * numpy::sum(numpy::zeros_like(x)); };
  EXPECT_EQ(grad(f)(numpy::array({1.0, 2}), Array(1.0f)).to_vector<float>(), (std::vector<float>{0, 0}));
}

TEST(Grad, RefusesVectorsAsJaxDoes) {
  const std::string text =
      error_of([] { grad([](const Array& x) { return x; })(numpy::zeros({3})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("Gradient only defined for scalar-output functions. Output had shape: f32[3]"), std::string::npos)
      << text;
}

TEST(Grad, RefusesIntegerArguments) {
  const std::string text =
      error_of([] { grad([](const Array& x) { return x; })(numpy::arange(3)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("grad requires real- or complex-valued inputs"), std::string::npos) << text;
}

TEST(Jvp, IsTheDirectionalDerivative) {
  const auto [y, dy] = jvp([](const Array& x) { return x * x; }, std::tuple(Array(3.0f)), std::tuple(Array(2.0f)));
  EXPECT_EQ(y.item<float>(), 9);
  EXPECT_EQ(dy.item<float>(), 12);
}

TEST(Vjp, PullsCotangentsBack) {
  const auto [y, pull] = vjp([](const Array& x) { return numpy::exp(x); }, numpy::array({0.0, 1}));
  const auto [dx] = pull(numpy::array({1.0, 2}));
  EXPECT_NEAR(dx.template to_vector<float>()[1], 2 * std::exp(1.0f), 1e-5);
}

TEST(Linearize, CanBePushedManyTimes) {
  const auto [y, push] = linearize([](const Array& x) { return x * x; }, Array(3.0f));
  EXPECT_EQ(push(Array(1.0f)).template item<float>(), 6);
  EXPECT_EQ(push(Array(2.0f)).template item<float>(), 12);
}

TEST(Vmap, MapsOverTheLeadingAxis) {
  auto f = [](const Array& x, const Array& y) { return numpy::sum(x * y); };
  const Array rows = numpy::array({{1.0, 2}, {3, 4}});
  EXPECT_EQ(vmap(f, {0, kNoAxis})(rows, numpy::array({10.0, 1})).to_vector<float>(), (std::vector<float>{12, 34}));
}

TEST(Vmap, OfGradIsPerExampleGradients) {
  auto f = [](const Array& w, const Array& x) { return numpy::square(numpy::sum(w * x)); };
  const Array g = vmap(grad(f), {kNoAxis, 0})(numpy::array({1.0, 1}), numpy::array({{1.0, 0}, {1, 2}}));
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{2, 0, 6, 12}));
}

TEST(Vmap, RefusesUnequalSizes) {
  const std::string text =
      error_of([] { vmap([](const Array& x, const Array& y) { return x + y; })(numpy::zeros({2}), numpy::zeros({3})); },
               StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("inconsistent sizes for array axes to be mapped: 2"), std::string::npos) << text;
}

TEST(Vmap, PutsResultsWhereOutAxesSays) {
  const Array y = vmap([](const Array& x) { return x; }, {0}, {1})(numpy::array({{1.0, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(y.aval_shape().to_string(), "f32[3,2]");
}

}  // namespace
}  // namespace hilo
