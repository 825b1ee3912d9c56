// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/sparse_root.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/derivatives.h"
#include "tests/support/x64.h"

namespace hilo::scipy::optimize {
namespace {

double largest(const Array& x) { return numpy::max(numpy::abs(x)).item<double>(); }

constexpr int64_t kSize = 30;

/// Bratu's equation u'' + c e^u = 0 with u = 0 at both ends.
Array bratu(const Array& u, const Array& c) {
  const Array ends = numpy::zeros({1}, u.dtype());
  const Array padded = numpy::concatenate({ends, u, ends}, 0);
  const double h = 1.0 / (kSize + 1);
  const Array curvature = padded[range(0, -2)] - 2 * u + padded[range(2, none)];
  return curvature / (h * h) + c * numpy::exp(u);
}
const SparsityPattern kPattern = SparsityPattern::banded(kSize, kSize, 1);

Array solution(const Array& c) {
  return sparse_root([c](const Array& u) { return bratu(u, c); }, numpy::zeros({kSize}, float64), kPattern).x;
}

TEST(SparseRoot, SolvesABoundaryValueProblem) {
  const X64Scope wide;
  const Array c = 1.0;
  const SparseRootResults r =
      sparse_root([&](const Array& u) { return bratu(u, c); }, numpy::zeros({kSize}, float64), kPattern);
  EXPECT_TRUE(r.success.item<bool>());
  EXPECT_LT(largest(r.fun), 1.5e-8);
  EXPECT_LT(r.nit.item<int>(), 8);
  EXPECT_NEAR(largest(r.x), 0.1405, 2e-3);  // the known maximum, up to the discretization
  EXPECT_LT(largest(jit(solution)(c) - r.x), 1e-12);
}

TEST(SparseRoot, DerivativesAreThoseOfTheEquation) {
  const X64Scope wide;
  expect_derivatives<1>(solution, std::tuple(Array(numpy::array(1.0))), Modes::kBoth, 1e-5);
}

TEST(SparseRoot, BatchesAreLoops) {
  const X64Scope wide;
  const Array cs = numpy::array({0.5, 1.0, 2.0, 3.0, 3.4});
  const Array all_at_once = jit(vmap(solution))(cs);
  for (int64_t k = 0; k < 5; ++k) EXPECT_LT(largest(all_at_once[k] - solution(cs[k])), 1e-7);
}

TEST(SparseRoot, ShortensStepsThatDontHelp) {
  const X64Scope wide;
  // Newton's full steps diverge from 3 for arctan.
  const auto f = [](const Array& x) { return numpy::arctan(x); };
  const SparseRootResults r = sparse_root(f, numpy::full({4}, 3.0), SparsityPattern::banded(4, 4, 0));
  EXPECT_TRUE(r.success.item<bool>());
  EXPECT_LT(largest(r.x), 1e-7);
}

TEST(SparseRoot, SaysThatThereIsNoRoot) {
  const auto f = [](const Array& x) { return x * x + 1.0f; };
  const SparseRootResults r = sparse_root(f, numpy::full({2}, 0.7f), SparsityPattern::banded(2, 2, 0));
  EXPECT_FALSE(r.success.item<bool>());
  EXPECT_THROW(sparse_root(f, numpy::ones({3}), SparsityPattern::banded(2, 2, 0)), Error);
  EXPECT_THROW(sparse_root(f, numpy::arange(2), SparsityPattern::banded(2, 2, 0)), Error);
}

}  // namespace
}  // namespace hilo::scipy::optimize
