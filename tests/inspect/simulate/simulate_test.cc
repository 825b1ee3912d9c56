// SPDX-License-Identifier: Apache-2.0
// Small programs with times computed by hand.
#include "hilo/inspect/simulate/simulate.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

/// 1000 operations and 10,000 bytes per second. Messages have a latency of 1 s and take 1/100 s per byte.
Machine slow_machine() { return {1000, 100, 10000, {Topology::kRing, 1, 100, 8, 1}}; }

Simulation simulated(std::string_view text, int64_t devices = 4) {
  const StatusOr<Module> module = parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return simulate(*module, devices, slow_machine());
}

TEST(Simulate, DotsTakeTheirOperationsOrTheirBytes) {
  // 2 * 10 * 10 * 10 operations.
  const Simulation dot = simulated(R"(HloModule m
ENTRY main {
  a = f32[10,10] parameter(0)
  b = f32[10,10] parameter(1)
  ROOT d = f32[10,10] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  EXPECT_DOUBLE_EQ(dot.seconds, 2);
  EXPECT_DOUBLE_EQ(dot.computing, 2);
  EXPECT_EQ(dot.sending, 0);
  ASSERT_EQ(dot.critical_path.size(), 1u);
  EXPECT_FALSE(dot.critical_path[0].communicates);
}

TEST(Simulate, ElementwiseOpsInOneLoopReadAndWriteOnce) {
  // 2 operations on 1000 elements each: 1 s each. 1000 numbers in and out: 8000 bytes, 0.8 s. The first op only reads
  // memory and the second only writes, so their operations dominate.
  const Simulation chain = simulated(R"(HloModule m
ENTRY main {
  a = f32[1000] parameter(0)
  b = f32[1000] negate(a)
  ROOT c = f32[1000] add(b, b)
})");
  EXPECT_DOUBLE_EQ(chain.seconds, 2);
  EXPECT_DOUBLE_EQ(chain.computing, 2);
}

constexpr char kOverlap[] = R"(HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
ENTRY main {
  a = f32[100] parameter(0)
  r = f32[100] all-reduce(a), replica_groups={{0,1,2,3}}, to_apply=add
  m = f32[1000] parameter(1)
  n = f32[1000] negate(m)
  o = f32[1000] abs(n)
  ROOT t = (f32[100], f32[1000]) tuple(r, o)
})";

TEST(Simulate, CollectivesOverlapWithWhatDoesntNeedThem) {
  // All-reduce: 2 * (3 * 1 s + 3/4 * 400 bytes / 100) = 12 s, in parallel with 2 s of operations.
  const Simulation both = simulated(kOverlap);
  EXPECT_DOUBLE_EQ(both.sending, 12);
  EXPECT_DOUBLE_EQ(both.computing, 2);
  EXPECT_DOUBLE_EQ(both.seconds, 12);
  EXPECT_DOUBLE_EQ(both.link_bytes.at(Opcode::kAllReduce), 600);
  ASSERT_EQ(both.critical_path.size(), 1u);
  EXPECT_TRUE(both.critical_path[0].communicates);
  EXPECT_NE(both.critical_path[0].instruction.find("all-reduce"), std::string::npos);
}

TEST(Simulate, WhatNeedsACollectiveWaitsForIt) {
  const Simulation after = simulated(R"(HloModule m
ENTRY main {
  a = f32[250] parameter(0)
  g = f32[1000] all-gather(a), replica_groups={}, dimensions={0}
  ROOT n = f32[1000] negate(g)
})");
  // (3 + 3000 / 100) s, then 1 s. `replica_groups={}` means all 4 devices.
  EXPECT_DOUBLE_EQ(after.seconds, 34);
  ASSERT_EQ(after.critical_path.size(), 2u);
  EXPECT_TRUE(after.critical_path[0].communicates);
  EXPECT_DOUBLE_EQ(after.critical_path[1].seconds, 1);
}

TEST(Simulate, LoopsTakeTheirBodyAsOftenAsTheyRun) {
  const Simulation loop = simulated(R"(HloModule m
body {
  c = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  x = f32[1000] get-tuple-element(c), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  moved = f32[1000] collective-permute(x), source_target_pairs={{0,1},{1,0}}
  ROOT t = (s32[], f32[1000]) tuple(next, moved)
}
condition {
  c = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(5)
  ROOT p = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[1000] parameter(0)
  zero = s32[] constant(0)
  c = (s32[], f32[1000]) tuple(zero, x)
  ROOT w = (s32[], f32[1000]) while(c), condition=condition, body=body
})");
  EXPECT_DOUBLE_EQ(loop.sending, 5 * (1 + 4000 / 100));
  EXPECT_DOUBLE_EQ(loop.link_bytes.at(Opcode::kCollectivePermute), 5 * 4000);
  EXPECT_NEAR(loop.seconds, 205, 0.02);  // counting and comparing take a thousandth each
  EXPECT_TRUE(loop.exact);
}

TEST(Simulate, LoopsOfUnknownLengthSayThatTheyAre) {
  const Simulation loop = simulated(R"(HloModule m
body {
  x = f32[] parameter(0)
  ROOT h = f32[] negate(x)
}
condition {
  x = f32[] parameter(0)
  zero = f32[] constant(0)
  ROOT p = pred[] compare(x, zero), direction=GT
}
ENTRY main {
  x = f32[] parameter(0)
  ROOT w = f32[] while(x), condition=condition, body=body
})");
  EXPECT_FALSE(loop.exact);
  EXPECT_NE(to_string(loop).find("not exact"), std::string::npos);
}

TEST(Simulate, TextHasTheStepTheBytesAndThePath) {
  const std::string text = to_string(simulated(kOverlap));
  EXPECT_NE(text.find("step 12.000 s: devices compute 2.000 s, links are busy 12.000 s"), std::string::npos) << text;
  EXPECT_NE(text.find("each device sends 600 bytes: 600 in all-reduce"), std::string::npos) << text;
  EXPECT_NE(text.find("links   all-reduce"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo::hlo
