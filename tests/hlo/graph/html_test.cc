// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/graph/html.h"

#include <gtest/gtest.h>

#include "tests/hlo/graph/example_module.h"

namespace hilo::hlo {
namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

size_t count(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST(Html, NamesEveryInstructionWithShapeAndSourceLine) {
  const std::string page = html_graph(example_module(), "step");
  EXPECT_TRUE(holds(page, "<title>reduce sum f32[4]\ntrain.cc:41\ncalls ")) << page;
  EXPECT_TRUE(holds(page, "<title>tanh root f32[4]\ntrain.cc:41</title>")) << page;
  EXPECT_EQ(count(page, "class=\"node\""), 7u) << "4 of the entry, 3 of the reducer";
}

TEST(Html, DrawsOneEdgeAnOperand) { EXPECT_EQ(count(svg_graph(*example_module().entry), "<path "), 3u); }

TEST(Html, FoldsCalledComputationsBelowTheEntry) {
  const Module module = example_module();
  const std::string page = html_graph(module, "step");
  EXPECT_EQ(count(page, "<details>"), 1u);
  EXPECT_LT(page.find("<details open><summary>main (4 instructions)"), page.find("<details><summary>"));
  EXPECT_TRUE(holds(page, "<p>7 instructions in 2 computations.")) << page;
}

TEST(Html, EscapesNamesAndTitle) {
  const std::string page = html_graph(example_module(), "<b>&");
  EXPECT_TRUE(holds(page, "<title>&lt;b&gt;&amp;</title>")) << page;
  EXPECT_TRUE(holds(page, "x&lt;&amp;&quot;&#39;\\&gt;")) << page;
  EXPECT_EQ(html_escaped(std::string_view("a\x01"
                                          "b\x7f",
                                          4)),
            "a b ");
}

TEST(Html, HoldsNoAddressWhateverTheNames) {
  const std::string page = html_graph(example_module(), "https");
  EXPECT_FALSE(holds(page, "http")) << page;
  EXPECT_TRUE(holds(page, "constant &#104;ttp://zero")) << page;
}

TEST(Html, ShortensLongLinesBetweenCharacters) {
  Builder builder("long");
  const InstructionId x = builder.parameter(Shape::scalar(ElementType::kF32), "aaaaaaaaaaaaaa\xc3\xa9\xc3\xa9\xc3\xa9");
  const std::string svg = svg_graph(*std::move(builder).build(x).value());
  EXPECT_TRUE(holds(svg, ">parameter aaaaaaaaaaaaaa..</text>")) << svg;
}

TEST(Html, ProgramWithOneInstructionIsOneBox) {
  Builder builder("one");
  const InstructionId x = builder.parameter(Shape::scalar(ElementType::kF32), "x");
  const std::string svg = svg_graph(*std::move(builder).build(x).value());
  EXPECT_EQ(count(svg, "<rect "), 1u);
  EXPECT_EQ(count(svg, "<path "), 0u);
}

}  // namespace
}  // namespace hilo::hlo
