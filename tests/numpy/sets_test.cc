// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/sets.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"

namespace hilo::numpy {
namespace {

TEST(Sets, TheLeastOfBothFillsAnIntersection) {
  const Array x = array({12, 5, 4, 3}), y = array({4, 2, 9, 12});
  EXPECT_EQ(intersect1d(x, y, {.size = 3}).to_vector<int>(), (std::vector<int>{4, 12, 4}));
  EXPECT_EQ(intersect1d(x, y, {.size = 3, .fill_value = -1}).to_vector<int>(), (std::vector<int>{4, 12, -1}));
  EXPECT_EQ(intersect1d(x, array({1}), {.size = 2}).to_vector<int>(), (std::vector<int>{0, 0}));
  EXPECT_EQ(intersect1d(zeros({0}, int32), y).size(), 0);
}

}  // namespace
}  // namespace hilo::numpy
