// SPDX-License-Identifier: Apache-2.0
// No pass merges, drops, moves or folds collectives or ops whose result depends on the replica.
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

/// Opcodes of collectives and replica ids, in order, over all computations.
std::string meetings(const Module& module) {
  std::string text;
  for (const ComputationPtr& c : computations_of(module)) {
    for (const Instruction& i : c->instructions()) {
      if (is_collective(i.opcode) || i.opcode == Opcode::kReplicaId) text += std::string(opcode_name(i.opcode)) + ";";
    }
  }
  return text;
}

/// Checks every pass alone, twice, and the default pipeline.
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
  // The operand is loop-invariant, yet every iteration runs the collective. The result is unused.
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

}  // namespace
}  // namespace hilo::hlo
