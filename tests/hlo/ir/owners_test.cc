// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/owners.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

TEST(Owners, AreTheComputationsThatInstructionsStandIn) {
  const StatusOr<Module> module = parse_module(
      "HloModule m\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\n"
      "ENTRY main {\n  x = f32[3] parameter(0)\n  z = f32[] constant(0)\n"
      "  ROOT y = f32[] reduce(x, z), dimensions={0}, to_apply=sum\n}\n");
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const Owners owners = owners_of(*module);
  EXPECT_EQ(owners.size(), 6);
  for (const ComputationPtr& computation : computations_of(*module)) {
    for (const Instruction& i : computation->instructions()) EXPECT_EQ(owners.at(&i), computation.get()) << i.name;
  }
}

}  // namespace
}  // namespace hilo::hlo
