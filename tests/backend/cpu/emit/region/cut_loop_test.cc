// SPDX-License-Identifier: Apache-2.0
// Maps whose loops are split where a guard starts or stops to hold: along the vectors, across them, along both, and
// with threads.
#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

TEST(RegionCuts, LongArrayIsCutIntoPartsForThreads) {
  for (const std::string_view type : {"u8", "bf16", "s32", "f64", "c64"}) {
    for (const int64_t low : {1, 3, 64, 4096, 100000}) {
      check_text(fmt::format(R"(HloModule long
ENTRY main {{
  x = {0}[200003] parameter(0)
  y = {0}[{1}] parameter(1)
  zero = {0}[] constant(0)
  padded = {0}[{1}] pad(x, zero), padding={2}_5
  ROOT z = {0}[{1}] add(padded, y)
}}
)",
                             type, 200003 + low + 5, low));
    }
  }
}

/// Guards with an index that decreases, or has a step above one.
TEST(RegionCuts, StridesAndReversals) {
  for (const std::string_view type : {"u8", "f16", "f32", "s64"}) {
    for (const int64_t stride : {1, 2, 3, 7}) {
      for (const int64_t low : {0, 1, 5, 20}) {
        const int64_t padded = 90 + low + 13;
        check_text(fmt::format(R"(HloModule strided
ENTRY main {{
  x = {0}[11,90] parameter(0)
  one = {0}[] constant(1)
  padded = {0}[14,{1}] pad(x, one), padding=2_1x{2}_13
  turned = {0}[14,{1}] reverse(padded), dimensions={{0,1}}
  ROOT some = {0}[14,{3}] slice(turned), slice={{[0:14],[0:{1}:{4}]}}
}}
)",
                               type, padded, low, (padded + stride - 1) / stride, stride));
      }
    }
  }
}

/// The heat equation on a torus: rolled along both dimensions, in a loop that updates in place.
TEST(RegionCuts, RollsInALoop) {
  for (const std::string_view type : {"f32", "f64", "s8"}) {
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{2, 2}, {5, 17}, {33, 100}, {128, 64}, {3, 257}}) {
      check_text(fmt::format(R"(HloModule heat
condition {{
  s = (s32[], {0}[{1},{2}]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(i, n), direction=LT
}}
body {{
  s = (s32[], {0}[{1},{2}]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = {0}[{1},{2}] get-tuple-element(s), index=1
  up = {0}[{3},{2}] slice(x), slice={{[1:{1}],[0:{2}]}}
  top = {0}[1,{2}] slice(x), slice={{[0:1],[0:{2}]}}
  below = {0}[{1},{2}] concatenate(up, top), dimensions={{0}}
  left = {0}[{1},{4}] slice(x), slice={{[0:{1}],[0:{4}]}}
  edge = {0}[{1},1] slice(x), slice={{[0:{1}],[{4}:{2}]}}
  before = {0}[{1},{2}] concatenate(edge, left), dimensions={{1}}
  sum = {0}[{1},{2}] add(below, before)
  next = {0}[{1},{2}] subtract(sum, x)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], {0}[{1},{2}]) tuple(j, next)
}}
ENTRY main {{
  x = {0}[{1},{2}] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], {0}[{1},{2}]) tuple(zero, x)
  end = (s32[], {0}[{1},{2}]) while(s), condition=condition, body=body
  ROOT y = {0}[{1},{2}] get-tuple-element(end), index=1
}}
)",
                             type, rows, columns, rows - 1, columns - 1),
                 1e-4);
    }
  }
}

/// More splits than the code generator supports.
TEST(RegionCuts, ManyParts) {
  std::string text = "HloModule many\nENTRY main {\n";
  std::string names;
  int64_t width = 0;
  for (int64_t k = 1; k <= 8; ++k) {
    text += fmt::format("  x{0} = f32[9,{0}] parameter({1})\n", k, k - 1);
    names += fmt::format("{}x{}", k > 1 ? ", " : "", k);
    width += k;
  }
  text += fmt::format("  joined = f32[9,{0}] concatenate({1}), dimensions={{1}}\n", width, names);
  text += fmt::format("  ROOT y = f32[9,{0}] negate(joined)\n}}\n", width);
  check_text(text);
}

TEST(RegionCuts, NothingIsLeftInside) {
  check_text(R"(HloModule outside
ENTRY main {
  x = f32[3,40] parameter(0)
  one = f32[] constant(1)
  padded = f32[3,140] pad(x, one), padding=0_0x50_50
  ROOT y = f32[3,50] slice(padded), slice={[0:3],[90:140]}
}
)");
}

/// 100 columns with two more before and three after. Each end has one vector with a constant mask; the vectors between
/// are whole.
TEST(RegionCuts, VectorsBetweenTheCutsHaveNoMask) {
  constexpr const char* kText = R"(ENTRY main {
  x = f32[30,100] parameter(0)
  one = f32[] constant(1)
  ROOT y = f32[30,105] pad(x, one), padding=0_0x2_3
}
)";
  EXPECT_EQ(code_of(kText, Isa::kAvx512),
            "2 llvm.masked.load.v16f32.p0, 1 load <16 x float>, 3 store <16 x float>, 2 turn");
  EXPECT_EQ(code_of(kText, Isa::kSse2),
            "2 llvm.masked.load.v4f32.p0, 2 llvm.vector.reduce.and.v4i1, 2 llvm.vector.reduce.or.v4i1, 3 load <4 x "
            "float>, 3 store <4 x float>, 4 then, 2 turn");
}

/// Threads share the outermost dimension, and each thread's part contains all ranges.
TEST(RegionCuts, PartsOfTheOutermostDimensionBranch) {
  EXPECT_EQ(code_of(R"(ENTRY main {
  x = f32[1000] parameter(0)
  one = f32[] constant(1)
  ROOT y = f32[1003] pad(x, one), padding=3_0
}
)"),
            "2 llvm.masked.load.v16f32.p0, 10 llvm.smax.i64, 12 llvm.smin.i64, 1 load <16 x float>, 4 store <16 x "
            "float>, 4 then, 2 turn");
}

}  // namespace
}  // namespace hilo::cpu
