// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/svg.h"

#include <gtest/gtest.h>

#include "tests/inspect/graph/example_module.h"

namespace hilo::hlo {
namespace {

size_t count(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST(Svg, DrawsEveryComputationTheEntryFirst) {
  const std::string svg = svg_graph(softmax_module());
  EXPECT_EQ(count(svg, "<rect class="), 16u) << "an instruction a box\n" << svg;
  EXPECT_LT(svg.find(">main ("), svg.find(">sum ("));
  EXPECT_LT(svg.find(">sum ("), svg.find(">maximum ("));
  EXPECT_EQ(svg, svg_graph(softmax_module()));
}

TEST(Svg, AFusedRegionHoldsItsInstructions) {
  const Module module = softmax_module();
  const std::string svg = svg_graph(module, groups_of(module, {{"row kernel y", {"shifted", "grown", "total", "y"}}}));
  EXPECT_EQ(count(svg, "<rect class=\"region root\""), 1u) << svg;
  EXPECT_EQ(count(svg, "<rect class=\"input\""), 2u) << svg;
  EXPECT_EQ(count(svg, ">row kernel y ("), 1u) << svg;
  EXPECT_EQ(count(svg, ">model.cc:20<"), 1u) << svg;
}

TEST(Svg, EscapesNames) {
  const std::string svg = svg_graph(example_module());
  EXPECT_EQ(count(svg, "parameter x&lt;&amp;&quot;&#39;\\&gt;"), 1u) << svg;
}

}  // namespace
}  // namespace hilo::hlo
