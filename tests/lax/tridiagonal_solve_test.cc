// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/tridiagonal_solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo::lax::linalg {
namespace {

struct System {
  Array dl, d, du, b;
};

/// Elements repeat after 31 and include zeros, so that rows must be exchanged.
Array sample(ElementType type, std::vector<int64_t> shape, int64_t seed) {
  int64_t size = 1;
  for (int64_t extent : shape) size *= extent;
  std::vector<std::complex<double>> values;
  for (int64_t i = 0; i < size; ++i) {
    const auto part = [&](int64_t k) { return static_cast<double>((i * i * 3 + i * 7 + k * seed) % 31 - 15) / 8; };
    values.emplace_back(part(1), part(2));
  }
  const Array x = Array::from_vector(values, Dimensions(shape.begin(), shape.end()));
  return is_complex(type) ? numpy::astype(x, type) : numpy::astype(numpy::real(x), type);
}
System system_of(ElementType type, std::vector<int64_t> batch, int64_t n, int64_t k) {
  std::vector<int64_t> shape = batch;
  shape.push_back(n);
  std::vector<int64_t> sides = shape;
  sides.push_back(k);
  return {sample(type, shape, 5), sample(type, shape, 12), sample(type, shape, 8), sample(type, sides, 3)};
}

/// The dense matrix of a system without a batch.
Array matrix_of(const System& s) {
  return numpy::diag(s.d) + numpy::diag(s.dl(range(1, none)), -1) + numpy::diag(s.du(range(0, -1)), 1);
}
double distance(const Array& a, const Array& b) {
  EXPECT_TRUE(std::ranges::equal(a.shape(), b.shape()));
  return a.size() == 0 ? 0 : numpy::astype(numpy::max(numpy::abs(a - b)), ElementType::kF32).item<float>();
}

TEST(TridiagonalSolve, SolvesSystemsWhoseRowsMustBeExchanged) {
  for (ElementType type : {ElementType::kF32, ElementType::kC64}) {
    for (int64_t n : {1, 2, 3, 17, 64}) {
      for (bool perturb : {false, true}) {
        const System s = system_of(type, {}, n, 2);
        const Array x = tridiagonal_solve(s.dl, s.d, s.du, s.b, {.perturb_singular = perturb});
        const Array scale = numpy::max(numpy::abs(x));
        EXPECT_LT(distance(numpy::matmul(matrix_of(s), x), s.b), 1e-4 * (1 + scale.item<float>())) << n;
      }
    }
  }
}

TEST(TridiagonalSolve, WhatStandsOutsideOfTheMatrixIsNotLookedAt) {
  const System s = system_of(ElementType::kF32, {}, 5, 1);
  const Array x = tridiagonal_solve(s.dl, s.d, s.du, s.b);
  const Array dl = s.dl.at(0).set(NAN), du = s.du.at(4).set(NAN);
  EXPECT_EQ(distance(tridiagonal_solve(dl, s.d, du, s.b), x), 0);
  const auto total = [&](Array m) { return numpy::sum(tridiagonal_solve(dl, m, du, s.b)); };
  EXPECT_TRUE(numpy::all(numpy::isfinite(grad(total)(s.d))).item<bool>());
}

TEST(TridiagonalSolve, EmptySystemsAndSidesAreEmpty) {
  for (auto [n, k] : {std::pair<int64_t, int64_t>{0, 2}, {3, 0}, {0, 0}}) {
    for (bool perturb : {false, true}) {
      const System s = system_of(ElementType::kF32, {2}, n, k);
      EXPECT_EQ(tridiagonal_solve(s.dl, s.d, s.du, s.b, {.perturb_singular = perturb}).aval_shape(), s.b.aval_shape());
    }
  }
}

TEST(TridiagonalSolve, ASingularMatrixGivesNanOrALongVectorOfItsKernel) {
  const Array d = numpy::array({1.0f, 2.0f, 1.0f}), e = numpy::array({-1.0f, -1.0f, -1.0f});
  const Array b = numpy::array({{1.0f}, {0.0f}, {0.0f}});
  const Array plain = tridiagonal_solve(e, d, e, b);
  EXPECT_TRUE(numpy::all(numpy::isnan(plain)).item<bool>()) << plain.to_string();
  const Array x = tridiagonal_solve(e, d, e, b, {.perturb_singular = true});
  ASSERT_TRUE(numpy::all(numpy::isfinite(x)).item<bool>()) << x.to_string();
  EXPECT_GT(std::abs(x(0, 0).item<float>()), 1e5f);  // the kernel is (1, 1, 1)
  EXPECT_LT(distance(x / x(0, 0), numpy::ones_like(x)), 1e-5);
}

TEST(TridiagonalSolve, ANanPoisonsItsOwnSystemOnly) {
  const System s = system_of(ElementType::kF32, {2}, 4, 1);
  const Array d = s.d.at(0, 1).set(NAN), x = tridiagonal_solve(s.dl, d, s.du, s.b);
  EXPECT_TRUE(numpy::all(numpy::isnan(x[0])).item<bool>());
  EXPECT_TRUE(numpy::all(numpy::isfinite(x[1])).item<bool>());
}

TEST(TridiagonalSolve, VmapAndJitGiveTheSame) {
  const System s = system_of(ElementType::kF32, {3}, 6, 2);
  const Array x = tridiagonal_solve(s.dl, s.d, s.du, s.b);
  const auto solve = [](Array dl, Array d, Array du, Array b) { return tridiagonal_solve(dl, d, du, b); };
  EXPECT_LT(distance(vmap(solve)(s.dl, s.d, s.du, s.b), x), 1e-6);
  EXPECT_LT(distance(jit(solve)(s.dl, s.d, s.du, s.b), x), 1e-6);
  const auto only_sides = [&](Array b) { return tridiagonal_solve(s.dl[0], s.d[0], s.du[0], b); };
  EXPECT_LT(distance(vmap(only_sides)(numpy::expand_dims(s.b[0], 0))[0], x[0]), 1e-6);
}

TEST(TridiagonalSolve, GradientsAreThoseOfTheDenseSystem) {
  const System s = system_of(ElementType::kF32, {}, 6, 2);
  const auto sparse = [](System t) { return numpy::sum(numpy::sin(tridiagonal_solve(t.dl, t.d, t.du, t.b))); };
  const auto dense = [](System t) { return numpy::sum(numpy::sin(hilo::linalg::solve(matrix_of(t), t.b))); };
  const System a = grad(sparse)(s), w = grad(dense)(s);
  for (auto [x, y] : {std::pair(a.dl, w.dl), {a.d, w.d}, {a.du, w.du}, {a.b, w.b}}) {
    const float scale = numpy::max(numpy::abs(y)).item<float>();
    EXPECT_LT(distance(x, y), 2e-4 * (1 + scale));
  }
}

TEST(TridiagonalSolve, RefusesShapesAndTypesThatDiffer) {
  const System s = system_of(ElementType::kF32, {}, 4, 1);
  const auto refused = [](auto call) { return error_of(call, StatusCode::kInvalidArgument); };
  EXPECT_NE(refused([&] { tridiagonal_solve(s.dl, s.d, s.du, s.d); }).find("wanted dl, d, du of one shape"),
            std::string::npos);
  refused([&] { tridiagonal_solve(s.dl[range(0, 3)], s.d, s.du, s.b); });
  refused([&] { tridiagonal_solve(s.dl, s.d, s.du, numpy::astype(s.b, ElementType::kC64)); });
}

}  // namespace
}  // namespace hilo::lax::linalg
