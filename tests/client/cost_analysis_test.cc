// SPDX-License-Identifier: Apache-2.0
// cost_analysis and Executable::memory_analysis, with numbers computed by hand.
#include "hilo/client/cost_analysis.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

std::unique_ptr<Executable> compiled(const std::string& entry) {
  const StatusOr<hlo::Module> module = hlo::parse_module("HloModule m\n\nENTRY main {\n" + entry + "}\n");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  return *std::move(executable);
}

TEST(Analysis, AFusedKernelNeedsNothingBesideArgumentsAndResult) {
  const auto executable =
      compiled("x = f32[64] parameter(0)\n y = f32[64] exponential(x)\n ROOT z = f32[64] multiply(y, y)\n");
  const MemoryAnalysis memory = executable->memory_analysis();
  EXPECT_EQ(memory.argument_bytes, 256);
  EXPECT_EQ(memory.output_bytes, 256);
  EXPECT_EQ(memory.alias_bytes, 256);
  EXPECT_EQ(memory.temporary_bytes, 0);
  EXPECT_EQ(memory.peak_bytes, 512);
  EXPECT_GT(memory.code_bytes, 0);
  const hlo::Cost cost = *cost_analysis(*executable);
  EXPECT_EQ(cost.flops, 64);
  EXPECT_EQ(cost.transcendentals, 64);
  EXPECT_TRUE(cost.exact);
}

TEST(Analysis, WhatLivesBetweenLibraryCallsIsTemporary) {
  const auto executable = compiled(
      "x = f32[200,200] parameter(0)\n"
      " a = f32[200,200] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      " b = f32[200,200] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      " ROOT c = f32[200,200] dot(b, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  const MemoryAnalysis memory = executable->memory_analysis();
  const int64_t matrix = 200 * 200 * 4;
  EXPECT_EQ(memory.temporary_bytes, 2 * matrix);  // a is live until b is complete, and b until c is
  EXPECT_EQ(memory.peak_bytes, 4 * matrix);
  EXPECT_EQ(cost_analysis(*executable)->flops, 3 * 2.0 * 200 * 200 * 200);
}

}  // namespace
}  // namespace hilo
