// SPDX-License-Identifier: Apache-2.0
// Regions with a row of several dimensions, which keep expensive values from one loop over the row for the next.
#include <fmt/format.h>

#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

/// x * p * q over its root mean square, where p is one expensive value a line and q one a column.
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

}  // namespace
}  // namespace hilo::cpu
