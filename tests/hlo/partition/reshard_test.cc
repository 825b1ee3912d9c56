// SPDX-License-Identifier: Apache-2.0
// Reshard plans over x=2, y=4, whose axis y has two atoms.
#include "hilo/hlo/partition/reshard.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hilo::hlo {
namespace {

constexpr uint16_t kX = 0, kY = 1, kZ = 2;  // y consists of kY and kZ

Mesh mesh() {
  Mesh made;
  made.axes = {{"x", 2}, {"y", 4}};
  return made;
}

std::string plan(const ArraySplit& from, const ArraySplit& to) {
  const MeshAtoms atoms(mesh());
  constexpr std::string_view kNames[] = {"cut", "permute", "exchange", "gather"};
  std::string text;
  for (const ReshardStep& step : plan_reshard(from, to, atoms)) {
    text += text.empty() ? "" : ", ";
    text += kNames[static_cast<size_t>(step.kind)];
    text += " " + to_string(step.after, atoms);
  }
  return text;
}

TEST(PlanReshard, WhatIsWholeIsCutAndWhatIsCutIsGathered) {
  EXPECT_EQ(plan({{}, {}}, {{kX}, {kY, kZ}}), "cut [{x},{}], cut [{x},{y}]");
  EXPECT_EQ(plan({{kX}, {kY, kZ}}, {{kX}, {}}), "gather [{x},{}]");
  EXPECT_EQ(plan({{kX}, {}}, {{kX}, {}}), "");
}

TEST(PlanReshard, PartsOfOneSizeChangeHands) { EXPECT_EQ(plan({{kY}, {}}, {{kX}, {}}), "permute [{x},{}]"); }

TEST(PlanReshard, WhatOneDimensionGivesUpAnotherTakes) {
  EXPECT_EQ(plan({{kY, kZ}, {}}, {{}, {kY, kZ}}), "exchange [{},{y}]");
  EXPECT_EQ(plan({{kX, kY, kZ}, {}}, {{kX}, {kY, kZ}}), "exchange [{x},{y}]");
}

TEST(PlanReshard, AxesThatSwapDimensionsGatherNothing) {
  EXPECT_EQ(plan({{kX}, {kY, kZ}}, {{kY, kZ}, {kX}}), "exchange [{x,y:(2)2},{y:(1)2}], permute [{y},{x}]");
}

TEST(PlanReshard, ManyPairsOfSplitsEndWhereTheyShould) {
  const std::vector<Atoms> sides = {{}, {kX}, {kY}, {kZ}, {kY, kZ}, {kZ, kY}, {kX, kY}, {kX, kY, kZ}, {kZ, kX}};
  const MeshAtoms atoms(mesh());
  const auto fits = [](const Atoms& a, const Atoms& b) {
    return std::ranges::none_of(a, [&](uint16_t atom) { return std::ranges::find(b, atom) != b.end(); });
  };
  std::vector<ArraySplit> splits;
  for (const Atoms& a : sides) {
    for (const Atoms& b : sides) {
      if (fits(a, b)) splits.push_back({a, b});
    }
  }
  for (const ArraySplit& from : splits) {
    for (const ArraySplit& to : splits) {
      const std::vector<ReshardStep> steps = plan_reshard(from, to, atoms);
      EXPECT_LE(steps.size(), 8u);
      EXPECT_EQ(steps.empty() ? from : steps.back().after, to);
    }
  }
}

TEST(ReshardBytes, CountWhatEachDeviceSends) {
  const MeshAtoms atoms(mesh());
  const Shape whole = Shape::array(ElementType::kF32, {512, 512});
  EXPECT_EQ(reshard_bytes(whole, {{}, {}}, {{kX}, {}}, atoms), 0);
  EXPECT_EQ(reshard_bytes(whole, {{kY, kZ}, {}}, {{}, {}}, atoms), 3.0 / 4 * 512 * 512 * 4);
  EXPECT_EQ(reshard_bytes(whole, {{kY, kZ}, {}}, {{}, {kY, kZ}}, atoms), 3.0 / 4 * 512 * 128 * 4);
}

TEST(PlanReduction, ScattersWhatIsWantedInPartsAndReducesTheRestForAll) {
  const ReductionPlan plan = plan_reduction({{}, {}}, {kX, kY, kZ}, {{kY, kZ}, {}});
  EXPECT_EQ(plan.scattered, (ArraySplit{{kY, kZ}, {}}));
  EXPECT_EQ(plan.all, Atoms{kX});
}

}  // namespace
}  // namespace hilo::hlo
