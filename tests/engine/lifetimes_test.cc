// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/lifetimes.h"

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// "0: sine+add; 1: sort | v0 ..1, v1 caller": the steps in order, and the last step that reads each value.
std::string lifetimes(const std::string& text) {
  const hlo::Module module = parsed("HloModule m\n\n" + text);
  const StatusOr<Graph> graph = build_graph(*module.entry);
  EXPECT_TRUE(graph.ok());
  const RegionGraph regions = *form_regions(*graph, kTestCosts);
  const Lifetimes found = lifetimes_of(*graph, regions);
  std::string out;
  for (size_t i = 0; i < found.items.size(); ++i) {
    const Item& item = found.items[i];
    out += (i == 0 ? "" : "; ") + std::to_string(i) + ":";
    if (!item.is_region) {
      out += " [" + std::string(graph->nodes[item.index].instruction->def().name) + "]";
      continue;
    }
    for (const RegionNode& node : regions.regions[item.index].nodes) {
      if (node.instruction != nullptr) out += " " + std::string(node.instruction->def().name);
    }
  }
  out += " |";
  for (size_t v = 0; v < found.last_use.size(); ++v) {
    const int64_t last = found.last_use[v];
    if (last == kNeverRead) continue;
    out += " v" + std::to_string(v) + (last == kReadByCaller ? " caller" : " .." + std::to_string(last));
  }
  return out;
}

TEST(Lifetimes, AFusedProgramIsOneItem) {
  EXPECT_EQ(lifetimes("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n ROOT z = f32[8] add(y, y)\n}\n"),
            "0: sine add | v0 ..0 v2 caller");
}

TEST(Lifetimes, ALibraryCallReadsWhatARegionMade) {
  EXPECT_EQ(lifetimes("less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                      " ROOT c = pred[] compare(a, b), direction=LT\n}\n"
                      "ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n"
                      " s = f32[8] sort(y), dimensions={0}, to_apply=less\n ROOT z = f32[8] add(s, x)\n}\n"),
            "0: sine; 1: [sort]; 2: add | v0 ..2 v1 ..1 v2 ..2 v3 caller");
}

TEST(Lifetimes, ACallWithoutResultsRunsBehindWhatItReadsAndInItsPlace) {
  const std::string call = ", custom_call_target=\"f\", custom_call_has_side_effect=true\n";
  EXPECT_EQ(lifetimes("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n c = () custom-call(y)" + call +
                      " z = f32[8] add(y, y)\n d = () custom-call(z)" + call + " e = () custom-call(x)" + call +
                      " ROOT w = f32[8] negate(z)\n}\n"),
            "0: sine; 1: add; 2: [custom-call]; 3: negate; 4: [custom-call]; 5: [custom-call] | v0 ..5 v1 ..2 v2 ..4 "
            "v3 caller");
}

TEST(Lifetimes, AResultIsReadByTheCallerHoweverEarlyItIsMade) {
  EXPECT_EQ(lifetimes("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n"
                      " ROOT t = (f32[8], f32[8]) tuple(y, x)\n}\n"),
            "0: sine | v0 caller v1 caller");
}

}  // namespace
}  // namespace hilo::engine
