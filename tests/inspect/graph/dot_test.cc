// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/dot.h"

#include <gtest/gtest.h>

#include "tests/inspect/graph/example_module.h"

namespace hilo::hlo {
namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Dot, NamesEveryInstructionWithShapeAndSourceLine) {
  const std::string dot = dot_graph(example_module());
  EXPECT_TRUE(holds(dot, "reduce sum\\nf32[4]\\ntrain.cc:41\\ncalls ")) << dot;
  EXPECT_TRUE(holds(dot, "[label=\"tanh root\\nf32[4]\\ntrain.cc:41\\n32 B, 4 transcendental\", penwidth=2];")) << dot;
}

TEST(Dot, EscapesQuotesAndBackslashes) {
  const std::string dot = dot_graph(example_module());
  EXPECT_TRUE(holds(dot, "digraph \"m\\\"1\" {")) << dot;
  EXPECT_TRUE(holds(dot, "x<&\\\"'\\\\>")) << dot;
}

TEST(Dot, DrawsOperandsAndCalls) {
  const std::string dot = dot_graph(example_module());
  EXPECT_TRUE(holds(dot, "subgraph cluster_0 {")) << dot;
  EXPECT_TRUE(holds(dot, "subgraph cluster_1 {")) << dot;
  EXPECT_TRUE(holds(dot, "  c1_0 -> c1_2;\n")) << dot;
  EXPECT_TRUE(holds(dot, "  c0_2 -> c1_2 [style=dashed];\n")) << dot;
}

TEST(Dot, DrawsAFusedRegionAsAClusterThatEdgesLeadInto) {
  const Module module = softmax_module();
  const std::string dot = dot_graph(module, groups_of(module, {{"row kernel y", {"shifted", "grown", "total", "y"}}}));
  EXPECT_TRUE(holds(dot, "  subgraph cluster_2 {\n    label=\"main\";\n")) << dot;
  EXPECT_TRUE(holds(dot, "    subgraph cluster_3 {\n    label=\"row kernel y\\n")) << dot;
  EXPECT_TRUE(holds(dot, "c3_3 [label=\"subtract shifted\\nf32[4,8]\\nmodel.cc:20")) << dot;
  EXPECT_TRUE(holds(dot, "  c2_0 -> c3_3;\n")) << "x is read within the region\n" << dot;
  EXPECT_FALSE(holds(dot, "[label=\"row kernel y")) << "the region's own box is the cluster\n" << dot;
}

}  // namespace
}  // namespace hilo::hlo
