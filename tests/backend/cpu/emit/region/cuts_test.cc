// SPDX-License-Identifier: Apache-2.0
// Where the loops of a map are split.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

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
