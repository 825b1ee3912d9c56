// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/layout.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/inspect/graph/example_module.h"

namespace hilo::hlo::graph {
namespace {

TEST(Layout, PutsUsersBelowOperandsAndNoTwoInOnePlace) {
  const Scene scene = scene_of(example_module());
  const Sheet& entry = scene.sheets[scene.entry];
  const Layout layout = layered_layout(entry);
  std::set<std::pair<int64_t, int64_t>> taken;
  for (size_t n = 0; n < entry.nodes.size(); ++n) {
    const Place& place = layout.places[n];
    EXPECT_TRUE(taken.emplace(place.layer, place.column).second);
    EXPECT_LT(place.layer, layout.layers);
    EXPECT_LT(place.column, layout.columns);
    for (const Source& operand : entry.nodes[n].operands) EXPECT_LT(layout.places[operand.node].layer, place.layer);
  }
  EXPECT_EQ(layout.layers, 3);
}

TEST(Layout, SourcesStandRightAboveTheirFirstUser) {
  Builder builder("late");
  const Shape scalar = Shape::scalar(ElementType::kF32);
  const InstructionId x = builder.parameter(scalar), y = builder.parameter(scalar);
  const InstructionId a = builder.add(Opcode::kTanh, {x}).value(), b = builder.add(Opcode::kTanh, {a}).value();
  const InstructionId root = builder.add(Opcode::kAdd, {b, y}).value();
  Module module;
  module.entry = std::move(builder).build(root).value();
  const Layout layout = layered_layout(scene_of(module).sheets[0]);
  EXPECT_EQ(layout.places[y].layer, layout.places[root].layer - 1);
}

}  // namespace
}  // namespace hilo::hlo::graph
