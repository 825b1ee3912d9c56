// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/html.h"

#include <gtest/gtest.h>

#include "tests/inspect/graph/example_module.h"

namespace hilo::hlo {
namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

size_t count(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

/// The JSON in the page's script tag.
std::string data_of(const std::string& page) {
  constexpr std::string_view kBegin = "<script type=\"application/json\">";
  const size_t begin = page.find(kBegin) + kBegin.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(Html, NamesEveryInstructionWithShapeSourceLineAndCost) {
  const std::string data = data_of(html_graph(example_module(), "step"));
  EXPECT_TRUE(holds(data, R"(["reduce sum","f32[4]","train.cc:41",")")) << data;
  EXPECT_TRUE(holds(data, R"(["tanh root","f32[4]","train.cc:41","32 B, 4 transcendental","elementwise",2,[2],[]])"))
      << data;
  EXPECT_EQ(count(data, "\n["), 7u) << "4 of the entry, 3 of the reducer";
}

TEST(Html, LeadsFromCallsToWhatTheyCall) {
  const std::string page = html_graph(example_module(), "step");
  EXPECT_TRUE(holds(data_of(page), R"("other",1,[0,1],[0]])")) << page;
  EXPECT_TRUE(holds(data_of(page), R"({"entry":1,"computations":[)")) << page;
  EXPECT_TRUE(holds(page, "<p>7 instructions in 2 computations.")) << page;
}

TEST(Html, AFusedRegionIsASheetThatItsBoxOpens) {
  const Module module = softmax_module();
  const std::string page =
      html_graph(module, "step", groups_of(module, {{"row kernel y", {"shifted", "grown", "total", "y"}}}));
  const std::string data = data_of(page);
  EXPECT_TRUE(holds(data, R"({"name":"row kernel y","cost":")")) << data;
  EXPECT_TRUE(holds(data, R"("region":true)")) << data;
  EXPECT_TRUE(holds(data, R"(["row kernel y","f32[4,8]","model.cc:21",")")) << data;
  EXPECT_TRUE(holds(data, R"("region",2,[2,0],[3]])")) << "reads x and row_max, opens sheet 3\n" << data;
  EXPECT_TRUE(holds(data, R"(["x","f32[4,8]","","","input",1,[],[]])")) << data;
  EXPECT_TRUE(holds(page, "16 instructions in 3 computations, 1 fused region.")) << page;
}

TEST(Html, EscapesNamesAndTitle) {
  const std::string page = html_graph(example_module(), "<b>&");
  EXPECT_TRUE(holds(page, "<title>&lt;b&gt;&amp;</title>")) << page;
  EXPECT_TRUE(holds(data_of(page), R"("parameter x\u003c\u0026\"'\\>")")) << page;
  EXPECT_EQ(html_escaped(std::string_view("a\x01"
                                          "b\x7f",
                                          4)),
            "a b ");
}

TEST(Html, HoldsNoAddressWhateverTheNames) {
  const std::string page = html_graph(example_module(), "https");
  EXPECT_FALSE(holds(page, "http")) << page;
  EXPECT_TRUE(holds(data_of(page), R"("constant \u0068ttp://zero")")) << page;
}

}  // namespace
}  // namespace hilo::hlo
