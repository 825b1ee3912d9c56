// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jacobian_pattern.h"

#include <gtest/gtest.h>

#include "hilo/core.h"

namespace hilo {
namespace {

using Entries = std::vector<std::pair<int64_t, int64_t>>;

template <typename F>
SparsityPattern pattern_of(const F& f, int64_t columns) {
  return jacobian_pattern([&f](std::span<const Array> x) { return std::vector<Array>{f(x[0])}; }, columns);
}

TEST(JacobianPattern, HasTheElementsThatAResultDependsOn) {
  const auto f = [](const Array& x) { return x(range(1, none)) * x(range(none, -1)); };
  const SparsityPattern pattern = pattern_of(f, 4);
  EXPECT_EQ(pattern.rows, 3);
  EXPECT_EQ(pattern.entries, (Entries{{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 3}}));
}

TEST(JacobianPattern, HasEntriesThatAreZeroAtSomePoints) {
  EXPECT_EQ(pattern_of([](const Array& x) { return numpy::maximum(x, numpy::flip(x)); }, 2).entries.size(), 4u);
  EXPECT_EQ(pattern_of([](const Array& x) { return numpy::clip(x, 10.0, 20.0); }, 2).entries,
            (Entries{{0, 0}, {1, 1}}));
  EXPECT_EQ(pattern_of([](const Array& x) { return numpy::log(x - 5.0); }, 2).entries.size(), 4u);  // NaN everywhere
}

TEST(JacobianPattern, IsDenseWhereAChoiceDependsOnTheArgument) {
  EXPECT_EQ(pattern_of([](const Array& x) { return numpy::where(x > 0.0, x, 2.0 * x); }, 3).entries.size(), 9u);
  EXPECT_EQ(pattern_of([](const Array& x) { return numpy::sort(x); }, 3).entries.size(), 9u);
  EXPECT_EQ(pattern_of([](const Array& x) { return x * x.astype(int32); }, 3).entries.size(), 9u);
}

TEST(JacobianPattern, FollowsChoicesThatDoNotDependOnTheArgument) {
  const auto lower = [](const Array& x) { return numpy::tril(numpy::outer(x, x)).ravel(); };
  EXPECT_EQ(pattern_of(lower, 2).entries, (Entries{{0, 0}, {2, 0}, {2, 1}, {3, 1}}));
  const auto chain = [](const Array& x) { return numpy::cumsum(x); };
  EXPECT_EQ(pattern_of(chain, 3).entries.size(), 6u);
  const auto loop = [](const Array& x) {
    return lax::fori_loop(0, 3, [](const Array&, const Array& y) { return numpy::sin(y); }, x);
  };
  EXPECT_EQ(pattern_of(loop, 3).entries.size(), 3u);
}

TEST(JacobianPattern, OfNothingIsEmpty) {
  EXPECT_TRUE(pattern_of([](const Array& x) { return x; }, 0).entries.empty());
  EXPECT_TRUE(pattern_of([](const Array& x) { return numpy::zeros_like(x); }, 3).entries.empty());
}

}  // namespace
}  // namespace hilo
