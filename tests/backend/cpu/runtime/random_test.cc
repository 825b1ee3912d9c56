// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/random.h"

#include "tests/backend/cpu/runtime/runtime_check.h"

namespace hilo::cpu::runtime {
namespace {

/// Bits don't depend on the ranges of counters in which they are computed.
TEST(RuntimeRandom, RangesGiveTheSameBits) {
  for (const bool threefry : {false, true}) {
    for (const int64_t bytes : {1, 4, 8}) {
      for (const int64_t inner : {1, 3}) {
        const RandomProblem problem{
            .threefry = threefry, .bytes = bytes, .count = 2 * 7 * inner, .outer = 2, .extent = 7, .inner = inner};
        const auto size = static_cast<size_t>(problem.count * bytes);
        const uint64_t state[3] = {0x123456789abcdef, ~uint64_t{2}, 0};
        std::vector<std::byte> whole(size + 8, std::byte{1}), parts = whole;
        fill_random(problem, state, whole.data(), 0, problem.counters());
        for (int64_t c = 0; c < problem.counters(); c += 2)
          fill_random(problem, state, parts.data(), c, std::min(c + 2, problem.counters()));
        EXPECT_EQ(whole, parts) << threefry << " " << bytes << " " << inner;
        EXPECT_EQ(whole[size], std::byte{1});
      }
    }
  }
}

TEST(RuntimeRandom, TheStateCountsTheCounters) {
  const RandomProblem problem{.state_words = 3, .bytes = 4, .count = 9};
  const RandomState next = state_after(problem, {{5, ~uint64_t{0}, 7}});
  EXPECT_EQ(next.words[0], 5u);
  EXPECT_EQ(next.words[1], 2u);
  EXPECT_EQ(next.words[2], 8u);
}

}  // namespace
}  // namespace hilo::cpu::runtime
