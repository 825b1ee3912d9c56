// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/integer_product.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace hilo::cpu {
namespace {

struct Named {
  const char* name;
  const IntegerKernels& kernels;
};

/// All kernels that this machine can run, including those that a wider one supersedes.
std::vector<Named> all_kernels() {
  std::vector<Named> all = {{"sse2", integer_kernels_sse2()}};
#if defined(__x86_64__)  // the names of its features are errors elsewhere
  if (host_isa() >= Isa::kAvx2) all.push_back({"avx2", integer_kernels_avx2()});
  if (__builtin_cpu_supports("avxvnni")) all.push_back({"avxvnni", integer_kernels_avxvnni()});
  if (host_isa() >= Isa::kAvx512) all.push_back({"avx512", integer_kernels_avx512()});
  if (host_isa() >= Isa::kAvx512 && __builtin_cpu_supports("avx512vnni"))
    all.push_back({"avx512vnni", integer_kernels_avx512vnni()});
#endif
  return all;
}

template <typename T>
constexpr Packed kPackedOf = sizeof(T) == 8   ? Packed::kS64
                             : sizeof(T) == 4 ? Packed::kS32
                             : sizeof(T) == 2 ? Packed::kS16
                             : T(-1) < T(0)   ? Packed::kS8
                                              : Packed::kU8;

struct Case {
  int64_t m, n, k;
  bool a_lines_adjacent, b_lines_adjacent;  ///< false: elements along k are adjacent
};

/// Values at both ends of the type, or random values.
template <typename T>
std::vector<T> values(int64_t count, bool extreme, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> result(static_cast<size_t>(count));
  for (T& x : result) {
    const uint64_t bits = random();
    x = extreme ? (bits % 4 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min())
                : static_cast<T>(bits);
  }
  return result;
}

template <typename Word, typename A, typename B>
void check(const Case& c, bool extreme) {
  using Bits = std::make_unsigned_t<Word>;
  const std::vector<A> a = values<A>(c.m * c.k, extreme, 1);
  const std::vector<B> b = values<B>(c.n * c.k, extreme, 2);
  const IntegerMatrix left{kPackedOf<A>, a.data(), c.m, c.a_lines_adjacent ? 1 : c.k, c.a_lines_adjacent ? c.m : 1};
  const IntegerMatrix right{kPackedOf<B>, b.data(), c.n, c.b_lines_adjacent ? 1 : c.k, c.b_lines_adjacent ? c.n : 1};
  std::vector<Bits> wanted(static_cast<size_t>(c.m * c.n), 0);
  for (int64_t i = 0; i < c.m; ++i) {
    for (int64_t j = 0; j < c.n; ++j) {
      for (int64_t k = 0; k < c.k; ++k) {
        wanted[static_cast<size_t>(i * c.n + j)] +=
            static_cast<Bits>(static_cast<Word>(a[static_cast<size_t>(i * left.line_stride + k * left.k_stride)])) *
            static_cast<Bits>(static_cast<Word>(b[static_cast<size_t>(j * right.line_stride + k * right.k_stride)]));
      }
    }
  }
  for (const Named& named : all_kernels()) {
    std::vector<Bits> got(wanted.size(), 1);
    const Status status =
        multiply_integers<Word>(named.kernels, left, right, c.k, [&](const IntegerBlock<Word>& block) {
          for (int64_t i = 0; i < block.rows; ++i) {
            for (int64_t j = 0; j < block.columns; ++j)
              got[static_cast<size_t>((block.row + i) * c.n + block.column + j)] =
                  static_cast<Bits>(block.sums[i * block.stride + j]);
          }
        });
    ASSERT_TRUE(status.ok()) << status.to_string();
    EXPECT_EQ(got, wanted) << named.name << ": " << c.m << " x " << c.n << " over " << c.k << ", types "
                           << static_cast<int>(left.type) << " and " << static_cast<int>(right.type);
  }
}

// Sizes around those of tiles, words and strips, and one with several blocks of rows.
constexpr Case kCases[] = {{1, 1, 1, false, false},    {1, 40, 3, false, true},   {13, 5, 4, true, true},
                           {12, 32, 64, true, false},  {25, 33, 66, false, true}, {3, 65, 129, true, false},
                           {110, 70, 37, false, true}, {7, 9, 1000, false, false}};

template <typename Word, typename A, typename B>
void check_all() {
  for (const Case& c : kCases) {
    check<Word, A, B>(c, false);
    check<Word, A, B>(c, true);
  }
}

TEST(IntegerProduct, OfBytesIsExactWhateverTheirSigns) {
  check_all<int32_t, int8_t, int8_t>();
  check_all<int32_t, int8_t, uint8_t>();
  check_all<int32_t, uint8_t, int8_t>();
  check_all<int32_t, uint8_t, uint8_t>();
}

TEST(IntegerProduct, OfWiderIntegersWraps) {
  check_all<int32_t, int16_t, int16_t>();
  check_all<int32_t, int16_t, uint8_t>();
  check_all<int32_t, int32_t, int32_t>();
  check_all<int32_t, int32_t, int8_t>();
  check_all<int64_t, int64_t, int64_t>();
}

TEST(IntegerProduct, OfNothingAndOverNothing) {
  for (const Named& named : all_kernels()) {
    int64_t zeros = 0;
    const auto store = [&](const IntegerBlock<int32_t>& block) {
      for (int64_t i = 0; i < block.rows; ++i) {
        for (int64_t j = 0; j < block.columns; ++j) zeros += block.sums[i * block.stride + j] == 0 ? 1 : 1000;
      }
    };
    const IntegerMatrix three{Packed::kS8, nullptr, 3, 1, 3}, five{Packed::kS8, nullptr, 5, 1, 5},
        none{Packed::kS8, nullptr, 0, 1, 1};
    ASSERT_TRUE(multiply_integers<int32_t>(named.kernels, three, five, 0, store).ok());
    EXPECT_EQ(zeros, 15) << named.name;
    ASSERT_TRUE(multiply_integers<int32_t>(named.kernels, none, five, 0, store).ok());
    EXPECT_EQ(zeros, 15) << named.name;
  }
}

}  // namespace
}  // namespace hilo::cpu
