// SPDX-License-Identifier: Apache-2.0
// Real lines, transformed as complex lines of half the length, on every instruction set.
#include "hilo/backend/cpu/runtime/fft_kernels.h"

#include <gtest/gtest.h>

#include <random>

#include "hilo/backend/cpu/library/fft/transform.h"

namespace hilo::cpu::fft {
namespace {

template <typename T>
std::vector<T> transformed(std::vector<T> line, Isa isa) {
  const auto length = static_cast<int64_t>(line.size()) / 2;
  EXPECT_TRUE(Transform<T>(length, isa).run({{line.data(), 1, length}, {line.data(), 1, length}}).ok());
  return line;
}

template <typename T>
void expect_near(const std::vector<T>& got, const std::vector<T>& wanted, int64_t half) {
  ASSERT_EQ(got.size(), wanted.size());
  const double tolerance = (sizeof(T) == 4 ? 2e-6 : 2e-14) * static_cast<double>(half);
  for (size_t k = 0; k < got.size(); ++k)
    ASSERT_NEAR(got[k], wanted[k], tolerance) << k << " of a line of " << 2 * half;
}

template <typename T>
void expect_halves_of_a_real_line(int64_t half, Isa isa) {
  SCOPED_TRACE(isa_name(isa));
  std::mt19937 random(static_cast<unsigned>(half));
  std::vector<T> line(static_cast<size_t>(2 * half)), whole;
  for (T& value : line) {
    value = static_cast<T>(random() % 1000) / 500 - 1;
    whole.push_back(value);
    whole.push_back(0);
  }
  const std::vector<T> roots = real_line_roots<T>(half);
  const RealLine<T> real{half, roots.data()};
  const Kernels<T> kernels = runtime::fft::kernels_of<T>(isa);
  const std::vector<T> of_pairs = transformed(line, isa);
  std::vector<T> separated = of_pairs;
  separated.resize(line.size() + 2);
  kernels.separate(real, separated.data());
  std::vector<T> wanted = transformed(whole, isa);
  wanted.resize(separated.size());
  expect_near(separated, wanted, half);
  std::vector<T> joined(line.size()), twice = of_pairs;
  kernels.join(real, separated.data(), joined.data());
  for (T& value : twice) value *= 2;
  expect_near(joined, twice, half);
}

TEST(RealLine, IsSeparatedFromItsPairsAndJoinedAgain) {
  for (const Isa isa : supported_isas()) {
    for (int64_t half = 1; half <= 100; ++half) {
      expect_halves_of_a_real_line<float>(half, isa);
      expect_halves_of_a_real_line<double>(half, isa);
    }
  }
}

}  // namespace
}  // namespace hilo::cpu::fft
