// SPDX-License-Identifier: Apache-2.0
// Short transforms have the same bits for vectors of any width.
#include "hilo/backend/cpu/library/fft/short_lines.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

#include "hilo/hlo/ops/short_fft.h"

namespace hilo::cpu::fft {
namespace {

using hlo::FftType;

constexpr auto kInOrder = [](int64_t count, const std::function<void(int64_t)>& block) {
  for (int64_t i = 0; i < count; ++i) block(i);
};

/// `sizes` are those of the complex side.
struct Case {
  FftType type;
  std::vector<int64_t> lengths, sizes;
};

int64_t count_of(const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  for (const int64_t n : sizes) count *= n;
  return count;
}

template <typename T>
std::vector<T> numbers(int64_t count, bool special) {
  std::mt19937 random(7);
  std::normal_distribution<T> normal;
  std::vector<T> x(static_cast<size_t>(count));
  for (T& value : x) value = normal(random);
  constexpr T kSpecial[] = {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(),
                            std::numeric_limits<T>::denorm_min(), T(-0.0), std::numeric_limits<T>::max()};
  for (size_t i = 0; special && i < x.size(); i += 23) x[i] = kSpecial[i / 23 % 5];
  return x;
}

template <typename T>
void check(const Case& c, bool special) {
  hlo::FftAttributes attributes;
  attributes.fft_type = c.type;
  attributes.fft_length = c.lengths;
  const int64_t complex = 2 * count_of(c.sizes), real = count_of(c.sizes) / c.sizes.back() * c.lengths.back();
  const std::vector<T> in = numbers<T>(c.type == FftType::kRfft ? real : complex, special);
  std::vector<T> wanted;
  for (const Isa isa : supported_isas()) {
    std::vector<T> out(static_cast<size_t>(c.type == FftType::kIrfft ? real : complex), T(77));
    const hlo::ShortFftArray<T> transform(attributes, c.sizes, short_line_kernels_of<T>(isa));
    ASSERT_TRUE(transform.run(in.data(), out.data(), kInOrder).ok());
    if (isa == supported_isas().front()) wanted = out;
    for (size_t i = 0; i < out.size(); ++i) {
      const bool both_nan = out[i] != out[i] && wanted[i] != wanted[i];
      ASSERT_TRUE(both_nan || std::memcmp(&out[i], &wanted[i], sizeof(T)) == 0)
          << isa_name(isa) << ", length " << c.lengths.back() << ", type " << static_cast<int>(c.type) << ", number "
          << i << ": " << out[i] << " and " << wanted[i];
    }
  }
}

void check_both(const Case& c) {
  for (const bool special : {false, true}) {
    check<float>(c, special);
    check<double>(c, special);
  }
}

TEST(ShortLines, AreTheSameBitsAtEveryLength) {
  for (int64_t n = 1; n <= hlo::kMaxShortLine; ++n) {
    for (const FftType type : {FftType::kFft, FftType::kIfft}) check_both({type, {n}, {37, n}});
    for (const FftType type : {FftType::kRfft, FftType::kIrfft}) check_both({type, {n}, {37, n / 2 + 1}});
  }
}

TEST(ShortLines, AreTheSameBitsWhereverTheLinesLie) {
  for (const int64_t inner : {1, 2, 5, 8, 16, 33, 50}) {  // adjacent lines: fewer than lanes, as many, and more
    for (const FftType type : {FftType::kFft, FftType::kIfft}) check_both({type, {12, inner}, {3, 12, inner}});
    for (const FftType type : {FftType::kRfft, FftType::kIrfft}) check_both({type, {9, inner}, {3, 9, inner / 2 + 1}});
  }
  check_both({FftType::kFft, {6, 10, 4}, {6, 10, 4}});
  check_both({FftType::kFft, {5}, {1, 5}});
}

}  // namespace
}  // namespace hilo::cpu::fft
