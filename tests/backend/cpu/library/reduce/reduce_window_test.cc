// SPDX-License-Identifier: Apache-2.0
// Sums over large windows, compared with exact sums.
#include "tests/backend/cpu/sum_check.h"

namespace hilo::cpu {
namespace {

TEST(ReduceWindow, KeepsTheDigitsOfLargeWindows) {
  const int64_t n = 1501, size = 1001;
  const std::string window = fmt::format("size={}x1 pad={}_{}x0_0", size, size / 2, size / 2);
  const auto sums = [&]<typename T>(const Literal& x) {
    std::vector<ExactSum> all(static_cast<size_t>(2 * n));
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t i = std::max<int64_t>(p - size / 2, 0); i < std::min(p + size / 2 + 1, n); ++i) {
        for (int64_t k = 0; k < 2; ++k)
          all[static_cast<size_t>(2 * p + k)].take(
              static_cast<long double>(static_cast<double>(x.data<T>()[static_cast<size_t>(2 * i + k)])));
      }
    }
    return all;
  };
  const Literal x = filled_with<float>(kTerms[0], {n, 2});
  check_sums(windowed("f32", {n, 2}, window), {x}, sums.template operator()<float>(x), 1.01);
  const Literal y = filled_with<double>(kTerms[0], {n, 2});
  check_sums(windowed("f64", {n, 2}, window), {y}, sums.template operator()<double>(y), 2);
}

}  // namespace
}  // namespace hilo::cpu
