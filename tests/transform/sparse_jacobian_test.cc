// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/sparse_jacobian.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

/// Each element depends on its neighbours: a band of width 1.
Array neighbours(const Array& x) {
  const Array zero = numpy::zeros({1});
  const Array left = numpy::concatenate(std::vector<Array>{zero, x(range(0, -1))});
  const Array right = numpy::concatenate(std::vector<Array>{x(range(1, none)), zero});
  return numpy::sin(x) * left + x * x * right;
}

void expect_equal(const Array& got, const Array& wanted) {
  ASSERT_EQ(std::vector<int64_t>(got.shape().begin(), got.shape().end()),
            std::vector<int64_t>(wanted.shape().begin(), wanted.shape().end()));
  const std::vector<float> a = got.to_vector<float>(), b = wanted.to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_FLOAT_EQ(a[i], b[i]) << i;
}

int64_t colour_count(const SparsityPattern& pattern) { return std::ranges::max(column_colours(pattern)) + 1; }

TEST(SparseJacobian, IsTheDenseOneAtItsPlaces) {
  const Array x = numpy::array({0.3f, -0.7f, 1.1f, 0.2f, 0.9f, -0.4f});
  const SparsityPattern band = SparsityPattern::banded(6, 6, 1);
  const Array dense = jacfwd(neighbours)(x);
  expect_equal(sparse_jacfwd(neighbours, band)(x).todense(), dense);
  expect_equal(sparse_jacrev(neighbours, band)(x).todense(), dense);
  const auto compiled = jit([&](const Array& v) { return sparse_jacfwd(neighbours, band)(v); });
  expect_equal(compiled(x).todense(), dense);
  EXPECT_EQ(compiled(x).data.shape(0), 16);
}

TEST(SparseJacobian, ABandNeedsAsManyColoursAsItIsWide) {
  for (const int64_t size : {10, 100, 1000}) {
    EXPECT_EQ(colour_count(SparsityPattern::banded(size, size, 1)), 3);
    EXPECT_EQ(colour_count(SparsityPattern::banded(size, size, 0)), 1);
  }
}

TEST(SparseJacobian, ColumnsOfOneColourShareNoRow) {
  const SparsityPattern arrow{4, 4, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 1}, {2, 2}, {3, 3}, {1, 0}, {2, 0}, {3, 0}}};
  const std::vector<int64_t> colours = column_colours(arrow);
  for (const auto& [row, a] : arrow.entries) {
    for (const auto& [other, b] : arrow.entries) {
      if (row != other || a == b) continue;
      EXPECT_NE(colours[static_cast<size_t>(a)], colours[static_cast<size_t>(b)]);
    }
  }
}

TEST(SparseJacobian, MatricesNeedNotBeSquare) {
  const auto sums = [](const Array& x) { return numpy::stack({x[0] * x[1], x[2] * x[3]}); };
  const SparsityPattern pattern{2, 4, {{0, 0}, {0, 1}, {1, 2}, {1, 3}}};
  EXPECT_EQ(colour_count(pattern), 2);
  const Array x = numpy::array({1.0f, 2.0f, 3.0f, 4.0f});
  expect_equal(sparse_jacfwd(sums, pattern)(x).todense(), jacfwd(sums)(x));
  expect_equal(sparse_jacrev(sums, pattern)(x).todense(), jacfwd(sums)(x));
}

TEST(SparseJacobian, TakesTheDirectionWithFewerColours) {
  const Array x = numpy::array({1.0f, 2.0f, 3.0f, 4.0f, 5.0f});
  // One full row: a colour per column, but two colours of rows.
  const auto with_sum = [](const Array& v) {
    return numpy::concatenate(std::vector<Array>{v * v, numpy::reshape(numpy::sum(v * v), {1})});
  };
  SparsityPattern row{6, 5, {}};
  for (int64_t k = 0; k < 5; ++k) row.entries.insert(row.entries.end(), {{k, k}, {5, k}});
  // One full column.
  const auto by_first = [](const Array& v) { return v * v[0]; };
  SparsityPattern column{5, 5, {}};
  for (int64_t k = 0; k < 5; ++k) column.entries.emplace_back(k, 0);
  for (int64_t k = 1; k < 5; ++k) column.entries.emplace_back(k, k);
  expect_equal(jacobian(with_sum, row)(x).todense(), jacfwd(with_sum)(x));
  expect_equal(jacobian(by_first, column)(x).todense(), jacfwd(by_first)(x));
  const auto seeds = [&](const auto& derivative, const std::string& shape) {
    return make_hlo([&](const Array& v) { return derivative(v).data; })(x).find("s32[" + shape + "]{1,0} iota") !=
           std::string::npos;
  };
  EXPECT_TRUE(seeds(jacobian(with_sum, row), "2,6"));
  EXPECT_TRUE(seeds(jacobian(by_first, column), "2,5"));
}

TEST(SparseJacobian, RefusesPatternsThatDontFit) {
  const Array x = numpy::ones({6});
  const auto refused = [&](const SparsityPattern& pattern) {
    return error_of([&] { sparse_jacfwd(neighbours, pattern)(x); }, StatusCode::kInvalidArgument);
  };
  EXPECT_NE(refused(SparsityPattern::banded(6, 5, 1)).find("the argument is f32[6], the pattern wants a vector of 5"),
            std::string::npos);
  EXPECT_NE(refused(SparsityPattern::banded(5, 6, 1)).find("the result is f32[6], the pattern wants a vector of 5"),
            std::string::npos);
  EXPECT_NE(refused({6, 6, {{6, 0}}}).find("entry (6, 0) is outside of 6 rows and 6 columns"), std::string::npos);
}

}  // namespace
}  // namespace hilo
