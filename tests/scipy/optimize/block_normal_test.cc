// SPDX-License-Identifier: Apache-2.0
// The solutions of whole steps are in block_least_squares_test.cc.
#include "hilo/scipy/optimize/block_normal.h"

#include <gtest/gtest.h>

#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "tests/support/x64.h"

namespace hilo::scipy::optimize {
namespace {

/// Two kinds: residual k is a[i] + c * b[j], with Jacobians 1 and c.
struct Pair {
  Kinds x = {numpy::zeros({2, 1}), numpy::zeros({3, 1})};
  std::vector<ResidualBlocks> residuals = {residual_blocks(
      [](const Array& a, const Array& b, const Array& c) { return a + c * b; },
      {{0, numpy::array({0, 0, 1, 1})}, {1, numpy::array({0, 1, 1, 2})}}, numpy::array({{1.0}, {2.0}, {3.0}, {4.0}}))};
  BlockLinears linear = {block_linear(residuals[0], x)};
  Array dense = numpy::array({{1.0, 0.0, 1.0, 0.0, 0.0},
                              {1.0, 0.0, 0.0, 2.0, 0.0},
                              {0.0, 1.0, 0.0, 3.0, 0.0},
                              {0.0, 1.0, 0.0, 0.0, 4.0}});  ///< the Jacobian
};

double largest_difference(const Kinds& a, const Array& flat) {
  const Array own = numpy::concatenate({numpy::ravel(a[0]), numpy::ravel(a[1])});
  return numpy::max(numpy::abs(own - flat)).item<double>();
}

TEST(BlockNormal, ProductsAreThoseOfTheDenseJacobian) {
  const X64Scope wide;
  const Pair p;
  const Array v = numpy::array({1.0, -2.0, 3.0, 0.5});
  EXPECT_EQ(largest_difference(block_transposed(p.residuals, p.linear, {v.reshape({4, 1})}, p.x),
                               numpy::matmul(p.dense.T(), v)),
            0);
  EXPECT_EQ(largest_difference(block_diagonal(p.residuals, p.linear, p.x), numpy::sum(p.dense * p.dense, 0)), 0);
}

TEST(BlockNormal, SolvesForAnyRightSide) {
  const X64Scope wide;
  const Pair p;
  const Kinds weights = {numpy::array({{0.5}, {0.6}}), numpy::array({{0.7}, {0.8}, {0.9}})};
  const BlockFactors factors = block_factors(p.residuals, p.linear, weights);
  EXPECT_EQ(factors.eliminated, 1);
  EXPECT_EQ(factors.rest, std::vector<int64_t>{0});
  const Array right = numpy::array({1.0, 2.0, -1.0, 0.5, 3.0});
  const Array normal = numpy::matmul(p.dense.T(), p.dense) + numpy::diag(numpy::array({0.5, 0.6, 0.7, 0.8, 0.9}));
  const Kinds solution = block_solve(p.residuals, p.linear, factors,
                                     {right[range(0, 2)].reshape({2, 1}), right[range(2, 5)].reshape({3, 1})});
  EXPECT_LT(largest_difference(solution, numpy::linalg::solve(normal, right)), 1e-14);
}

}  // namespace
}  // namespace hilo::scipy::optimize
