// SPDX-License-Identifier: Apache-2.0
// The loops on which the nodes of a region depend.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

/// One line per node: its op, stage and level. v: varies along the vectors; r: in the row; l: rounds late.
std::string facts_of(const std::string& text) {
  const RegionCase c(text);
  const std::vector<NodeFacts> facts = node_facts(c.region, shape_of_region(c.region, Isa::kAvx512));
  std::string lines;
  for (size_t n = 0; n < facts.size(); ++n) {
    const RegionNode& node = c.region.nodes[n];
    constexpr const char* kKinds[] = {"load", "index", "constant", "op", "clamped", "guarded", "reduce", "result"};
    const NodeFacts& f = facts[n];
    lines +=
        fmt::format("{} {} {} {}{}{}\n",
                    node.kind == NodeKind::kOp ? node.instruction->def().name : kKinds[static_cast<int>(node.kind)],
                    f.stage, f.level, f.varies ? "v" : "", f.in_row ? "r" : "", f.rounds_late ? "l" : "");
  }
  return lines;
}

TEST(NodeFacts, MapsHaveNoRow) {
  EXPECT_EQ(facts_of(R"(ENTRY main {
  x = f32[8,100] parameter(0)
  r = f32[8] parameter(1)
  e = f32[8] exponential(r)
  y = f32[8,100] broadcast(e), dimensions={0}
  ROOT z = f32[8,100] add(x, y)
}
)"),
            "load 0 0 \nexponential 0 0 \nload 0 1 v\nadd 0 1 v\n");
}

TEST(NodeFacts, StagesCountReductions) {
  EXPECT_EQ(facts_of(sum_of("f32") + R"(ENTRY main {
  x = f32[8,100] parameter(0)
  zero = f32[] constant(0)
  s = f32[8] reduce(x, zero), dimensions={1}, to_apply=sum
  y = f32[8,100] broadcast(s), dimensions={0}
  ROOT z = f32[8,100] divide(x, y)
}
)"),
            "constant 0 -1 \nload 0 1 vr\nreduce 0 1 vr\nresult 1 0 \ndivide 1 1 vr\n");
}

/// If vectors go across rows, every value has one lane per row.
TEST(NodeFacts, ResultsOfColumnsVary) {
  EXPECT_EQ(facts_of(sum_of("f32") + R"(ENTRY main {
  x = f32[100,64] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[64] reduce(x, zero), dimensions={0}, to_apply=sum
}
)"),
            "constant 0 -1 \nload 0 1 vr\nreduce 0 1 vr\nresult 1 0 v\n");
}

TEST(NodeFacts, MaximaOfNarrowFloatsAreRoundedLate) {
  const std::string_view text = R"({0} {{ a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT m = bf16[] {0}(a, b) }}
ENTRY main {{
  x = bf16[8,100] parameter(0)
  y = bf16[8,100] exponential(x)
  zero = bf16[] constant(0)
  ROOT s = bf16[8] reduce(y, zero), dimensions={{1}}, to_apply={0}
}}
)";
  EXPECT_EQ(facts_of(fmt::format(fmt::runtime(text), "maximum")),
            "constant 0 -1 \nload 0 1 vr\nexponential 0 1 vrl\nreduce 0 1 vr\nresult 1 0 \n");
  EXPECT_EQ(facts_of(fmt::format(fmt::runtime(text), "add")),
            "constant 0 -1 \nload 0 1 vr\nexponential 0 1 vr\nreduce 0 1 vr\nresult 1 0 \n");
}

}  // namespace
}  // namespace hilo::cpu
