// SPDX-License-Identifier: Apache-2.0
// No pass merges, drops, moves or folds what makes replicas meet or tells them apart.
#include <gtest/gtest.h>

#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/passes/pass_list.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {
namespace {

Module parsed(std::string_view text) {
  StatusOr<Module> module = parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return *std::move(module);
}

/// Opcodes that have to do with replicas, in order, over all computations.
std::string meetings(const Module& module) {
  std::string text;
  for (const ComputationPtr& c : computations_of(module)) {
    for (const Instruction& i : c->instructions()) {
      if (is_collective(i.opcode) || i.opcode == Opcode::kReplicaId) text += std::string(opcode_name(i.opcode)) + ";";
    }
  }
  return text;
}

/// After every pass alone, twice, and after the default pipeline.
void expect_kept(std::string_view text, const std::string& wanted) {
  for (const PassEntry& pass : all_passes()) {
    Module module = parsed(text);
    for (int turn = 0; turn < 2; ++turn) {
      const StatusOr<bool> changed = pass.run(module);
      ASSERT_TRUE(changed.ok()) << pass.name << ": " << changed.status().to_string();
    }
    EXPECT_EQ(meetings(module), wanted) << pass.name << "\n" << print_module(module);
  }
  Module module = parsed(text);
  for (const PassEntry& pass : default_pipeline()) ASSERT_TRUE(pass.run(module).ok()) << pass.name;
  EXPECT_EQ(meetings(module), wanted) << print_module(module);
}

constexpr std::string_view kAdd = R"(
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}
)";

TEST(CollectivesInPasses, AreKeptThoughEqualUnusedOrOfConstants) {
  expect_kept(std::string("HloModule m\n") + std::string(kAdd) + R"(
ENTRY main {
  x = f32[4] parameter(0)
  c = f32[4] constant({1, 2, 3, 4})
  first = f32[4] all-reduce(x), replica_groups={}, to_apply=add
  unused = f32[8] all-gather(x), replica_groups={{0,1}}, dimensions={0}
  again = f32[4] all-reduce(x), replica_groups={}, to_apply=add
  known = f32[4] collective-permute(c), source_target_pairs={{0,1}}
  part = f32[2] reduce-scatter(c), replica_groups={{0,1}}, dimensions={0}, to_apply=add
  turned = f32[4] all-to-all(c), replica_groups={{0,1}}, dimensions={0}
  same = f32[4] collective-broadcast(c), replica_groups={{0,1}}
  ROOT r = f32[4] add(first, again)
})",
              "all-reduce;all-gather;all-reduce;collective-permute;reduce-scatter;all-to-all;collective-broadcast;");
}

TEST(CollectivesInPasses, StayInTheirLoop) {
  // The operand never changes, yet every turn is a collective; the result is unused.
  expect_kept(std::string("HloModule m\n") + std::string(kAdd) + R"(
body {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[4] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  met = f32[4] all-reduce(x), replica_groups={}, to_apply=add
  ROOT r = (s32[], f32[4]) tuple(next, x)
}
condition {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[4] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[4]) tuple(zero, x)
  loop = (s32[], f32[4]) while(init), condition=condition, body=body
  ROOT result = s32[] get-tuple-element(loop), index=0
})",
              "all-reduce;");
}

TEST(CollectivesInPasses, ReplicaIdIsNoConstant) {
  expect_kept(R"(
HloModule m
by_replica {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  id = u32[] replica-id()
  factor = f32[] convert(id)
  sum = f32[] add(x, y)
  ROOT r = f32[] add(sum, factor)
}
ENTRY main {
  c = f32[4] constant({1, 2, 3, 4})
  zero = f32[] constant(0)
  reduced = f32[] reduce(c, zero), dimensions={0}, to_apply=by_replica
  id = u32[] replica-id()
  one = u32[] constant(1)
  next = u32[] add(id, one)
  ROOT r = (f32[], u32[]) tuple(reduced, next)
})",
              "replica-id;replica-id;");
}

TEST(LowerNamedAxis, TurnsNamesIntoCollectivesOfAllReplicas) {
  Module module = parsed(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  sum = f32[4] hilo.psum(x), axis_name=i, axis_size=2
  most = f32[4] hilo.pmax(x), axis_name=i, axis_size=2
  least = f32[4] hilo.pmin(x), axis_name=i, axis_size=2
  all = f32[4,2] hilo.all_gather(x), axis_name=i, axis_size=2, dimension=1
  next = f32[4] hilo.ppermute(x), axis_name=i, axis_size=2, permutation={{0,1}}
  me = s32[] hilo.axis_index(), axis_name=i, axis_size=2
  own = f32[4] hilo.psum_scatter(all), axis_name=i, axis_size=2, dimension=1
  turned = f32[2,4] hilo.all_to_all(all), axis_name=i, axis_size=2, split=1, concat=0
  other = f32[4] hilo.psum(x), axis_name=j, axis_size=3
  ROOT r = (f32[4], f32[4], f32[4], f32[4,2], f32[4], s32[], f32[4], f32[2,4], f32[4])
    tuple(sum, most, least, all, next, me, own, turned, other)
})");
  const StatusOr<bool> changed = lower_named_axis(module, "i", 2);
  ASSERT_TRUE(changed.ok()) << changed.status().to_string();
  EXPECT_TRUE(*changed);
  EXPECT_EQ(meetings(module),
            "all-reduce;all-reduce;all-reduce;all-gather;collective-permute;replica-id;"
            "reduce-scatter;all-to-all;");
  const std::string text = print_module(module);
  EXPECT_NE(text.find("replica_groups={{0,1}}, to_apply=%maximum"), std::string::npos) << text;
  EXPECT_NE(text.find("f32[4,2]{1,0} all-gather(%reshape"), std::string::npos) << text;
  EXPECT_NE(text.find("f32[4,1]{1,0} reduce-scatter(%all-gather"), std::string::npos) << text;
  EXPECT_NE(text.find("f32[2,4]{1,0} transpose(%all-to-all"), std::string::npos) << text;
  EXPECT_NE(text.find("source_target_pairs={{0,1}}"), std::string::npos) << text;
  EXPECT_NE(text.find("hilo.psum(%x), axis_name=j"), std::string::npos) << text;
  // What is left has no meaning of its own.
  EXPECT_EQ(
      lower_extensions(module).status().to_string(),
      "INVALID_ARGUMENT: hilo.psum 'other': unbound axis name: j. Hint: hilo.psum needs a surrounding vmap or pmap "
      "with that axis_name");
}

}  // namespace
}  // namespace hilo::hlo
