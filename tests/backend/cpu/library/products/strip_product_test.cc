// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/strip_product.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "hilo/backend/cpu/library/products/amx.h"
#include "hilo/types/float16.h"

namespace hilo::cpu {
namespace {

struct Named {
  const char* name;
  const StripKernels& kernels;
};

/// All bf16 kernels that this machine can run, including those that a better one supersedes.
std::vector<Named> bf16_kernels() {
  std::vector<Named> all;
#if defined(__x86_64__)  // the names of its features are errors elsewhere
  if (host_isa() == Isa::kAvx512 && __builtin_cpu_supports("avx512bf16"))
    all.push_back({"avx512bf16", bf16_kernels_avx512bf16()});
  if (host_isa() == Isa::kAvx512 && has_amx()) all.push_back({"amx", bf16_kernels_amx()});
#endif
  return all;
}

/// The same, and the kernels that convert bf16 to f32.
std::vector<Named> all_bf16_kernels() {
  std::vector<Named> all = bf16_kernels();
  if constexpr (kIsX86) {
    if (host_isa() >= Isa::kAvx2) all.push_back({"avx2", float_kernels_avx2().bf16});
    if (host_isa() >= Isa::kAvx512) all.push_back({"avx512", float_kernels_avx512().bf16});
  }
  return all;
}

/// The kernels that convert f16 to f32.
std::vector<Named> all_f16_kernels() {
  std::vector<Named> all;
  if constexpr (kIsX86) {
    if (host_isa() >= Isa::kAvx2) all.push_back({"avx2", float_kernels_avx2().f16});
    if (host_isa() >= Isa::kAvx512) all.push_back({"avx512", float_kernels_avx512().f16});
  }
  return all;
}

struct Case {
  int64_t m, n, k;
  bool a_lines_adjacent, b_lines_adjacent;  ///< false: elements along k are adjacent
};

// Sizes around those of tiles, words and strips, several chunks of k, and several blocks of columns.
constexpr Case kCases[] = {{1, 1, 1, false, false},     {2, 33, 3, false, true},     {13, 5, 4, true, true},
                           {12, 32, 64, true, false},   {33, 31, 66, false, true},   {16, 65, 129, true, false},
                           {70, 110, 37, false, true},  {7, 9, 1537, false, false},  {31, 17, 1030, true, true},
                           {5, 1100, 40, false, true},  {3, 1030, 70, true, false},  {100, 64, 512, false, false},
                           {4, 200, 513, false, true},  {0, 5, 7, false, false},     {5, 0, 7, false, false},
                           {17, 33, 0, false, false},   {97, 300, 256, false, true}, {290, 40, 530, false, false},
                           {20, 90, 600, true, true},   {14, 1030, 9, false, true},  {13, 70, 520, false, true},
                           {15, 48, 33, false, true},   {20, 200, 520, false, true}, {6, 161, 90, false, true},
                           {2, 130, 1030, false, true}, {110, 140, 300, true, true}, {19, 96, 70, false, false}};

template <typename T>
StripMatrix matrix(const std::vector<T>& data, int64_t lines, int64_t k, bool lines_adjacent) {
  return {data.data(), lines, lines_adjacent ? 1 : k, lines_adjacent ? lines : 1};
}

/// Element (line, l) of a matrix.
template <typename T>
T at(const std::vector<T>& data, const StripMatrix& m, int64_t line, int64_t l) {
  return data[static_cast<size_t>(line * m.line_stride + l * m.k_stride)];
}

/// The product. Its rows are followed by a gap that must stay unchanged.
template <typename Sum>
std::vector<Sum> product(const StripKernels& kernels, const StripMatrix& a, const StripMatrix& b, int64_t k,
                         bool keeps_denormals, bool* is_exact) {
  constexpr Sum kGap = 77;
  const int64_t row = b.lines + 3;
  std::vector<Sum> with_gaps(static_cast<size_t>(a.lines * row), kGap), c;
  const StatusOr<bool> status = multiply_strips(kernels, {a, b, k, with_gaps.data(), row}, keeps_denormals);
  EXPECT_TRUE(status.ok()) << status.status().to_string();
  *is_exact = status.ok() && *status;
  for (int64_t i = 0; i < a.lines; ++i) {
    for (int64_t j = 0; j < row; ++j) {
      const Sum x = with_gaps[static_cast<size_t>(i * row + j)];
      if (j < b.lines) c.push_back(x);
      else EXPECT_EQ(x, kGap);
    }
  }
  return c;
}

template <typename T>
std::vector<T> randoms(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<T> values(static_cast<size_t>(count));
  for (T& x : values) x = T(normal(random));
  return values;
}

template <typename T>
void check_sums_in_f32(const std::vector<Named>& all) {
  for (const Case& c : kCases) {
    const std::vector<T> x = randoms<T>(c.m * c.k, 1), y = randoms<T>(c.n * c.k, 2);
    const StripMatrix a = matrix(x, c.m, c.k, c.a_lines_adjacent), b = matrix(y, c.n, c.k, c.b_lines_adjacent);
    for (const Named& named : all) {
      bool is_exact = false;
      const std::vector<float> got = product<float>(named.kernels, a, b, c.k, true, &is_exact);
      EXPECT_TRUE(is_exact);
      for (int64_t i = 0; i < c.m; ++i) {
        for (int64_t j = 0; j < c.n; ++j) {
          double sum = 0, size = 0;
          for (int64_t l = 0; l < c.k; ++l) {
            const double term = static_cast<double>(at(x, a, i, l)) * static_cast<double>(at(y, b, j, l));
            sum += term;
            size += std::abs(term);
          }
          ASSERT_NEAR(got[static_cast<size_t>(i * c.n + j)], sum, size * 0x1p-24 * (33 + static_cast<double>(c.k) / 8))
              << named.name << ": " << c.m << " x " << c.n << " over " << c.k << ", element " << i << ", " << j;
        }
      }
    }
  }
}

TEST(StripProduct, OfBf16AndF16IsTheSumOfProductsInF32) {
  check_sums_in_f32<bfloat16>(all_bf16_kernels());
  check_sums_in_f32<float16>(all_f16_kernels());
}

struct NamedFloats {
  const char* name;
  const FloatKernels& kernels;
};

std::vector<NamedFloats> all_float_kernels() {
  std::vector<NamedFloats> all;
  if constexpr (kIsX86) {
    if (host_isa() >= Isa::kAvx2) all.push_back({"avx2", float_kernels_avx2()});
    if (host_isa() >= Isa::kAvx512) all.push_back({"avx512", float_kernels_avx512()});
  }
  return all;
}

template <typename T>
std::vector<T> random_floats(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<T> normal;
  std::vector<T> values(static_cast<size_t>(count));
  for (T& x : values) x = normal(random);
  return values;
}

/// Sums that start with the elements of c, or with zero.
template <typename T>
void check_floats(const char* name, const StripKernels& kernels, const Case& c, bool adds) {
  const std::vector<T> x = random_floats<T>(c.m * c.k, 1), y = random_floats<T>(c.n * c.k, 2);
  const StripMatrix a = matrix(x, c.m, c.k, c.a_lines_adjacent), b = matrix(y, c.n, c.k, c.b_lines_adjacent);
  std::vector<T> got(static_cast<size_t>(c.m * c.n), T(0.5));
  const StatusOr<bool> is_exact = multiply_strips(kernels, {a, b, c.k, got.data(), c.n, adds}, true);
  ASSERT_TRUE(is_exact.ok() && *is_exact);
  for (int64_t i = 0; i < c.m; ++i) {
    for (int64_t j = 0; j < c.n; ++j) {
      long double sum = adds ? 0.5L : 0, size = sum;
      for (int64_t l = 0; l < c.k; ++l) {
        const long double term = static_cast<long double>(at(x, a, i, l)) * at(y, b, j, l);
        sum += term;
        size += std::abs(term);
      }
      const long double error = std::abs(sum - static_cast<long double>(got[static_cast<size_t>(i * c.n + j)]));
      ASSERT_LE(error, size * std::numeric_limits<T>::epsilon() / 2 * static_cast<long double>(c.k + 1))
          << name << ": " << c.m << " x " << c.n << " over " << c.k << ", element " << i << ", " << j;
    }
  }
}

TEST(StripProduct, OfFloatsIsTheSumOfProducts) {
  for (const Case& c : kCases) {
    for (const NamedFloats& named : all_float_kernels()) {
      for (const bool adds : {false, true}) {
        check_floats<float>(named.name, named.kernels.f32, c, adds);
        check_floats<double>(named.name, named.kernels.f64, c, adds);
      }
    }
  }
}

TEST(StripProduct, OfFloatsKeepsDenormalsNanAndInfinities) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const NamedFloats& named : all_float_kernels()) {
    const std::vector<float> a = {1e-40f, 0, inf, 1, std::nanf(""), 1}, b = {2, 1, 0, 3};
    std::vector<float> c(6);
    ASSERT_TRUE(
        multiply_strips(named.kernels.f32, {matrix(a, 3, 2, false), matrix(b, 2, 2, false), 2, c.data(), 2}, true)
            .ok());
    EXPECT_EQ(c[0], 2 * 1e-40f) << named.name;
    EXPECT_EQ(c[1], 0) << named.name;
    EXPECT_EQ(c[2], inf) << named.name;
    EXPECT_TRUE(std::isnan(c[3]) && std::isnan(c[4]) && std::isnan(c[5])) << named.name;
  }
}

#if defined(__x86_64__)  // no other kernels support bytes
template <typename T>
std::vector<T> bytes(int64_t count, bool extreme, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& x : values) {
    const unsigned drawn = static_cast<unsigned>(random());
    x = extreme ? (drawn % 4 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min())
                : static_cast<T>(drawn);
  }
  return values;
}

template <typename A, typename B>
void check_bytes(const Case& c, bool extreme) {
  const std::vector<A> x = bytes<A>(c.m * c.k, extreme, 1);
  const std::vector<B> y = bytes<B>(c.n * c.k, extreme, 2);
  const StripMatrix a = matrix(x, c.m, c.k, c.a_lines_adjacent), b = matrix(y, c.n, c.k, c.b_lines_adjacent);
  std::vector<int32_t> wanted;
  for (int64_t i = 0; i < c.m; ++i) {
    for (int64_t j = 0; j < c.n; ++j) {
      int32_t sum = 0;
      for (int64_t l = 0; l < c.k; ++l) sum += int32_t{at(x, a, i, l)} * int32_t{at(y, b, j, l)};
      wanted.push_back(sum);
    }
  }
  bool is_exact = false;
  const StripKernels& kernels = byte_kernels_amx(A(-1) < A(0), B(-1) < B(0));
  EXPECT_EQ(product<int32_t>(kernels, a, b, c.k, true, &is_exact), wanted) << c.m << " x " << c.n << " over " << c.k;
  EXPECT_TRUE(is_exact);
}

TEST(StripProduct, OfBytesIsExactWhateverTheirSigns) {
  if (host_isa() != Isa::kAvx512 || !has_amx()) return;
  for (const Case& c : kCases) {
    for (const bool extreme : {false, true}) {
      check_bytes<int8_t, int8_t>(c, extreme);
      check_bytes<int8_t, uint8_t>(c, extreme);
      check_bytes<uint8_t, int8_t>(c, extreme);
      check_bytes<uint8_t, uint8_t>(c, extreme);
    }
  }
}
#endif

bfloat16 of_bits(uint16_t bits) {
  bfloat16 x;
  x.bits = bits;
  return x;
}

/// The product of x, 1, 1, ... and y, 0, 0, ..., in the middle of larger matrices.
float product_of(const StripKernels& kernels, bfloat16 x, bfloat16 y, bool keeps_denormals, bool* is_exact) {
  constexpr int64_t kSize = 40;
  std::vector<bfloat16> a(kSize * kSize, bfloat16(1.0f)), b(kSize * kSize);
  a[21 * kSize + 13] = x;
  b[30 * kSize + 13] = y;
  return product<float>(kernels, matrix(a, kSize, kSize, false), matrix(b, kSize, kSize, false), kSize, keeps_denormals,
                        is_exact)[21 * kSize + 30];
}

TEST(StripProduct, SaysWhereDenormalsMayBeLost) {
  const bfloat16 denormal = of_bits(3), large(0x1p100f), one(1.0f), least_normal(0x1p-126f), small(0x1p-56f);
  for (const Named& named : bf16_kernels()) {
    bool is_exact = true;
    product_of(named.kernels, denormal, large, true, &is_exact);
    EXPECT_FALSE(is_exact) << named.name;
    product_of(named.kernels, one, denormal, true, &is_exact);
    EXPECT_FALSE(is_exact) << named.name;
    EXPECT_EQ(product_of(named.kernels, denormal, large, false, &is_exact), 0) << named.name;
    EXPECT_TRUE(is_exact) << named.name;
    product_of(named.kernels, least_normal, one, true, &is_exact);
    EXPECT_FALSE(is_exact) << "its sums have bits that are denormal, " << named.name;
    EXPECT_EQ(product_of(named.kernels, small, small, true, &is_exact), 0x1p-112f) << named.name;
    EXPECT_TRUE(is_exact) << named.name;
    product_of(named.kernels, small, bfloat16(0x1p-57f), true, &is_exact);
    EXPECT_FALSE(is_exact) << named.name;
    EXPECT_EQ(product_of(named.kernels, least_normal, bfloat16(0x1p14f), true, &is_exact), 0x1p-112f) << named.name;
    EXPECT_TRUE(is_exact) << named.name;
  }
}

TEST(StripProduct, InFloatsKeepsDenormals) {
  for (const Named& named : all_bf16_kernels()) {
    if (named.kernels.group == 2) continue;
    bool is_exact = false;
    EXPECT_EQ(product_of(named.kernels, of_bits(3), bfloat16(0x1p100f), true, &is_exact), 3 * 0x1p-33f) << named.name;
    EXPECT_EQ(product_of(named.kernels, bfloat16(0x1p-126f), bfloat16(0.5f), true, &is_exact), 0x1p-127f) << named.name;
    EXPECT_TRUE(is_exact) << named.name;
  }
}

TEST(StripProduct, HasNanAndInfinitiesAsFloatsDo) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const Named& named : all_bf16_kernels()) {
    bool is_exact = false;
    EXPECT_EQ(product_of(named.kernels, bfloat16(inf), bfloat16(-2.0f), true, &is_exact), -inf) << named.name;
    EXPECT_TRUE(is_exact);
    EXPECT_TRUE(std::isnan(product_of(named.kernels, bfloat16(inf), bfloat16(0.0f), true, &is_exact))) << named.name;
    EXPECT_TRUE(std::isnan(product_of(named.kernels, bfloat16(std::nanf("")), bfloat16(1.0f), true, &is_exact)));
    EXPECT_TRUE(is_exact);
  }
}

TEST(StripProduct, RoundsToBf16AndF16AsTheLibraryDoes) {
  std::mt19937 random(3);
  std::vector<float> values = {0.0f,          -0.0f,     1.0f,       std::numeric_limits<float>::infinity(),
                               std::nanf(""), 0x1p-140f, -0x1p-133f, 65519.0f,
                               65520.0f,      0x1p-25f,  0x1.8p-25f};
  while (values.size() < 5003) values.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  for (const Named& named : all_bf16_kernels()) {
    std::vector<uint16_t> got(values.size());
    named.kernels.narrow(values.data(), got.data(), std::ssize(values));
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(got[i], float_to_bfloat16_bits(values[i])) << named.name << ": " << values[i];
  }
  for (const Named& named : all_f16_kernels()) {
    std::vector<uint16_t> got(values.size());
    named.kernels.narrow(values.data(), got.data(), std::ssize(values));
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(got[i], float_to_half_bits(values[i])) << named.name << ": " << values[i];
  }
}

}  // namespace
}  // namespace hilo::cpu
