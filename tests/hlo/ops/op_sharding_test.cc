// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/op_sharding.h"

#include <gtest/gtest.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

template <typename T>
concept CanOmitSharding = requires { T{.opcode = Opcode::kAdd, .cost = CostClass::kCheap}; };
static_assert(!CanOmitSharding<OpDef>, "an op without a sharding compiles");

TEST(OpSharding, EachOpHasARuleAndWays) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpDef& def = op_def(static_cast<Opcode>(i));
    EXPECT_EQ(def.opcode, static_cast<Opcode>(i)) << def.name;
    EXPECT_NE(def.sharding.rule, nullptr) << def.name;
    EXPECT_NE(def.sharding.strategies, nullptr) << def.name;
  }
}

/// How the root handles each factor: W(hole), P(art), S(um to be reduced) or its O(wn) form.
std::string ways_of(const std::string& body) {
  const StatusOr<Module> module = parse_module(
      "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e {\n" +
      body + "\n}\n");
  if (!module.ok()) return module.status().to_string();
  const Instruction& root = module->entry->root();
  RuleBuilder rule(root, *module->entry);
  root.def().sharding.rule(rule);
  LocalBuilder builder{root, *module->entry, {rule.rule, {}, {}}};
  builder.op.strategies.assign(rule.rule.factors.size(), LocalStrategy::kWhole);
  builder.op.sizes.assign(rule.rule.factors.size(), 0);
  root.def().sharding.strategies(builder);
  std::string text;
  for (const LocalStrategy way : builder.op.strategies) text += "WPSO"[static_cast<size_t>(way)];
  return text;
}

TEST(OpSharding, FamiliesSayWhatTheyDoOnParts) {
  const auto expect = [](const char* strategies, const char* body) { EXPECT_EQ(ways_of(body), strategies) << body; };
  expect("PP", "x = f32[8,4] parameter(0) ROOT y = f32[8,4] sine(x)");
  expect("PP", "x = f32[8] parameter(0) ROOT y = f32[8,4] broadcast(x), dimensions={0}");
  expect("PP", "x = f32[8,4] parameter(0) ROOT y = f32[4,8] transpose(x), dimensions={1,0}");
  expect("PO", "x = f32[8,4] parameter(0) ROOT y = f32[8,4] reverse(x), dimensions={1}");
  expect("PPS",
         "x = f32[8,4] parameter(0) y = f32[4,2] parameter(1) ROOT z = f32[8,2] dot(x, y), lhs_contracting_dims={1}, "
         "rhs_contracting_dims={0}");
  expect("PS",
         "x = f32[8,4] parameter(0) c = f32[] parameter(1) ROOT y = f32[8] reduce(x, c), dimensions={1}, to_apply=add");
  expect("PO", "x = f32[8,4] parameter(0) ROOT y = f32[8,2] slice(x), slice={[0:8], [1:3]}");
  expect("PW", "x = f32[8,4] parameter(0) c = f32[] parameter(1) ROOT y = f32[8,6] pad(x, c), padding=0_0x1_1");
  expect("WP",
         "x = f32[8,4] parameter(0) y = f32[8,4] parameter(1) ROOT z = f32[16,4] concatenate(x, y), dimensions={0}");
  expect("PO", "x = f32[8,4] parameter(0) ROOT y = f32[8,4] hilo.cumsum(x), axis=1");
  expect("P", "x = f32[8,4,4] parameter(0) ROOT y = f32[8,4,4] cholesky(x), lower=true");
  expect("WW", "x = f32[8,4] parameter(0) ROOT y = f32[8,4] all-reduce(x), replica_groups={}, to_apply=add");
  expect("", "ROOT x = f32[8] iota(), iota_dimension=0");
}

}  // namespace
}  // namespace hilo::hlo
