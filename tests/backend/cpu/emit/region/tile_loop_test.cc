// SPDX-License-Identifier: Apache-2.0
// Regions that read an array across its lines and iterate in tiles.
#include <fmt/format.h>

#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

/// x + y + a transpose of x: two arrays along the lines of the result, one across.
void check_sum_with_transpose(std::string_view type, const std::string& sizes, std::string_view permutation) {
  check_text(fmt::format(R"(HloModule tiles
ENTRY main {{
  x = {0}[{1}] parameter(0)
  y = {0}[{1}] parameter(1)
  t = {0}[{1}] transpose(x), dimensions={{{2}}}
  r = {0}[{1}] add(x, y)
  ROOT s = {0}[{1}] add(r, t)
}}
)",
                         type, sizes, permutation));
}

TEST(RegionTiles, CoverArraysOfAllSizes) {
  for (int64_t n : {1, 2, 15, 31, 33, 64, 65, 97, 130}) {
    check_sum_with_transpose("f32", fmt::format("{0},{0}", n), "1,0");
    check_sum_with_transpose("f64", fmt::format("{0},{0}", n), "1,0");
  }
}

TEST(RegionTiles, CoverAllTypes) {
  for (const char* type : {"pred", "s8", "u16", "s64", "f16", "bf16", "c64", "c128"})
    check_sum_with_transpose(type, "149,149", "1,0");
}

TEST(RegionTiles, StandInBatches) {
  check_sum_with_transpose("f32", "3,70,70", "0,2,1");
  check_sum_with_transpose("s8", "2,3,140,140", "0,1,3,2");
}

TEST(RegionTiles, AreTakenByEachThreadInItsPart) { check_sum_with_transpose("f32", "701,701", "1,0"); }

/// Two loops over tiles and two within a tile. If both orders have the same number of arrays, the loops use the other
/// order.
TEST(RegionTiles, AreFourLoops) {
  constexpr std::string_view kText = R"(ENTRY main {{
  x = f32[100,100] parameter(0)
  y = f32[100,100] parameter(1)
  t = f32[100,100] transpose(x), dimensions={{1,0}}
  r = f32[100,100] add(y, t)
  ROOT s = f32[100,100] add(r, {0})
}}
)";
  EXPECT_EQ(code_of(fmt::format(fmt::runtime(kText), "x")),
            "2 load <16 x float>, 16 load float, 1 store <16 x float>, 4 turn");
  EXPECT_EQ(code_of(fmt::format(fmt::runtime(kText), "t")),
            "1 load <16 x float>, 16 load float, 1 store <16 x float>, 2 turn");
}

}  // namespace
}  // namespace hilo::cpu
