// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/linalg.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"

namespace hilo::lax::linalg {
namespace {

const Array& upper() {
  static const Array a = numpy::array({{2.0f, 1.0f}, {9.0f, 4.0f}});  // elements below the diagonal are not read
  return a;
}

TEST(TriangularSolve, AVectorIsOneColumnOrOneRow) {
  const Array b = numpy::array({5.0f, 8.0f});
  EXPECT_EQ(triangular_solve(upper(), b, {.left_side = true}).to_vector<float>(), (std::vector<float>{1.5f, 2}));
  EXPECT_EQ(triangular_solve(upper(), b).to_vector<float>(), (std::vector<float>{2.5f, 1.375f}));
  const Array both = triangular_solve(numpy::stack({upper(), upper()}), numpy::stack({b, b}), {.left_side = true});
  EXPECT_EQ(both.to_vector<float>(), (std::vector<float>{1.5f, 2, 1.5f, 2}));
  EXPECT_THROW(triangular_solve(upper(), Array(1.0f)), Error);
}

// As in JAX, the whole tangent counts, as of a Hermitian matrix, although only one triangle of the matrix is read.
TEST(Cholesky, TheDerivativeWithoutSymmetrizingIsThatOfAHermitianMatrix) {
  const Array a = numpy::array({{4.0f, 1.0f}, {1.0f, 3.0f}}), t = numpy::array({{1.0f, 0.5f}, {0.5f, -2.0f}});
  const auto of_triangle = [](const Array& x) { return cholesky(x, false); };
  const auto whole = [](const Array& x) { return cholesky(x); };
  const Array x = jvp(of_triangle, std::tuple(a), std::tuple(t)).second;
  const Array y = jvp(whole, std::tuple(a), std::tuple(t)).second;
  EXPECT_LT(numpy::max(numpy::abs(x - y)).item<float>(), 1e-6f);
}

}  // namespace
}  // namespace hilo::lax::linalg
