// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/pass_list.h"

#include <gtest/gtest.h>

#include <set>

namespace hilo::hlo {
namespace {

TEST(PassList, NamesAreUniqueAndFindTheirPass) {
  std::set<std::string_view> names;
  for (const PassEntry& pass : all_passes()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_EQ(find_pass(pass.name).value().run, pass.run) << pass.name;
  }
}

TEST(PassList, PipelinesAreMadeOfPassesThatHaveAName) {
  for (const auto pipeline : {default_pipeline(), raise_pipeline()}) {
    EXPECT_FALSE(pipeline.empty());
    for (const PassEntry& pass : pipeline) EXPECT_TRUE(find_pass(pass.name).ok()) << pass.name;
    EXPECT_EQ(pipeline.front().name, "normalize_layouts");  // the other passes support row-major arrays only
  }
}

TEST(PassList, SaysWhichNamesThereAre) {
  const Status status = find_pass("simplfy").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("'simplfy'"), std::string::npos);
  EXPECT_NE(status.message().find("Hint: did you mean 'simplify'?"), std::string::npos) << status.message();
}

TEST(PassList, ListsHaveCommasAndBlanks) {
  const std::vector<PassEntry> passes = parse_pass_list(" dce ,cse").value();
  ASSERT_EQ(passes.size(), 2u);
  EXPECT_EQ(passes[0].name, "dce");
  EXPECT_EQ(passes[1].name, "cse");
  EXPECT_TRUE(parse_pass_list("").value().empty());
  EXPECT_FALSE(parse_pass_list("dce,,cse").ok());
}

}  // namespace
}  // namespace hilo::hlo
