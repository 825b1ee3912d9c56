// SPDX-License-Identifier: Apache-2.0
// The loops over a row: the values that each computes, and those that it stores for later loops.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

/// One line per loop: the values that it computes or reads. + marks a value written to a tile, - one read from a tile.
std::string loops_of(const std::string& text) {
  const RegionCase c(text);
  const RowLoops loops = analyse_region(c.region, Isa::kAvx512).row;
  std::string lines;
  for (int loop = 0; loop < loops.count; ++loop) {
    for (size_t n = 0; n < c.region.nodes.size(); ++n) {
      const RegionNode& node = c.region.nodes[n];
      if (!loops.evaluated[static_cast<size_t>(loop)][n]) continue;
      const bool reads = loops.stored_in[n] >= 0 && loops.stored_in[n] < loop;
      lines += node.kind == NodeKind::kOp       ? node.instruction->def().name
               : node.kind == NodeKind::kReduce ? "reduce"
               : node.kind == NodeKind::kLoad   ? "load"
                                                : "other";
      lines += reads ? "- " : loops.stored_in[n] == loop ? "+ " : " ";
    }
    lines += "\n";
  }
  return lines;
}

std::string softmax(int64_t length, std::string_view op = "exponential") {
  return sum_of("f32") + fmt::format(R"(ENTRY main {{
  x = f32[8,{0}] parameter(0)
  zero = f32[] constant(0)
  e = f32[8,{0}] {1}(x)
  s = f32[8] reduce(e, zero), dimensions={{1}}, to_apply=sum
  y = f32[8,{0}] broadcast(s), dimensions={{0}}
  ROOT z = f32[8,{0}] divide(e, y)
}}
)",
                                     length, op);
}

TEST(RowLoops, KeepExpensiveValues) {
  EXPECT_EQ(loops_of(softmax(1000)), "load exponential+ reduce \nexponential- divide \n");
}

TEST(RowLoops, ComputeCheapValuesAgain) {
  EXPECT_EQ(loops_of(softmax(1000, "negate")), "load negate reduce \nload negate divide \n");
}

/// Each of two functions of a row fits, but not both.
TEST(RowLoops, ComputeAgainWhatFillsMoreThanTheCache) {
  const auto two = [](int64_t length) {
    return sum_of("f32") + fmt::format(R"(ENTRY main {{
  x = f32[8,{0}] parameter(0)
  zero = f32[] constant(0)
  a = f32[8,{0}] exponential(x)
  b = f32[8,{0}] sine(x)
  c = f32[8,{0}] add(a, b)
  s = f32[8] reduce(c, zero), dimensions={{1}}, to_apply=sum
  y = f32[8,{0}] broadcast(s), dimensions={{0}}
  d = f32[8,{0}] multiply(a, b)
  ROOT z = f32[8,{0}] subtract(d, y)
}}
)",
                                       length);
  };
  EXPECT_EQ(loops_of(two(4096)), "load sine+ exponential+ add reduce \nsine- exponential- multiply subtract \n");
  EXPECT_EQ(loops_of(two(4097)), "load sine exponential+ add reduce \nload sine exponential- multiply subtract \n");
}

TEST(RowLoops, OneReductionIsOneLoop) {
  EXPECT_EQ(loops_of(sum_of("f32") + R"(ENTRY main {
  x = f32[8,100] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[8] reduce(x, zero), dimensions={1}, to_apply=sum
}
)"),
            "load reduce \n");
}

}  // namespace
}  // namespace hilo::cpu
