// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/transforms.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"

namespace hilo::scipy::sparse {
namespace {

bool close(const Array& x, const Array& y) { return numpy::allclose(x, y, 1e-5, 1e-5).item<bool>(); }

const auto kLoss = [](const auto& m, const Array& x) { return numpy::sum(numpy::square(m.matmul(x))); };

/// The dense gradient at the stored elements.
Array wanted(const Array& dense, const Array& x) {
  const auto loss = [&](const Array& m) { return numpy::sum(numpy::square(numpy::matmul(m, x))); };
  return numpy::where(dense != 0, hilo::grad(loss)(dense), 0.0f);
}

TEST(SparseGrad, IsTheDenseGradientAtThePlaces) {
  const Array dense = numpy::array({{0.0f, 2.0f, 0.0f}, {1.0f, 0.0f, -3.0f}}), x = numpy::array({1.0f, -2.0f, 0.5f});
  const BCOO m = BCOO::fromdense(dense);
  const BCSR rows = BCSR::fromdense(dense);
  EXPECT_TRUE(close(grad(kLoss)(m, x).todense(), wanted(dense, x)));
  EXPECT_TRUE(close(grad(kLoss)(rows, x).todense(), wanted(dense, x)));
  EXPECT_TRUE(close(jit(grad(kLoss))(m, x).todense(), wanted(dense, x)));
  const auto [value, gradient] = value_and_grad(kLoss)(m, x);
  EXPECT_NEAR(value.item<float>(), 16.25f, 1e-5);
  EXPECT_EQ(gradient.nse(), 3);
}

TEST(SparseGrad, DifferentiatesTheDenseFactorToo) {
  const Array dense = numpy::array({{0.0f, 2.0f}, {1.0f, 0.0f}}), x = numpy::array({1.0f, -2.0f});
  const BCOO m = BCOO::fromdense(dense);
  const Array got = hilo::grad([&](const Array& v) { return kLoss(m, v); })(x);
  EXPECT_TRUE(close(got, 2 * numpy::matmul(dense.T(), numpy::matmul(dense, x))));
  EXPECT_TRUE(
      close(hilo::grad([&](const Array& d) { return numpy::sum(BCOO::fromdense(d, {.nse = 2}).data * x); })(dense),
            numpy::array({{0.0f, 1.0f}, {-2.0f, 0.0f}})));
}

}  // namespace
}  // namespace hilo::scipy::sparse
