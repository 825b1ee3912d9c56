// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/fft/transform.h"

#include <gtest/gtest.h>

#include <random>

namespace hilo::cpu::fft {
namespace {

std::vector<std::complex<double>> roots_of(int64_t n, bool inverse) {
  std::vector<std::complex<double>> roots;
  const RootsOfUnity root_of(n);
  for (int64_t k = 0; k < n; ++k) {
    const std::complex<double> root = root_of(k);
    roots.push_back(inverse ? std::conj(root) : root);
  }
  return roots;
}

TEST(RootsOfUnity, AreThoseOfTheAngleAndExactAtQuarterTurns) {
  for (const int64_t n : {1, 2, 3, 4, 8, 12, 61, 997, 4096, 99999, 1 << 20}) {
    const RootsOfUnity root_of(n);
    for (int64_t k = 0; k < n; k += 1 + n / 5000) {
      const long double angle =
          -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
      EXPECT_NEAR(root_of(k).real(), static_cast<double>(std::cos(angle)), 1.2e-16) << k << " of " << n;
      EXPECT_NEAR(root_of(k).imag(), static_cast<double>(std::sin(angle)), 1.2e-16) << k << " of " << n;
    }
    EXPECT_EQ(root_of(0), std::complex<double>(1, 0));
    if (n % 4 != 0) continue;
    EXPECT_EQ(root_of(n / 4), std::complex<double>(0, -1));
    EXPECT_EQ(root_of(n / 2), std::complex<double>(-1, 0));
    EXPECT_EQ(root_of(3 * (n / 4)), std::complex<double>(0, 1));
  }
}

/// Compares some elements of some lines with the definition.
template <typename T>
void expect_definition(const Transform<T>& transform, int64_t lines, bool inverse) {
  const int64_t n = transform.length();
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<T> x(static_cast<size_t>(2 * n * lines)), y(x.size());
  for (T& value : x) value = static_cast<T>(static_cast<double>(random()) / 4294967296.0 - 0.5);
  Batch<T> batch{{x.data(), 1, n}, {y.data(), 1, n}, lines, 1, 0, 0, inverse, T(0.5)};
  ASSERT_TRUE(transform.run(batch).ok());
  const std::vector<std::complex<double>> roots = roots_of(n, inverse);
  const double tolerance = (sizeof(T) == 4 ? 1e-6 : 1e-14) * std::sqrt(static_cast<double>(n));
  for (int64_t line : {int64_t{0}, lines / 2, lines - 1}) {
    for (int64_t k : {int64_t{0}, n / 3, n - 1}) {
      std::complex<double> sum = 0;
      for (int64_t j = 0, turn = 0; j < n; ++j, turn = (turn + k) % n) {
        const auto at = static_cast<size_t>(2 * (line * n + j));
        sum += std::complex<double>(static_cast<double>(x[at]), static_cast<double>(x[at + 1])) *
               roots[static_cast<size_t>(turn)];
      }
      const auto at = static_cast<size_t>(2 * (line * n + k));
      const std::complex<double> got(static_cast<double>(y[at]), static_cast<double>(y[at + 1]));
      EXPECT_LE(std::abs(got - 0.5 * sum), tolerance)
          << sizeof(T) << " bytes, length " << n << ", line " << line << ", element " << k;
    }
  }
}

template <typename T>
void expect_definition_of(int64_t n, Isa isa) {
  SCOPED_TRACE(isa_name(isa));
  const Transform<T> transform(n, isa);
  for (int64_t lines : {1, 5, 35}) {  // few lines, and more than a register has lanes
    for (bool inverse : {false, true}) expect_definition(transform, lines, inverse);
  }
}

TEST(Transform, IsTheDefinitionWhateverTheLengthsFactors) {
  for (const Isa isa : supported_isas()) {
    for (int64_t n :
         {1, 2, 7, 37, 60, 64, 74, 97, 143, 997, 1000, 1009, 1024, 1147, 2013, 2018, 2048, 2053, 3721, 4096, 5329}) {
      expect_definition_of<float>(n, isa);
      expect_definition_of<double>(n, isa);
    }
  }
}

/// Compares the transform of real lines, which are stored without gaps, with that of the same lines as complex numbers.
template <typename T>
void expect_real_sides(int64_t n, int64_t lines, Isa isa) {
  SCOPED_TRACE(testing::Message() << isa_name(isa) << ", " << lines << " lines of " << n);
  const Transform<T> transform(n, isa);
  if (!transform.supports_real(lines)) return;
  const int64_t kept = n / 2 + 1;
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<T> x(static_cast<size_t>(n * lines)), z(2 * x.size()), half(static_cast<size_t>(2 * kept * lines)),
      back(x.size());
  for (T& value : x) value = static_cast<T>(static_cast<double>(random()) / 4294967296.0 - 0.5);
  for (size_t i = 0; i < x.size(); ++i) z[2 * i] = x[i];
  ASSERT_TRUE(transform.run({{z.data(), 1, n}, {z.data(), 1, n}, lines}).ok());
  ASSERT_TRUE(
      transform.run({{x.data(), 1, n}, {half.data(), 1, kept}, lines, 1, 0, 0, false, T(1), RealSide::kFrom}).ok());
  for (int64_t l = 0; l < lines; ++l) {
    EXPECT_EQ(half[static_cast<size_t>(2 * l * kept + 1)], T(0));
    for (int64_t k = 0; k < 2 * kept; ++k) {
      if (k == 1) continue;
      ASSERT_EQ(half[static_cast<size_t>(2 * l * kept + k)], z[static_cast<size_t>(2 * l * n + k)])
          << "line " << l << ", number " << k;
    }
  }
  const T scale = T(1) / static_cast<T>(n);
  ASSERT_TRUE(
      transform.run({{half.data(), 1, kept}, {back.data(), 1, n}, lines, 1, 0, 0, true, scale, RealSide::kTo}).ok());
  for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(back[i], x[i], sizeof(T) == 4 ? 1e-5 : 1e-13) << i;
}

TEST(Transform, OfLinesThatAreRealOnOneSideIsThatOfComplexOnes) {
  for (const Isa isa : supported_isas()) {
    for (int64_t n : {1, 3, 65, 289, 777, 961, 1009, 2047}) {
      for (int64_t lines : {1, 16, 37}) {
        expect_real_sides<float>(n, lines, isa);
        expect_real_sides<double>(n, lines, isa);
      }
    }
  }
}

TEST(Transform, OfALongLineWithALargeFactorIsTheDefinition) {
  for (int64_t n : {37 * 27 * 77 * 13, 100003})
    expect_definition(Transform<float>(n, supported_isas().back()), 1, false);
}

}  // namespace
}  // namespace hilo::cpu::fft
