// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

constexpr ElementType kType = ElementType::kF32;

RegionNode load(uint32_t input, IndexExpr index) {
  return {.kind = NodeKind::kLoad, .type = kType, .index = std::move(index), .input = input};
}
IndexExpr index(std::vector<int64_t> coefficients, int64_t constant = 0) {
  return {constant, std::move(coefficients), {}};
}

Region region_of(std::vector<int64_t> extents, std::vector<RegionNode> nodes, std::vector<RegionOutput> outputs) {
  Region region;
  region.row_begin = extents.size();
  region.extents = std::move(extents);
  region.inputs = {{7, kType}, {8, kType}};
  region.nodes = std::move(nodes);
  region.outputs = std::move(outputs);
  return region;
}

TEST(RegionFinish, DropsWhatNoOutputReads) {
  const Region region =
      finished_region(region_of({8}, {load(0, index({1})), load(1, index({2})), {}}, {{9, 2, index({1}), kType}}),
                      {kNoNode, kNoNode, 1});
  ASSERT_EQ(region.nodes.size(), 1U);
  ASSERT_EQ(region.inputs.size(), 1U);
  EXPECT_EQ(region.inputs[0].value, 8U) << "the third node stands for the second";
  EXPECT_EQ(region.nodes[0].input, 0U);
  EXPECT_EQ(region.outputs[0].node, 0U);
}

TEST(RegionFinish, MergesDimensionsThatAllCrossInStep) {
  const auto extents = [](IndexExpr from) {
    return finished_region(region_of({2, 3, 1, 4}, {load(0, std::move(from))}, {{9, 0, index({12, 4, 4, 1}), kType}}),
                           {kNoNode})
        .extents;
  };
  EXPECT_EQ(extents(index({12, 4, 4, 1})), (std::vector<int64_t>{24}));
  EXPECT_EQ(extents(index({24, 8, 8, 1})), (std::vector<int64_t>{6, 4}));
  EXPECT_EQ(extents(index({20, 4, 4, 1})), (std::vector<int64_t>{2, 12}));
}

/// A guard of the outer dimension is a range of the merged one; a guard of the inner dimension keeps it.
TEST(RegionFinish, MergesDimensionsUnderAGuardOfTheOuterOne) {
  const auto merged = [](Guard guard) {
    RegionNode guarded = load(0, index({3, 1}));
    guarded.guards = {std::move(guard)};
    return finished_region(region_of({8, 3}, {guarded}, {{9, 0, index({3, 1}), kType}}), {kNoNode});
  };
  const Region ahead = merged({index({1}, -2), 0, 4}), back = merged({index({-1}, 5), 0, 4});
  EXPECT_EQ(ahead.extents, (std::vector<int64_t>{24}));
  EXPECT_EQ(ahead.nodes[0].guards[0], (Guard{index({1}), 6, 18}));
  EXPECT_EQ(back.nodes[0].guards[0], (Guard{index({1}), 6, 18}));
  EXPECT_EQ(merged({index({0, 1}), 0, 2}).extents, (std::vector<int64_t>{8, 3}));
}

TEST(RegionFinish, DropsGuardsThatAlwaysHold) {
  RegionNode guarded = load(0, index({1}));
  guarded.guards = {{index({1}), 0, 8}, {index({1}, -1), 0, 8}};
  const Region region = finished_region(region_of({8}, {guarded}, {{9, 0, index({1}), kType}}), {kNoNode});
  ASSERT_EQ(region.nodes[0].guards.size(), 1U);
  EXPECT_EQ(region.nodes[0].guards[0].index.constant, -1);
}

TEST(RegionFinish, ATransposeReadsAlongItsInnerLoop) {
  const Region region =
      finished_region(region_of({16, 32}, {load(0, index({1, 16}))}, {{9, 0, index({32, 1}), kType}}), {kNoNode});
  EXPECT_EQ(region.extents, (std::vector<int64_t>{32, 16}));
  EXPECT_EQ(region.nodes[0].index, index({16, 1}));
}

}  // namespace
}  // namespace hilo::engine
