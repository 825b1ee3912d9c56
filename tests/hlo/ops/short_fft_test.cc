// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/short_fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

namespace hilo::hlo {
namespace {

using Complex = std::complex<double>;

constexpr auto kInOrder = [](int64_t count, const std::function<void(int64_t)>& block) {
  for (int64_t i = 0; i < count; ++i) block(i);
};

/// Transforms `lines` lines; sizes are those of the complex side.
template <typename From, typename To>
std::vector<To> transformed(FftType type, int64_t n, std::vector<int64_t> sizes, const std::vector<From>& x,
                            size_t count) {
  FftAttributes attributes;
  attributes.fft_type = type;
  attributes.fft_length = {n};
  std::vector<To> y(count);
  const ShortFftArray<double> transform(attributes, sizes);
  const Status status =
      transform.run(reinterpret_cast<const double*>(x.data()), reinterpret_cast<double*>(y.data()), kInOrder);
  EXPECT_TRUE(status.ok()) << status.to_string();
  return y;
}

std::vector<Complex> numbers(int64_t count) {
  std::vector<Complex> x;
  for (int64_t i = 0; i < count; ++i)
    x.emplace_back(std::sin(static_cast<double>(3 * i + 1)), std::cos(static_cast<double>(5 * i)));
  return x;
}

/// Element k of the transform of x[0..n) by the definition.
Complex direct(const Complex* x, int64_t n, int64_t k) {
  std::complex<long double> sum = 0;
  for (int64_t j = 0; j < n; ++j) {
    const long double turn = static_cast<long double>(j * k % n) / static_cast<long double>(n);
    sum += std::complex<long double>(x[j]) * std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turn);
  }
  return Complex(sum);
}

constexpr int64_t kLines = 5;  // more than the lanes, and not a multiple of them

TEST(ShortFft, IsTheDefinitionsSumAtEveryLength) {
  for (int64_t n = 1; n <= kMaxShortLine; ++n) {
    const std::vector<Complex> x = numbers(kLines * n);
    const auto y = transformed<Complex, Complex>(FftType::kFft, n, {kLines, n}, x, x.size());
    for (int64_t i = 0; i < kLines * n; ++i)
      ASSERT_LT(std::abs(y[static_cast<size_t>(i)] - direct(x.data() + i / n * n, n, i % n)), 1e-13)
          << n << " at " << i;
  }
}

TEST(ShortFft, InversesGiveTheLinesBack) {
  for (int64_t n = 1; n <= kMaxShortLine; ++n) {
    const std::vector<Complex> x = numbers(kLines * n);
    const auto y = transformed<Complex, Complex>(FftType::kFft, n, {kLines, n}, x, x.size());
    const auto again = transformed<Complex, Complex>(FftType::kIfft, n, {kLines, n}, y, y.size());
    for (size_t i = 0; i < x.size(); ++i) ASSERT_LT(std::abs(again[i] - x[i]), 1e-14) << n << " at " << i;
  }
}

TEST(ShortFft, OfRealLinesIsHalfOfTheComplexOne) {
  for (int64_t n = 1; n <= kMaxShortLine; ++n) {
    std::vector<double> x;
    std::vector<Complex> wide;
    for (const Complex& number : numbers(kLines * n)) {
      x.push_back(number.real());
      wide.emplace_back(number.real(), 0);
    }
    const int64_t kept = n / 2 + 1;
    const auto y =
        transformed<double, Complex>(FftType::kRfft, n, {kLines, kept}, x, static_cast<size_t>(kLines * kept));
    for (int64_t i = 0; i < kLines * kept; ++i)
      ASSERT_LT(std::abs(y[static_cast<size_t>(i)] - direct(wide.data() + i / kept * n, n, i % kept)), 1e-13) << n;
    const auto again = transformed<Complex, double>(FftType::kIrfft, n, {kLines, kept}, y, x.size());
    for (size_t i = 0; i < x.size(); ++i) ASSERT_LT(std::abs(again[i] - x[i]), 1e-14) << n << " at " << i;
  }
}

TEST(ShortFft, TakesLinesOfNoMoreThanItsLength) {
  EXPECT_TRUE(is_short_fft(std::vector<int64_t>{1, kMaxShortLine}));
  EXPECT_FALSE(is_short_fft(std::vector<int64_t>{2, kMaxShortLine + 1}));
  EXPECT_FALSE(is_short_fft(std::vector<int64_t>{0}));
}

}  // namespace
}  // namespace hilo::hlo
