// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/fft/transform.h"

#include <gtest/gtest.h>

#include <random>

namespace hilo::cpu::fft {
namespace {

std::vector<std::complex<double>> roots_of(int64_t n, bool inverse) {
  std::vector<std::complex<double>> roots;
  for (int64_t k = 0; k < n; ++k) {
    const std::complex<double> root = root_of_unity(k, n);
    roots.push_back(inverse ? std::conj(root) : root);
  }
  return roots;
}

/// Some elements of some lines beside their definition.
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
  for (int64_t lines : {1, 5, 35}) {  // few, and more than the lanes of a register
    for (bool inverse : {false, true}) expect_definition(transform, lines, inverse);
  }
}

TEST(Transform, IsTheDefinitionWhateverTheLengthsFactors) {
  for (const Isa isa : supported_isas()) {
    for (int64_t n : {1, 2, 7, 37, 60, 64, 74, 97, 143, 997, 1000, 1009, 1024, 1147, 2018, 2048, 2053, 4096, 5329}) {
      expect_definition_of<float>(n, isa);
      expect_definition_of<double>(n, isa);
    }
  }
}

TEST(Transform, OfALongLineWithALargeFactorIsTheDefinition) {
  for (int64_t n : {37 * 27 * 77 * 13, 100003})
    expect_definition(Transform<float>(n, supported_isas().back()), 1, false);
}

}  // namespace
}  // namespace hilo::cpu::fft
