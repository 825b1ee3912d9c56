// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/control_flow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

Array cumulative_product(const Array& xs) {
  return lax::scan([](const Array& carry, const Array& x) { return std::pair(carry * x, carry * x); },
                   Array(1.0f) * numpy::ones({}), xs)
      .second;
}

Array power_by_loop(const Array& x) {
  return lax::fori_loop(0, 5, [&](const Array&, const Array& y) { return y * x; }, numpy::ones_like(x));
}

/// Doubles until at least 100.
Array doubled(const Array& x) {
  return lax::while_loop([](const Array& y) { return y < 100.0f; }, [](const Array& y) { return y * 2.0f; }, x);
}

Array absolute(const Array& x) {
  return lax::cond(x > 0.0f, [](const Array& y) { return y * y; }, [](const Array& y) { return -y; }, x);
}

TEST(Scan, StacksItsResults) {
  EXPECT_EQ(cumulative_product(numpy::array({1, 2, 3, 4})).to_vector<float>(), (std::vector<float>{1, 2, 6, 24}));
}

TEST(Scan, RunsBackwards) {
  const auto [last, all] = lax::scan([](const Array& c, const Array& x) { return std::pair(c + x, c + x); },
                                     numpy::zeros({}), numpy::array({1, 2, 3}), /*reverse=*/true);
  EXPECT_EQ(all.to_vector<float>(), (std::vector<float>{6, 5, 3}));
  EXPECT_EQ(last.item<float>(), 6);
}

TEST(Scan, DifferentiatesBothWays) {
  auto f = [](const Array& xs) { return numpy::sum(cumulative_product(xs)); };
  const Array xs = numpy::array({2, 3, 4});
  // d/dx of x + xy + xyz
  EXPECT_EQ(grad(f)(xs).to_vector<float>(), (std::vector<float>{16, 10, 6}));
  EXPECT_EQ(jit(grad(f))(xs).to_vector<float>(), (std::vector<float>{16, 10, 6}));
  const auto [y, dy] = jvp(f, std::tuple(xs), std::tuple(numpy::array({1, 1, 1})));
  EXPECT_EQ(dy.item<float>(), 32);
  EXPECT_EQ(hessian(f)(xs).to_vector<float>(), (std::vector<float>{0, 5, 3, 5, 0, 2, 3, 2, 0}));
}

TEST(Scan, DifferentiatesWhatItClosesOver) {
  auto f = [](const Array& w) {
    return numpy::sum(lax::scan([&](const Array& c, const Array& x) { return std::pair(c * w + x, c); },
                                numpy::zeros({}), numpy::array({1, 1, 1}))
                          .first);
  };
  EXPECT_EQ(f(Array(2.0f)).item<float>(), 7);
  EXPECT_EQ(grad(f)(Array(2.0f)).item<float>(), 5);  // d/dw of w^2 + w + 1
}

TEST(Scan, Batches) {
  const Array rows = numpy::array({{1, 2, 3}, {2, 2, 2}});
  EXPECT_EQ(vmap(cumulative_product)(rows).to_vector<float>(), (std::vector<float>{1, 2, 6, 2, 4, 8}));
}

TEST(ForiLoop, DifferentiatesInReverse) {
  EXPECT_EQ(power_by_loop(Array(2.0f)).item<float>(), 32);
  EXPECT_EQ(grad(power_by_loop)(Array(2.0f)).item<float>(), 80);
}

TEST(ForiLoop, GradientOfIndexedReadsIsRight) {
  auto f = [](const Array& x) {
    return lax::fori_loop(
        0, 4,
        [&](const Array& i, const Array& s) {
          const Array xi = numpy::take(x, i);
          return s + xi * xi;
        },
        numpy::zeros({}));
  };
  EXPECT_EQ(grad(f)(numpy::array({1, 2, 3, 4})).to_vector<float>(), (std::vector<float>{2, 4, 6, 8}));
}

TEST(ForiLoop, TakesBoundsThatAreTraced) {
  const auto power = [](const Array& x, const Array& n) {
    return lax::fori_loop(0, n, [&](const Array&, const Array& y) { return y * x; }, numpy::ones_like(x));
  };
  EXPECT_EQ(jit(power)(Array(2.0f), Array(5)).item<float>(), 32);
  EXPECT_EQ(vmap(power)(numpy::array({2, 3}), Array::from_vector<int32_t>({3, 2}, {2})).to_vector<float>(),
            (std::vector<float>{8, 9}));
  // A bound that has a value leaves the count known, so that reverse mode works.
  EXPECT_EQ(grad([&](const Array& x) { return power(x, Array(3)); })(Array(2.0f)).item<float>(), 12);
  const auto dynamic = [&](const Array& n) { return grad([&](const Array& x) { return power(x, n); })(Array(2.0f)); };
  std::string text = error_of([&] { jit(dynamic)(Array(3)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("fori_loop with dynamic start/stop values"), std::string::npos) << text;
  text = error_of([&] { power(Array(2.0f), Array(3.0f)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("bounds must be integer scalars; got f32[]"), std::string::npos) << text;
}

TEST(ForiLoop, RefusesBoundsOfTwoTypes) {
  const Array small = numpy::astype(Array(3), ElementType::kS8) + numpy::zeros({}, ElementType::kS8);
  const Array large = numpy::arange(5)[4];
  const auto body = [](const Array&, const Array& y) { return y; };
  const std::string text =
      error_of([&] { lax::fori_loop(small, large, body, Array(1.0f)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("lower and upper bounds must have equal types; got s8[] and s32[]"), std::string::npos) << text;
}

TEST(WhileLoop, RunsUntilItsConditionFails) { EXPECT_EQ(doubled(Array(3.0f) * numpy::ones({})).item<float>(), 192); }

TEST(WhileLoop, BatchesWithADifferentCountPerExample) {
  EXPECT_EQ(vmap(doubled)(numpy::array({3, 60, 200})).to_vector<float>(), (std::vector<float>{192, 120, 200}));
}

TEST(WhileLoop, DifferentiatesForwardOnly) {
  const auto [y, dy] = jvp(doubled, std::tuple(numpy::ones({}) * 3.0f), std::tuple(numpy::ones({})));
  EXPECT_EQ(dy.item<float>(), 64);
  try {
    grad(doubled)(numpy::ones({}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("Reverse-mode differentiation does not work for lax.while_loop"),
              std::string::npos);
  }
}

TEST(Cond, TakesOneBranchAndItsGradient) {
  EXPECT_EQ(absolute(Array(3.0f)).item<float>(), 9);
  EXPECT_EQ(absolute(Array(-3.0f)).item<float>(), 3);
  EXPECT_EQ(grad(absolute)(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ(jit(grad(absolute))(Array(-3.0f)).item<float>(), -1);
}

TEST(Cond, UnderVmapSelects) {
  EXPECT_EQ(vmap(absolute)(numpy::array({3, -3})).to_vector<float>(), (std::vector<float>{9, 3}));
  EXPECT_EQ(vmap(grad(absolute))(numpy::array({3, -3})).to_vector<float>(), (std::vector<float>{6, -1}));
}

TEST(Cond, UnderVmapKeepsInfiniteSlopesOfTheOtherBranchOut) {
  const auto root = [](const Array& x) {
    return lax::cond(
        x > 0.0f, [](const Array& y) { return numpy::sqrt(y); }, [](const Array& y) { return y * 0.0f; }, x);
  };
  EXPECT_EQ(
      grad([&](const Array& rows) { return numpy::sum(vmap(root)(rows)); })(numpy::array({4, 0})).to_vector<float>(),
      (std::vector<float>{0.25, 0}));
  EXPECT_EQ(vmap(grad(root))(numpy::array({4, 0})).to_vector<float>(), (std::vector<float>{0.25, 0}));
}

TEST(Cond, RefusesBranchesOfDifferentTypes) {
  try {
    lax::cond(true, [](const Array& x) { return x; }, [](const Array& x) { return numpy::stack({x, x}); }, Array(1.0f));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cond branches must have equal output types"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace hilo
