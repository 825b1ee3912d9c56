// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/strided_copy.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

namespace hilo::hlo {
namespace {

template <typename T>
std::vector<T> copied(std::vector<int64_t> extents, std::vector<int64_t> to_strides, std::vector<T> from, size_t first,
                      std::vector<int64_t> from_strides, size_t size) {
  std::vector<T> to(size);
  strided_copy(extents, sizeof(T), reinterpret_cast<std::byte*>(to.data()), to_strides,
               reinterpret_cast<const std::byte*>(from.data() + first), from_strides);
  return to;
}

using Wide = std::array<uint64_t, 2>;

TEST(StridedCopy, MovesElementsOfEverySize) {
  EXPECT_EQ((copied<uint8_t>({3}, {1}, {1, 2, 3}, 2, {-1}, 3)), (std::vector<uint8_t>{3, 2, 1}));
  EXPECT_EQ((copied<uint16_t>({2, 2}, {2, 1}, {1, 2, 3, 4}, 0, {1, 2}, 4)), (std::vector<uint16_t>{1, 3, 2, 4}));
  EXPECT_EQ((copied<uint32_t>({2, 3}, {3, 1}, {7, 8}, 0, {1, 0}, 6)), (std::vector<uint32_t>{7, 7, 7, 8, 8, 8}));
  EXPECT_EQ((copied<uint64_t>({2}, {2}, {7, 8}, 0, {1}, 4)), (std::vector<uint64_t>{7, 0, 8, 0}));
  EXPECT_EQ((copied<Wide>({2}, {1}, {Wide{1, 2}, Wide{3, 4}}, 1, {-1}, 2)),
            (std::vector<Wide>{Wide{3, 4}, Wide{1, 2}}));
}

TEST(StridedCopy, CopiesOneElementOfAScalarAndNoneOfAnEmptyBox) {
  EXPECT_EQ((copied<uint32_t>({}, {}, {5}, 0, {}, 1)), (std::vector<uint32_t>{5}));
  EXPECT_EQ((copied<uint32_t>({2, 0}, {1, 1}, {5}, 0, {1, 1}, 1)), (std::vector<uint32_t>{0}));
}

}  // namespace
}  // namespace hilo::hlo
