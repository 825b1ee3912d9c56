// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/module.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

const std::string kCalls =
    "inner { p = f32[] parameter(0)  ROOT n = f32[] negate(p) }\nouter { p = f32[] parameter(0)  ROOT c = f32[] "
    "call(p), to_apply=inner }\n"
    "ENTRY e {\n  x = f32[] parameter(0)\n  a = f32[] call(x), to_apply=outer\n  ROOT b = f32[] call(a), "
    "to_apply=inner\n}\n";

Module calls(const std::string& header = {}) { return parse_module("HloModule m" + header + "\n" + kCalls).value(); }

TEST(Module, CalledComputationsComeFirstAndOnce) {
  std::string names;
  for (const ComputationPtr& c : computations_of(calls())) names += c->name() + " ";
  EXPECT_EQ(names, "inner outer e ");
  EXPECT_EQ(instruction_count(calls()), 7);
}

TEST(Module, EachComputationIsRewrittenOnce) {
  Module module = calls();
  int seen = 0;
  const auto same = rewrite_computations(module, [&](const ComputationPtr& c) -> StatusOr<ComputationPtr> {
    ++seen;
    return c;
  });
  EXPECT_FALSE(same.value());
  EXPECT_EQ(seen, 3);
}

TEST(Module, AnErrorOfTheRewriteEndsIt) {
  Module module = calls();
  const ComputationPtr before = module.entry;
  const auto failed = rewrite_computations(
      module, [](const ComputationPtr&) -> StatusOr<ComputationPtr> { return invalid_argument("no"); });
  EXPECT_EQ(failed.status().message(), "no");
  EXPECT_EQ(module.entry, before);
}

TEST(Module, FactsOfTheEntryMustFitIt) {
  Module module = calls();
  EXPECT_TRUE(check_entry_facts(module).ok());
  module.aliases = {{{}, 1, {}, false}};
  EXPECT_EQ(check_entry_facts(module).code(), StatusCode::kInvalidArgument);
  module.aliases = {{{}, 0, {}, true}};
  EXPECT_TRUE(check_entry_facts(module).ok());
  module.entry_parameter_layouts = std::vector<Shape>{};
  EXPECT_EQ(check_entry_facts(module).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::hlo
