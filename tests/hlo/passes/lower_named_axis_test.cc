// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/hlo/ops/collective.h"
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

/// Names of the entry's collectives and replica ids, in order.
std::string meetings(const Module& module) {
  std::string names;
  for (const Instruction& i : module.entry->instructions()) {
    if (is_collective(i.opcode) || i.opcode == Opcode::kReplicaId) names += std::string(opcode_name(i.opcode)) + ";";
  }
  return names;
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
  // The remaining instructions have no named axis.
  EXPECT_EQ(
      lower_extensions(module).status().to_string(),
      "INVALID_ARGUMENT: hilo.psum 'other': unbound axis name: j. Hint: hilo.psum needs a surrounding vmap or pmap "
      "with that axis_name");
}

TEST(LowerNamedAxis, LeavesAProgramWithoutTheAxisAsItIs) {
  Module module = parsed(
      "HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT s = f32[4] hilo.psum(x), axis_name=j, "
      "axis_size=3\n}");
  const ComputationPtr before = module.entry;
  const StatusOr<bool> changed = lower_named_axis(module, "i", 2);
  ASSERT_TRUE(changed.ok()) << changed.status().to_string();
  EXPECT_FALSE(*changed);
  EXPECT_EQ(module.entry, before);
}

TEST(LowerNamedAxis, GoesIntoComputationsThatAreCalled) {
  Module module = parsed(R"(
HloModule m
body {
  x = f32[] parameter(0)
  ROOT s = f32[] hilo.psum(x), axis_name=i, axis_size=2
}
ENTRY main {
  x = f32[] parameter(0)
  ROOT c = f32[] call(x), to_apply=body
})");
  ASSERT_TRUE(lower_named_axis(module, "i", 2).ok());
  EXPECT_NE(print_module(module).find("f32[] all-reduce(%x), replica_groups={{0,1}}, to_apply="), std::string::npos)
      << print_module(module);
}

}  // namespace
}  // namespace hilo::hlo
