// SPDX-License-Identifier: Apache-2.0
// Where guards hold, and where the loops of a map are split.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

Guard guard_of(int64_t constant, int64_t step, int64_t low, int64_t high) {
  return {plus(IndexExpr::dimension(0) * step, constant), low, high};
}

/// Compares with a test of each index.
TEST(Cuts, RangeIsWhereTheGuardHolds) {
  const int64_t extents[] = {20};
  for (int64_t constant : {-25, -7, 0, 3, 30}) {
    for (int64_t step : {-3, -1, 1, 2, 5}) {
      for (const auto& [low, high] : {std::pair<int64_t, int64_t>{0, 10}, {-5, 3}, {7, 7}, {0, 100}}) {
        const std::optional<GuardRange> range = range_of(guard_of(constant, step, low, high), extents);
        ASSERT_TRUE(range);
        for (int64_t i = 0; i < extents[0]; ++i) {
          const int64_t index = constant + step * i;
          EXPECT_EQ(low <= index && index < high, range->first <= i && i < range->end)
              << constant << " + " << step << " * " << i << " in [" << low << ", " << high << ")";
        }
      }
    }
  }
}

TEST(Cuts, NoRangeOfSeveralDimensionsOrOfNumbersKnownAtRunTime) {
  const int64_t extents[] = {20, 20};
  Guard both = guard_of(0, 1, 0, 5);
  both.index = both.index + IndexExpr::dimension(1);
  EXPECT_FALSE(range_of(both, extents));
  Guard at_run_time = guard_of(0, 1, 0, 5);
  at_run_time.index.terms.push_back({0, 1});
  EXPECT_FALSE(range_of(at_run_time, extents));
}

std::vector<std::vector<int64_t>> cuts_of_padding(std::string_view padding, std::string_view result) {
  const RegionCase c(fmt::format(R"(ENTRY main {{
  x = f32[30,100] parameter(0)
  one = f32[] constant(1)
  ROOT y = f32[{1}] pad(x, one), padding={0}
}}
)",
                                 padding, result));
  return cuts_of(c.region, 1);
}

TEST(Cuts, AreWhereGuardsBeginOrCeaseToHold) {
  using Cuts = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(cuts_of_padding("0_0x2_3", "30,105"), (Cuts{{}, {2, 102}}));
  EXPECT_EQ(cuts_of_padding("1_0x0_4", "31,104"), (Cuts{{1}, {100}}));
  EXPECT_EQ(cuts_of_padding("0_0x-2_3", "30,101"), (Cuts{{}, {98}}));
}

/// With more than six splits the loop isn't split.
TEST(Cuts, AreFew) {
  std::string text = "ENTRY main {\n  one = f32[] constant(1)\n  sum0 = f32[100] parameter(0)\n";
  for (int k = 1; k <= 7; ++k) {
    text +=
        fmt::format("  x{0} = f32[{1}] parameter({0})\n  p{0} = f32[100] pad(x{0}, one), padding={0}_0\n", k, 100 - k);
    text += fmt::format("  {2}sum{0} = f32[100] add(sum{1}, p{0})\n", k, k - 1, k == 7 ? "ROOT " : "");
  }
  EXPECT_TRUE(cuts_of(RegionCase(text + "}\n").region, 0)[0].empty());
}

}  // namespace
}  // namespace hilo::cpu
