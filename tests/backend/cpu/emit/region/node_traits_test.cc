// SPDX-License-Identifier: Apache-2.0
// Traits of single nodes.
#include <algorithm>

#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

RegionCase unary(std::string_view op, std::string_view type) {
  return RegionCase(fmt::format("ENTRY main {{ x = {0}[100] parameter(0)  ROOT y = {0}[100] {1}(x) }}\n", type, op));
}

TEST(NodeTraits, FunctionsAreExpensive) {
  for (const auto& [op, expensive] :
       {std::pair{"negate", false}, {"abs", false}, {"exponential", true}, {"tanh", true}})
    EXPECT_EQ(is_expensive(unary(op, "f32").region.nodes.back()), expensive) << op;
}

TEST(NodeTraits, NarrowFloatsAreComputedInF32) {
  EXPECT_EQ(register_bytes(ElementType::kF8E5M2), 4);
  EXPECT_EQ(register_bytes(ElementType::kBf16), 4);
  EXPECT_EQ(register_bytes(ElementType::kS8), 1);
  EXPECT_EQ(register_bytes(ElementType::kC128), 16);
  EXPECT_EQ(accumulator_type(ElementType::kF16), ElementType::kF32);
  EXPECT_EQ(accumulator_type(ElementType::kF64), ElementType::kF64);
  EXPECT_EQ(accumulator_type(ElementType::kS16), ElementType::kS16);
}

TEST(NodeTraits, WeightsOfTypesThatTakeManyInstructions) {
  EXPECT_EQ(weighted_nodes(unary("negate", "f32").region), 2);
  EXPECT_EQ(weighted_nodes(unary("negate", "f8e5m2").region), 16);
  EXPECT_EQ(weighted_nodes(unary("negate", "c128").region), 16);
}

/// Checks the reduction of [8,100] along rows by `op`.
void check_reduction(std::string_view op, std::string_view type, ElementType accumulator, bool extreme) {
  const RegionCase c(fmt::format(R"(body {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT s = {0}[] {1}(a, b) }}
ENTRY main {{
  x = {0}[8,100] parameter(0)
  y = {0}[] parameter(1)
  ROOT s = {0}[8] reduce(x, y), dimensions={{1}}, to_apply=body
}}
)",
                                 type, op));
  const RegionNode& reduce = *std::ranges::find(c.region.nodes, NodeKind::kReduce, &RegionNode::kind);
  EXPECT_EQ(accumulator_of(reduce), accumulator) << op << " " << type;
  EXPECT_EQ(is_wide_product(reduce), accumulator == ElementType::kF64 && type != "f64") << op << " " << type;
  EXPECT_EQ(is_extreme(reduce), extreme) << op << " " << type;
}

TEST(NodeTraits, ProductsOfFloatsAccumulateInDoubles) {
  check_reduction("multiply", "f32", ElementType::kF64, false);
  check_reduction("multiply", "bf16", ElementType::kF64, false);
  check_reduction("multiply", "s32", ElementType::kS32, false);
  check_reduction("add", "bf16", ElementType::kF32, false);
  check_reduction("maximum", "f32", ElementType::kF32, true);
  check_reduction("minimum", "f64", ElementType::kF64, true);
}

}  // namespace
}  // namespace hilo::cpu
