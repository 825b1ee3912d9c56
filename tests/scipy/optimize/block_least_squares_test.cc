// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/block_least_squares.h"

#include <gtest/gtest.h>

#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/x64.h"

namespace hilo::scipy::optimize {
namespace {

using Kinds = std::vector<Array>;

constexpr int64_t kCameras = 3, kPoints = 8;

Array wave(double seed, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return numpy::sin(seed + 1.7 * numpy::arange(0.0, static_cast<double>(count))).reshape(shape);
}
double largest(const Array& x) { return numpy::max(numpy::abs(x)).item<double>(); }
double largest(const Kinds& a, const Kinds& b) {
  double most = 0;
  for (size_t k = 0; k < a.size(); ++k) most = std::max(most, largest(a[k] - b[k]));
  return most;
}

/// A picture of a point, from a camera with a position and a focal length.
Array seen(const Array& camera, const Array& point) {
  const Array apart = point - camera[range(0, 3)];
  return camera[3] * apart[range(0, 2)] / (4.0 + apart[2]);
}
Array off(const Array& camera, const Array& point, const Array& picture) { return seen(camera, point) - picture; }

Kinds start() {
  const Array still = numpy::concatenate({numpy::zeros({kCameras, 3}), numpy::ones({kCameras, 1})}, 1);
  return {still + 0.1 * wave(1, {kCameras, 4}), wave(2, {kPoints, 3})};
}
/// Each camera sees two points of three.
std::pair<Array, Array> indices() {
  std::vector<int32_t> cameras, points;
  for (int32_t p = 0; p < kPoints; ++p) {
    for (int32_t c = 0; c < kCameras; ++c) {
      if ((p + c) % 3 != 0) cameras.push_back(c), points.push_back(p);
    }
  }
  return {numpy::array(cameras), numpy::array(points)};
}
/// Pictures, and a guess of each parameter.
std::vector<ResidualBlocks> bundle(const Array& pictures, const Array& cameras, const Array& points) {
  const auto prior = [](const Array& a, const Array& b) { return 0.3 * (a - b); };
  const Kinds x = start();
  return {residual_blocks(off, {{0, cameras}, {1, points}}, pictures),
          residual_blocks(prior, {{0, numpy::arange(kCameras)}}, x[0]),
          residual_blocks(prior, {{1, numpy::arange(kPoints)}}, x[1])};
}
Array pictures() {
  const auto [cameras, points] = indices();
  const Kinds x = start();
  return vmap(seen)(x[0][cameras], x[1][points]) + 0.1 * wave(3, {cameras.size(), 2});
}

Array ravel(const Kinds& x) { return numpy::concatenate({numpy::ravel(x[0]), numpy::ravel(x[1])}); }
Kinds unravel(const Array& flat) {
  return {flat[range(0, 4 * kCameras)].reshape({kCameras, 4}), flat[range(4 * kCameras, none)].reshape({kPoints, 3})};
}
Array dense_residuals(const Array& flat, const Array& of_pictures) {
  const auto [cameras, points] = indices();
  const Kinds x = unravel(flat), begin = start();
  return numpy::concatenate({numpy::ravel(vmap(off)(x[0][cameras], x[1][points], of_pictures)),
                             numpy::ravel(0.3 * (x[0] - begin[0])), numpy::ravel(0.3 * (x[1] - begin[1]))});
}
Kinds dense_step(const Kinds& x, double damping) {
  const Array flat = ravel(x), r = dense_residuals(flat, pictures()), j = jacfwd(dense_residuals)(flat, pictures());
  const Array normal = numpy::matmul(j.T(), j), damped = normal + damping * numpy::diag(numpy::diagonal(normal));
  return unravel(flat - numpy::linalg::solve(damped, numpy::matmul(j.T(), r)));
}
std::vector<ResidualBlocks> known_bundle(const Array& of_pictures) {
  const auto [cameras, points] = indices();
  return bundle(of_pictures, cameras, points);
}

TEST(BlockGaussNewtonStep, IsThatOfTheDenseNormalEquations) {
  const X64Scope wide;
  const Kinds x = start(), expected = dense_step(x, 0.1);
  EXPECT_LT(largest(block_gauss_newton_step(known_bundle(pictures()), x, 0.1).x, expected), 1e-12);
  const auto step = jit([](const Kinds& x, const Array& damping) {
    return block_gauss_newton_step(known_bundle(pictures()), x, damping);
  });
  EXPECT_LT(largest(step(x, numpy::array(0.1)).x, expected), 1e-12);
  // Traced indices: the Schur complement is a dense product.
  const auto traced = jit([](const Kinds& x, const Array& cameras, const Array& points) {
    return block_gauss_newton_step(bundle(pictures(), cameras, points), x, 0.1);
  });
  const auto [cameras, points] = indices();
  EXPECT_LT(largest(traced(x, cameras, points).x, expected), 1e-12);
}

/// Many blocks of a chain, so that few pairs of them have a point in common.
TEST(BlockGaussNewtonStep, SkipsPairsThatShareNoEliminatedBlock) {
  const X64Scope wide;
  constexpr int32_t kCount = 40;
  std::vector<int32_t> left, right, places;
  for (int32_t k = 0; k + 2 < kCount; ++k) {
    for (int32_t side : {0, 2, 0}) left.push_back(k + side), right.push_back(k + 1), places.push_back(k);
  }
  const auto sum = [](const Array& a, const Array& b, const Array& place, const Array& number) {
    return numpy::sin(a) + b * a[0] + place[range(0, 2)] * place[1] - number;
  };
  const Kinds x = {wave(1, {kCount, 2}), wave(2, {1, 2}), wave(3, {kCount, 3})};
  const Array i = numpy::array(left), j = numpy::array(right), p = numpy::array(places);
  const Array zero = numpy::zeros_like(i), numbers = wave(4, {i.size(), 2});
  const auto residuals = [&](const Array& i, const Array& j, const Array& p) -> std::vector<ResidualBlocks> {
    const auto self = [](const Array& a) { return a; };
    const auto both = [](const Array& a, const Array& b) { return a * b; };
    return {residual_blocks(sum, {{0, i}, {1, zero}, {2, p}}, numbers), residual_blocks(both, {{0, j}, {0, i}}),
            residual_blocks(self, {{2, numpy::arange(kCount)}})};
  };
  const BlockStep known = block_gauss_newton_step(residuals(i, j, p), x, 0.1);
  const BlockStep traced = jit([&](const Array& i, const Array& j, const Array& p) {
    return block_gauss_newton_step(residuals(i, j, p), x, 0.1);
  })(i, j, p);
  EXPECT_LT(largest(known.x, traced.x), 1e-12);
  EXPECT_NEAR(known.cost.item<double>(), traced.cost.item<double>(), 1e-12);
}

TEST(BlockGaussNewtonStep, ItsGradientIsThatOfDifferences) {
  const X64Scope wide;
  const auto value = [](const Array& p) {
    const Kinds x = block_gauss_newton_step(known_bundle(p), start(), 0.1).x;
    return numpy::sum(numpy::sin(x[0])) + numpy::sum(numpy::sin(x[1]));
  };
  const Array p = pictures(), along = wave(5, {p.shape(0), 2});
  constexpr double h = 1e-5;
  const double difference = (value(p + h * along) - value(p - h * along)).item<double>() / (2 * h);
  EXPECT_NEAR(numpy::sum(grad(value)(p) * along).item<double>(), difference, 1e-7);
}

TEST(BlockLeastSquares, FindsWhatTheDenseWayFinds) {
  const X64Scope wide;
  const auto solve = jit([](const Array& p) { return block_least_squares(known_bundle(p), start()); });
  const BlockLeastSquaresResults r = solve(pictures());
  const LeastSquaresResults dense =
      least_squares([](const Array& x) { return dense_residuals(x, pictures()); }, ravel(start()));
  EXPECT_TRUE(r.success.item<bool>());
  EXPECT_NEAR(r.cost.item<double>(), dense.cost.item<double>(), 1e-9);
  EXPECT_LT(largest(ravel(r.x) - dense.x), 1e-3);
  EXPECT_GE(r.nfev.item<int>(), 3);
}

TEST(BlockLeastSquares, DifferentiatesInBothModesAndInBatches) {
  const X64Scope wide;
  const auto solved = [](const Array& p) {
    return ravel(block_least_squares(known_bundle(p), start(), {.ftol = 0, .xtol = 1e-13, .gtol = 1e-13}).x);
  };
  const auto value = [&](const Array& p) { return numpy::sum(numpy::sin(solved(p))); };
  const auto compiled = jit(value);
  const Array p = pictures(), along = wave(5, {p.shape(0), 2}), x = jit(solved)(p);
  // By the implicit function theorem, with the dense Hessian.
  const auto gradient =
      grad([](const Array& at, const Array& p) { return 0.5 * numpy::sum(numpy::square(dense_residuals(at, p))); });
  const auto with_pictures = [&](const Array& p) { return gradient(x, p); };
  const Array moved = jvp(with_pictures, std::tuple(p), std::tuple(along)).second;
  const double expected =
      -numpy::dot(numpy::cos(x), numpy::linalg::solve(jacfwd(gradient)(x, p), moved)).item<double>();
  EXPECT_NEAR(numpy::sum(jit(grad(value))(p) * along).item<double>(), expected, 1e-8);
  EXPECT_NEAR(jvp(compiled, std::tuple(p), std::tuple(along)).second.item<double>(), expected, 1e-8);
  const Array both = jit(vmap(value))(numpy::stack({p, p + 0.01 * along}));
  EXPECT_NEAR(both[0].item<double>(), compiled(p).item<double>(), 1e-8);
  EXPECT_NEAR(both[1].item<double>(), compiled(p + 0.01 * along).item<double>(), 1e-8);
}

/// Poses in a circle, of which the first is fixed: one kind, of which residuals read two blocks, so that none is
/// eliminated.
TEST(BlockLeastSquares, SolvesAPoseGraph) {
  const auto between = [](const Array& a, const Array& b, const Array& moved) { return b - a - moved; };
  const auto fixed = [](const Array& a) { return 10.0f * a; };
  const Array from = numpy::array({0, 1, 2, 3}), to = numpy::array({1, 2, 3, 0});
  const Array moves = numpy::array({{1.0f, 0.0f}, {0.0f, 1.0f}, {-1.0f, 0.0f}, {0.0f, -0.8f}});
  const auto r = block_least_squares(
      {residual_blocks(between, {{0, from}, {0, to}}, moves), residual_blocks(fixed, {{0, numpy::array({0})}})},
      {numpy::zeros({4, 2})});
  // The error of closing is shared by the four moves.
  const Array expected = numpy::array({{0.0f, 0.0f}, {1.0f, -0.05f}, {1.0f, 0.9f}, {0.0f, 0.85f}});
  EXPECT_LT(largest(r.x[0] - expected), 1e-4);
}

/// One kind, of which each residual reads one block: separate problems, without a complement.
TEST(BlockLeastSquares, SolvesSeparateProblems) {
  const auto line = [](const Array& p, const Array& t, const Array& y) { return p[0] + p[1] * t - y; };
  const Array of = numpy::array({0, 0, 0, 1, 1, 1}), t = numpy::array({0.0f, 1.0f, 2.0f, 0.0f, 1.0f, 2.0f});
  const Array y = numpy::array({1.0f, 3.0f, 5.0f, 2.0f, 1.0f, 0.0f});
  const auto r = block_least_squares({residual_blocks(line, {{0, of}}, t, y)}, {numpy::zeros({2, 2})});
  EXPECT_LT(largest(r.x[0] - numpy::array({{1.0f, 2.0f}, {2.0f, -1.0f}})), 1e-4);
  EXPECT_LT(r.optimality.item<float>(), 1e-3);
}

TEST(BlockLeastSquares, StopsAfterTheStepsThatAreAllowed) {
  const X64Scope wide;
  const auto r = block_least_squares(known_bundle(pictures()), start(), {.max_nfev = 1});
  EXPECT_EQ(r.nfev.item<int>(), 1);
  EXPECT_FALSE(r.success.item<bool>());
}

TEST(BlockLeastSquares, RefusesOtherArguments) {
  const auto f = [](const Array& a) { return a; };
  const auto with = [](const Array& a, const Array& b) { return a - b; };
  const Array index = numpy::array({0, 1});
  const Kinds x = {numpy::zeros({2, 3})};
  const auto refuses = [&](const std::vector<ResidualBlocks>& residuals, const Kinds& at) {
    EXPECT_THROW(block_least_squares(residuals, at), Error);
    EXPECT_THROW(block_gauss_newton_step(residuals, at, 0.0f), Error);
  };
  refuses({}, x);
  refuses({residual_blocks(f, {{0, index}})}, {});
  refuses({residual_blocks(f, {{0, index}})}, {numpy::zeros({3})});
  refuses({residual_blocks(f, {{0, index}})}, {numpy::zeros({2, 0})});
  refuses({residual_blocks(f, {{1, index}})}, x);
  refuses({residual_blocks(f, {{0, numpy::array({0, 2})}})}, x);
  refuses({residual_blocks(f, {{0, numpy::array({0, -1})}})}, x);
  refuses({residual_blocks(f, {{0, numpy::array({0.0f, 1.0f})}})}, x);
  refuses({residual_blocks(with, {{0, index}, {0, numpy::array({0, 1, 1})}})}, x);
  refuses({residual_blocks(with, {{0, index}}, numpy::zeros({3, 3}))}, x);
  const std::vector<ResidualBlocks> right = {residual_blocks(f, {{0, index}})};
  EXPECT_THROW(block_least_squares(right, x, {.method = "trf"}), Error);
  EXPECT_THROW(block_gauss_newton_step(right, x, numpy::zeros({2})), Error);
}

}  // namespace
}  // namespace hilo::scipy::optimize
