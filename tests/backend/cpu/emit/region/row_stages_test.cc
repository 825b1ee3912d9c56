// SPDX-License-Identifier: Apache-2.0
// Regions with a row of several dimensions that store expensive values from one loop over the row for the next.
#include <fmt/format.h>

#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

/// x * p * q over its root mean square. p is one expensive value per line, q one per column.
void check_scaled(std::string_view type, int64_t lines, int64_t columns) {
  check_text(fmt::format(R"(HloModule rows
sum {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT s = {0}[] add(a, b)
}}
ENTRY main {{
  x = {0}[{1},{2}] parameter(0)
  r = {0}[{1}] parameter(1)
  c = {0}[{2}] parameter(2)
  er = {0}[{1}] exponential(r)
  ec = {0}[{2}] sine(c)
  p = {0}[{1},{2}] broadcast(er), dimensions={{0}}
  q = {0}[{1},{2}] broadcast(ec), dimensions={{1}}
  xp = {0}[{1},{2}] multiply(x, p)
  u = {0}[{1},{2}] multiply(xp, q)
  v = {0}[{1},{2}] multiply(u, u)
  zero = {0}[] constant(0)
  one = {0}[] constant(1)
  total = {0}[] reduce(v, zero), dimensions={{0,1}}, to_apply=sum
  root = {0}[] sqrt(total)
  least = {0}[] maximum(root, one)
  l = {0}[{1},{2}] broadcast(least), dimensions={{}}
  ROOT w = {0}[{1},{2}] divide(u, l)
}}
)",
                         type, lines, columns));
}

TEST(RegionRows, KeepWhatChangesWithAnOuterDimensionOfTheRowAlone) {
  for (const char* type : {"f32", "f64", "bf16"}) {
    for (const auto& [lines, columns] :
         {std::pair<int64_t, int64_t>{1, 1}, {2, 3}, {5, 17}, {17, 5}, {33, 64}, {70, 41}})
      check_scaled(type, lines, columns);
  }
}

TEST(RegionRows, KeepItForEachOfTheOthers) {
  check_text(R"(HloModule rows
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[4,6,7] parameter(0)
  r = f32[4,6] parameter(1)
  er = f32[4,6] exponential(r)
  p = f32[4,6,7] broadcast(er), dimensions={0,1}
  u = f32[4,6,7] multiply(x, p)
  zero = f32[] constant(0)
  total = f32[4] reduce(u, zero), dimensions={1,2}, to_apply=sum
  l = f32[4,6,7] broadcast(total), dimensions={0}
  ROOT w = f32[4,6,7] subtract(u, l)
}
)");
}

/// Softmax, and the sum of the logarithms of its elements.
void check_softmax(std::string_view type, int64_t columns) {
  check_text(fmt::format(R"(HloModule rows
most {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT m = {0}[] maximum(a, b) }}
sum {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT s = {0}[] add(a, b) }}
ENTRY main {{
  x = {0}[5,{1}] parameter(0)
  least = {0}[] constant(-inf)
  zero = {0}[] constant(0)
  m = {0}[5] reduce(x, least), dimensions={{1}}, to_apply=most
  wide = {0}[5,{1}] broadcast(m), dimensions={{0}}
  d = {0}[5,{1}] subtract(x, wide)
  e = {0}[5,{1}] exponential(d)
  t = {0}[5] reduce(e, zero), dimensions={{1}}, to_apply=sum
  all = {0}[5,{1}] broadcast(t), dimensions={{0}}
  y = {0}[5,{1}] divide(e, all)
  l = {0}[5,{1}] log(y)
  u = {0}[5] reduce(l, zero), dimensions={{1}}, to_apply=sum
  ROOT r = ({0}[5,{1}], {0}[5]) tuple(y, u)
}}
)",
                         type, columns));
}

TEST(RegionRows, TheLastVectorCountsNoElementTwice) {
  for (const char* const type : {"f32", "f64"}) {
    for (const int64_t columns : {9, 17, 31, 33, 50, 63, 65, 100, 129, 257, 500, 777}) check_softmax(type, columns);
  }
}

std::string code_of_sum(std::string_view shape, std::string_view result, int dimension) {
  return code_of(sum_of("f32") + fmt::format(R"(ENTRY main {{
  x = f32[{0}] parameter(0)
  zero = f32[] constant(0)
  ROOT y = f32[{1}] reduce(x, zero), dimensions={{{2}}}, to_apply=sum
}}
)",
                                             shape, result, dimension));
}

/// A short row is unrolled: the only loop is over rows.
TEST(RegionRows, ShortRowsHaveNoLoop) {
  EXPECT_EQ(code_of_sum("100,64", "100", 1), "1 load <64 x float>, 1 store float, 1 turn");
}

TEST(RegionRows, ColumnsLoopOverRowsInside) {
  EXPECT_EQ(code_of_sum("100,64", "64", 0),
            "5 load <64 x float>, 1 load i64, 2 store <64 x float>, 2 store i64, 4 turn");
}

/// Softmax: three loops over the row, with one exponential per element.
TEST(RegionRows, StagesAreLoops) {
  EXPECT_EQ(code_of(R"(most { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT m = f32[] maximum(a, b) }
)" + sum_of("f32") + R"(ENTRY main {
  x = f32[8,1000] parameter(0)
  least = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[8] reduce(x, least), dimensions={1}, to_apply=most
  wide = f32[8,1000] broadcast(m), dimensions={0}
  d = f32[8,1000] subtract(x, wide)
  e = f32[8,1000] exponential(d)
  t = f32[8] reduce(e, zero), dimensions={1}, to_apply=sum
  all = f32[8,1000] broadcast(t), dimensions={0}
  ROOT y = f32[8,1000] divide(e, all)
}
)"),
            "9 llvm.fma.v64f32, 7 llvm.smax.v64i32, 7 llvm.umax.v64i32, 7 llvm.umin.v64i32, 4 "
            "llvm.x86.avx512.mask.scalef.ps.512, 3 load <64 x float>, 2 "
            "store <64 x float>, 4 turn");
}

/// Masks of 64 lanes pass from turn to turn in registers for masks, or as bytes.
TEST(RowStages, LongMasksPassAsBytes) {
  const RegionCase c(R"(both {
  a = pred[] parameter(0)
  b = pred[] parameter(1)
  ROOT c = pred[] and(a, b)
}
ENTRY main {
  x = s8[8,5000] parameter(0)
  five = s8[] constant(5)
  fives = s8[8,5000] broadcast(five), dimensions={}
  p = pred[8,5000] compare(x, fives), direction=LT
  all = pred[] constant(true)
  ROOT y = pred[8] reduce(p, all), dimensions={1}, to_apply=both
}
)");
  const auto has = [&](Isa isa, const char* text) {
    return region_text(c.region, isa)->find(text) != std::string::npos;
  };
  EXPECT_FALSE(has(Isa::kAvx2, "phi <64 x i1>"));
  EXPECT_TRUE(has(Isa::kAvx2, "phi <64 x i8>"));
  EXPECT_TRUE(has(Isa::kAvx512, "phi <64 x i1>"));
}

}  // namespace
}  // namespace hilo::cpu
