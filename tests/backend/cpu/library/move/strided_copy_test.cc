// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/move/strided_copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace hilo::cpu {
namespace {

constexpr std::byte kUntouched{0xa5};

/// Sizes of both arrays in elements, and the dimensions of a copy between them.
struct Drawn {
  std::vector<CopiedDimension> dimensions;
  int64_t from_size = 1, to_size = 1;
};

/// Draws arrays of the same extents, whose dimensions lie in different orders, with gaps between them at times.
Drawn drawn(std::mt19937& random) {
  constexpr int64_t kExtents[] = {1, 2, 2, 3, 4, 5, 7, 8, 16, 17, 33, 65, 130};
  constexpr int64_t kMost = 1 << 16;
  Drawn d;
  const size_t rank = random() % 7;
  int64_t count = 1;
  for (size_t k = 0; k < rank; ++k) {
    const int64_t extent = kExtents[random() % std::size(kExtents)];
    d.dimensions.push_back({count * extent > kMost ? 1 : extent, 0, 0});
    count *= d.dimensions.back().extent;
  }
  const auto place = [&](int64_t CopiedDimension::* stride, int64_t& size) {
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    if (random() % 4 != 0) std::ranges::shuffle(order, random);
    for (const size_t k : order) {
      d.dimensions[k].*stride = size;
      size *= d.dimensions[k].extent;
      if (random() % 8 == 0) size += 3;
    }
  };
  place(&CopiedDimension::from, d.from_size);
  place(&CopiedDimension::to, d.to_size);
  return d;
}

std::vector<std::byte> copied_by_elements(const Drawn& d, const std::vector<std::byte>& from, int64_t bytes) {
  std::vector<std::byte> to(d.to_size * bytes, kUntouched);
  std::vector<int64_t> index(d.dimensions.size());
  for (size_t k = 0; k <= d.dimensions.size();) {
    int64_t a = 0, b = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      a += index[i] * d.dimensions[i].from;
      b += index[i] * d.dimensions[i].to;
    }
    std::memcpy(&to[b * bytes], &from[a * bytes], bytes);
    for (k = 0; k < index.size(); ++k) {
      if (++index[k] < d.dimensions[k].extent) break;
      index[k] = 0;
    }
    if (k == index.size()) break;
  }
  return to;
}

TEST(StridedCopy, CopiesArraysOfAnyOrder) {
  std::mt19937 random(7);
  for (int i = 0; i < 1500; ++i) {
    const Drawn d = drawn(random);
    const int64_t bytes = int64_t{1} << random() % 5;
    std::vector<std::byte> from(d.from_size * bytes), to(d.to_size * bytes, kUntouched);
    for (std::byte& b : from) b = static_cast<std::byte>(random());
    StridedCopy(d.dimensions, bytes).run(from.data(), to.data());
    std::string text;
    for (const CopiedDimension& x : d.dimensions) text += fmt::format(" {}:{}:{}", x.extent, x.from, x.to);
    ASSERT_EQ(to, copied_by_elements(d, from, bytes)) << bytes << " bytes," << text;
  }
}

TEST(StridedCopy, CopiesNothingOfEmptyArrays) {
  std::byte to = kUntouched;
  StridedCopy(std::vector<CopiedDimension>{{3, 1, 1}, {0, 3, 3}}, 1).run(nullptr, &to);
  EXPECT_EQ(to, kUntouched);
}

TEST(StridedCopy, RepeatsElementsWithoutAStride) {
  const float from[] = {1, 2, 3};
  float to[12] = {};
  StridedCopy(std::vector<CopiedDimension>{{4, 0, 3}, {3, 1, 1}}, sizeof(float)).run(from, to);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(to[i], from[i % 3]);
}

// Above the size from which several threads share the work.
TEST(StridedCopy, TransposesLargeArrays) {
  constexpr int64_t kRows = 1999, kColumns = 1023;
  std::vector<int32_t> from(kRows * kColumns), to(from.size());
  std::iota(from.begin(), from.end(), 0);
  StridedCopy(std::vector<CopiedDimension>{{kRows, kColumns, 1}, {kColumns, 1, kRows}}, sizeof(int32_t))
      .run(from.data(), to.data());
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kColumns; ++j) ASSERT_EQ(to[j * kRows + i], from[i * kColumns + j]);
  }
}

}  // namespace
}  // namespace hilo::cpu
