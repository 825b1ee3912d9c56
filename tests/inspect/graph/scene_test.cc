// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/scene.h"

#include <gtest/gtest.h>

#include "tests/inspect/graph/example_module.h"

namespace hilo::hlo::graph {
namespace {

using Named = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// "x | row_max <x | kernel <x row_max": the last word of each title, and the nodes that it reads.
std::string sheet_text(const Scene& scene, uint32_t number) {
  const Sheet& sheet = scene.sheets[number];
  const auto last_word = [&](uint32_t n) {
    const std::string& title = sheet.nodes[n].label.title;
    return title.substr(title.find_last_of(' ') + 1);
  };
  std::string text;
  for (uint32_t n = 0; n < sheet.nodes.size(); ++n) {
    text += (n == 0 ? "" : " | ") + last_word(n);
    for (size_t k = 0; k < sheet.nodes[n].operands.size(); ++k)
      text += (k == 0 ? " <" : " ") + last_word(sheet.nodes[n].operands[k].node);
  }
  return text;
}

Scene scene_with(const Module& module, const Named& named) { return scene_of(module, groups_of(module, named)); }

Module module_of(const std::string& body) { return *parse_module("HloModule m\n\nENTRY main {\n" + body + "}\n"); }

TEST(Scene, WithoutGroupsANodesPlaceIsItsInstructionsId) {
  const Module module = softmax_module();
  const Scene scene = scene_of(module);
  const Sheet& entry = scene.sheets[scene.entry];
  ASSERT_EQ(entry.nodes.size(), module.entry->size());
  for (const Instruction& i : module.entry->instructions())
    EXPECT_TRUE(entry.nodes[i.id].label.title.ends_with(" " + i.name)) << entry.nodes[i.id].label.title;
  EXPECT_EQ(scene.region_count(), 0u);
}

TEST(Scene, AViewStandsInTheRegionThatReadsIt) {
  const Scene scene = scene_with(softmax_module(), {{"row kernel y", {"row_max", "shifted", "grown", "total", "y"}}});
  EXPECT_EQ(sheet_text(scene, scene.entry), "x | y <x");
  ASSERT_EQ(scene.region_count(), 1u);
  EXPECT_EQ(
      sheet_text(scene, scene.entry + 1),
      "x | lowest | row_max <x lowest | row_max_wide <row_max | shifted <x row_max_wide | grown <shifted | zero | "
      "total <grown zero | total_wide <total | y <grown total_wide");
  const Sheet& region = scene.sheets[scene.entry + 1];
  EXPECT_EQ(region.owner, scene.entry);
  EXPECT_EQ(scene.sheets[scene.entry].nodes[region.place].region, scene.entry + 1);
  EXPECT_EQ(region.nodes[0].kind, "input");
}

TEST(Scene, TheCostOfARegionHasItsOwnTraffic) {
  const Scene scene = scene_with(softmax_module(), {{"row kernel y", {"row_max", "shifted", "grown", "total", "y"}}});
  EXPECT_EQ(scene.sheets[scene.entry + 1].cost, "120 flop, 100 B, 32 transcendental");
}

TEST(Scene, WhatTwoRegionsComputeStandsInBoth) {
  const Module module = module_of(
      "  x = f32[4] parameter(0)\n  a = f32[4] negate(x)\n  b = f32[4] exponential(a)\n"
      "  c = f32[4] add(b, b)\n  d = f32[4] multiply(a, c)\n  ROOT e = f32[4] subtract(d, x)\n");
  const Scene scene = scene_with(module, {{"map kernel c", {"a", "b", "c"}}, {"map kernel e", {"a", "d", "e"}}});
  EXPECT_EQ(sheet_text(scene, 0), "x | c <x | e <x c");
  EXPECT_EQ(sheet_text(scene, 1), "x | a <x | b <a | c <b b");
  EXPECT_EQ(sheet_text(scene, 2), "x | c | a <x | d <a c | e <d x");
}

TEST(Scene, AnOperandThatARegionMakesNamesTheInstructionWithin) {
  const Module module = module_of(
      "  x = f32[4] parameter(0)\n  a = f32[4] negate(x)\n  b = f32[4] exponential(a)\n"
      "  ROOT t = (f32[4], f32[4]) tuple(a, b)\n");
  const Scene scene = scene_with(module, {{"map kernel b", {"a", "b"}}});
  EXPECT_EQ(scene.sheets[0].nodes[2].operands, (std::vector<Source>{{1, 1}, {1, 2}}));
}

TEST(Scene, OneInstructionIsNoRegion) {
  const Module module = module_of(
      "  x = f32[2,2] parameter(0)\n  one = f32[2,2] constant({{1,2},{3,4}})\n"
      "  y = f32[2,2] dot(x, one), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT z = f32[2,2] negate(y)\n");
  const Scene scene = scene_with(module, {{"dot y", {"y"}}, {"map kernel z", {"z"}}});
  EXPECT_EQ(scene.region_count(), 0u);
  EXPECT_EQ(scene.sheets[0].nodes[2].kind, "library");
  EXPECT_EQ(scene.sheets[0].nodes[3].kind, "elementwise");
}

TEST(Scene, RegionsThatWouldWaitForEachOtherAreNotDrawn) {
  const Module module = module_of(
      "  x = f32[4] parameter(0)\n  a = f32[4] negate(x)\n  b = f32[4] exponential(a)\n"
      "  c = f32[4] tanh(b)\n  ROOT d = f32[4] cosine(c)\n");
  const Scene scene = scene_with(module, {{"map kernel c", {"a", "c"}}, {"map kernel d", {"b", "d"}}});
  EXPECT_EQ(sheet_text(scene, 0), "x | a <x | b <a | c <b | d <c");
}

TEST(Scene, ARegionThatWaitsForACircleIsDrawnYet) {
  const Module module = module_of(
      "  x = f32[4] parameter(0)\n  a = f32[4] negate(x)\n  b = f32[4] exponential(a)\n"
      "  c = f32[4] tanh(b)\n  d = f32[4] cosine(c)\n  e = f32[4] sine(d)\n  ROOT f = f32[4] log(e)\n");
  const Scene scene =
      scene_with(module, {{"map kernel c", {"a", "c"}}, {"map kernel d", {"b", "d"}}, {"map kernel f", {"e", "f"}}});
  EXPECT_EQ(sheet_text(scene, 0), "x | a <x | b <a | c <b | d <c | f <d");
}

TEST(Scene, KernelsThatWritePartsOfOneValueAreOneRegion) {
  const Module module = module_of(
      "  x = f32[4] parameter(0)\n  a = f32[4] negate(x)\n  b = f32[4] exponential(x)\n"
      "  ROOT c = f32[8] concatenate(a, b), dimensions={0}\n");
  const Scene scene = scene_with(module, {{"map kernel c", {"a", "c"}}, {"map kernel c", {"b", "c"}}});
  EXPECT_EQ(sheet_text(scene, 0), "x | c <x");
  EXPECT_EQ(sheet_text(scene, 1), "x | a <x | b <x | c <a b");
  EXPECT_EQ(scene.sheets[1].cost, "4 flop, 200 B, 4 transcendental");
}

TEST(Scene, AGroupOfALoopsBodyIsDrawnThereOnce) {
  const Module module = *parse_module(
      "HloModule m\n\nbody {\n  a = f32[4] parameter(0)\n  b = f32[4] negate(a)\n  ROOT c = f32[4] tanh(b)\n}\n"
      "condition {\n  a = f32[4] parameter(0)\n  ROOT p = pred[] constant(false)\n}\n"
      "ENTRY main {\n  x = f32[4] parameter(0)\n  ROOT w = f32[4] while(x), condition=condition, body=body\n}\n");
  const Computation& body = *computations_of(module)[0];
  const InstructionGroup group{"map kernel c", {&body.instruction(1), &body.instruction(2)}, 32};
  const Scene scene = scene_of(module, std::vector{group, group});
  EXPECT_EQ(scene.region_count(), 1u);
  EXPECT_EQ(sheet_text(scene, 0), "a | c <a");
  EXPECT_EQ(sheet_text(scene, scene.entry), "x | w <x");
}

}  // namespace
}  // namespace hilo::hlo::graph
