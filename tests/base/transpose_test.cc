// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/transpose.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace hilo {
namespace {

TEST(TransposeMatrix, ExchangesRowsAndColumnsOfAnySize) {
  constexpr int64_t kSizes[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 64, 65, 130};
  for (int bytes : {1, 2, 4, 8, 16}) {
    for (int64_t rows : kSizes) {
      for (int64_t columns : kSizes) {
        const auto width = static_cast<size_t>(bytes), size = static_cast<size_t>(rows * columns) * width;
        std::vector<std::byte> from(size), to(size + 1), wanted(size + 1);
        for (size_t k = 0; k < size; ++k) from[k] = static_cast<std::byte>(k * 37 + k / 251);
        to[size] = wanted[size] = std::byte{0x5a};
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t j = 0; j < columns; ++j)
            std::memcpy(wanted.data() + static_cast<size_t>(j * rows + i) * width,
                        from.data() + static_cast<size_t>(i * columns + j) * width, width);
        }
        transpose_matrix({from.data(), columns * bytes}, to.data(), rows * bytes, rows, columns, bytes);
        EXPECT_EQ(to, wanted) << rows << " by " << columns << ", " << bytes << " bytes";
      }
    }
  }
}

TEST(TransposeMatrix, TakesAndLeavesAPartOfALargerOne) {
  constexpr int64_t kFromStride = 50, kToStride = 40, kRows = 37, kColumns = 21;
  std::vector<float> from(kRows * kFromStride), to(kColumns * kToStride, -1.0f);
  for (size_t k = 0; k < from.size(); ++k) from[k] = static_cast<float>(k);
  constexpr int64_t kBytes = sizeof(float);
  transpose_matrix({from.data(), kFromStride * kBytes}, to.data(), kToStride * kBytes, kRows, kColumns, kBytes);
  for (int64_t j = 0; j < kColumns; ++j) {
    for (int64_t i = 0; i < kToStride; ++i)
      EXPECT_EQ(to[static_cast<size_t>(j * kToStride + i)],
                i < kRows ? static_cast<float>(i * kFromStride + j) : -1.0f);
  }
}

TEST(TransposeMatrix, TakesAnyAlignmentAndStridesOfBytes) {
  constexpr int64_t kRows = 19, kColumns = 23, kFromStride = kColumns * 8 + 3, kToStride = kRows * 8 + 5;
  std::vector<std::byte> from(1 + kRows * kFromStride), to(1 + kColumns * kToStride);
  for (size_t k = 0; k < from.size(); ++k) from[k] = static_cast<std::byte>(k * 37 + k / 251);
  transpose_matrix({from.data() + 1, kFromStride}, to.data() + 1, kToStride, kRows, kColumns, 8);
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kColumns; ++j)
      EXPECT_EQ(std::memcmp(&to[1 + j * kToStride + i * 8], &from[1 + i * kFromStride + j * 8], 8), 0) << i << ' ' << j;
  }
}

TEST(TransposeMatrices, TransposesEachOfAnySize) {
  constexpr int64_t kBytes = sizeof(double);
  for (int64_t count : {0, 1, 2, 33}) {
    for (const auto& [rows, columns] : std::initializer_list<std::pair<int64_t, int64_t>>{
             {0, 3}, {1, 1}, {1, 5}, {3, 3}, {2, 7}, {6, 8}, {7, 7}, {8, 8}, {5, 17}, {40, 33}}) {
      const auto size = static_cast<size_t>(rows * columns), all = size * static_cast<size_t>(count);
      std::vector<double> from(all), to(all + 1, -1.0), wanted(all + 1, -1.0);
      for (size_t k = 0; k < all; ++k) from[k] = static_cast<double>(k);
      for (size_t n = 0; n < static_cast<size_t>(count); ++n)
        transpose_matrix({from.data() + n * size, columns * kBytes}, wanted.data() + n * size, rows * kBytes, rows,
                         columns, kBytes);
      transpose_matrices(from.data(), to.data(), count, rows, columns, sizeof(double));
      EXPECT_EQ(to, wanted) << count << " of " << rows << " by " << columns;
    }
  }
}

TEST(TransposeMatrices, TakesEveryWidth) {
  for (int bytes : {1, 2, 4, 8, 16}) {
    const auto width = static_cast<size_t>(bytes);
    std::vector<std::byte> from(2 * 6 * width), to(from.size()), wanted(from.size());
    for (size_t k = 0; k < from.size(); ++k) from[k] = static_cast<std::byte>(k);
    for (size_t n = 0; n < 2; ++n)
      transpose_matrix({from.data() + 6 * n * width, 3 * bytes}, wanted.data() + 6 * n * width, 2 * bytes, 2, 3, bytes);
    transpose_matrices(from.data(), to.data(), 2, 2, 3, bytes);
    EXPECT_EQ(to, wanted) << bytes;
  }
}

}  // namespace
}  // namespace hilo
