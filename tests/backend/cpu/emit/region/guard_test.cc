// SPDX-License-Identifier: Apache-2.0
// Vectors with lanes outside of an operand: padded, rolled and concatenated arrays of every width.
#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

constexpr const char* kTypes[] = {"pred", "u8", "s16", "bf16", "f16", "s32", "f32", "s64", "f64", "c64", "c128"};
constexpr int64_t kSizes[] = {1, 2, 7, 15, 31, 33, 64, 65, 130, 257};  // around the lane counts of all types

TEST(RegionGuards, PadsAtBothEnds) {
  for (const std::string_view type : kTypes) {
    for (const int64_t n : kSizes) {
      check_text(fmt::format(R"(HloModule padded
ENTRY main {{
  x = {0}[3,{1}] parameter(0)
  zero = {0}[] parameter(1)
  ROOT y = {0}[6,{2}] pad(x, zero), padding=1_2x5_9
}}
)",
                             type, n, n + 14));
    }
  }
}

TEST(RegionGuards, CutsAtBothEnds) {
  for (const std::string_view type : kTypes) {
    check_text(fmt::format(R"(HloModule cut
ENTRY main {{
  x = {0}[4,100] parameter(0)
  zero = {0}[] parameter(1)
  ROOT y = {0}[4,78] pad(x, zero), padding=0_0x-5_-17
}}
)",
                           type));
  }
}

/// x[i - 1] op x[i + 1], with wrap-around.
TEST(RegionGuards, RollsBothWays) {
  for (const std::string_view type : kTypes) {
    for (const int64_t n : kSizes) {
      if (n == 1) continue;
      check_text(fmt::format(R"(HloModule rolled
ENTRY main {{
  x = {0}[5,{1}] parameter(0)
  most = {0}[5,{2}] slice(x), slice={{[0:5],[0:{2}]}}
  last = {0}[5,1] slice(x), slice={{[0:5],[{2}:{1}]}}
  before = {0}[5,{1}] concatenate(last, most), dimensions={{1}}
  rest = {0}[5,{2}] slice(x), slice={{[0:5],[1:{1}]}}
  first = {0}[5,1] slice(x), slice={{[0:5],[0:1]}}
  after = {0}[5,{1}] concatenate(rest, first), dimensions={{1}}
  ROOT y = {0}[5,{1}] {3}(before, after)
}}
)",
                             type, n, n - 1, type == "pred" ? "xor" : "add"));
    }
  }
}

TEST(RegionGuards, SlidesAlongADimensionThatIsNotTheLast) {
  for (const std::string_view type : {"u8", "bf16", "f32", "f64"}) {
    check_text(fmt::format(R"(HloModule slid
ENTRY main {{
  x = {0}[37,19] parameter(0)
  top = {0}[36,19] slice(x), slice={{[0:36],[0:19]}}
  row = {0}[1,19] slice(x), slice={{[36:37],[0:19]}}
  moved = {0}[37,19] concatenate(row, top), dimensions={{0}}
  turned = {0}[19,37] transpose(moved), dimensions={{1,0}}
  other = {0}[19,37] parameter(1)
  ROOT y = {0}[19,37] add(turned, other)
}}
)",
                           type));
  }
}

/// A column is one lane of a strip of at least 128 lanes. The strip starts in one array and ends in the other.
TEST(RegionGuards, ReducesColumnsOfJoinedArrays) {
  for (const std::string_view type : kTypes) {
    check_text(fmt::format(R"(HloModule columns
r {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT c = {0}[] {1}(a, b) }}
ENTRY main {{
  x = {0}[3,700] parameter(0)
  y = {0}[3,800] parameter(1)
  z = {0}[] parameter(2)
  p = {0}[3,1500] concatenate(x, y), dimensions={{1}}
  ROOT s = {0}[1500] reduce(p, z), dimensions={{0}}, to_apply=r
}}
)",
                           type, type == "pred" ? "xor" : "add"));
    check_text(fmt::format(R"(HloModule columns
r {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT c = {0}[] {1}(a, b) }}
ENTRY main {{
  x = {0}[1500] parameter(0)
  z = {0}[] parameter(1)
  p = {0}[2048] pad(x, z), padding=300_248
  q = {0}[4,512] reshape(p)
  ROOT s = {0}[512] reduce(q, z), dimensions={{0}}, to_apply=r
}}
)",
                           type, type == "pred" ? "xor" : "add"));
  }
}

/// If a guard depends on two dimensions, loops aren't split: each iteration computes the mask.
TEST(RegionGuards, MasksOfTwoDimensionsAreComputedInEachTurn) {
  EXPECT_EQ(code_of(R"(ENTRY main {
  x = f32[1000] parameter(0)
  zero = f32[] constant(0)
  y = f32[1040] pad(x, zero), padding=30_10
  z = f32[26,40] reshape(y)
  ROOT t = f32[40,26] transpose(z), dimensions={1,0}
}
)"),
            "1 llvm.masked.gather.v16f32.v16p0, 1 store <16 x float>, 2 turn");
}

}  // namespace
}  // namespace hilo::cpu
