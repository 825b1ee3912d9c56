// SPDX-License-Identifier: Apache-2.0
// Reductions to one value, split into parts.
#include "hilo/engine/region_split.h"

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// "4 parts of 16384 from -0, then 4" for a reduction of all of x; "" if it isn't split.
std::string split_of(const std::string& type, int64_t elements, const std::string& op) {
  const std::string zero = type == "pred" ? "false" : "0";
  const hlo::Module module = parsed(fmt::format(
      "HloModule m\n\nf {{\n a = {0}[] parameter(0)\n b = {0}[] parameter(1)\n ROOT s = {0}[] {2}(a, b)\n}}\n"
      "ENTRY main {{\n x = {0}[{1}] parameter(0)\n zero = {0}[] constant({3})\n"
      " ROOT s = {0}[] reduce(x, zero), dimensions={{0}}, to_apply=f\n}}\n",
      type, elements, op, zero));
  const RegionGraph formed = *form_regions(*build_graph(*module.entry), kTestCosts);
  const std::optional<SplitRegion> split = split_reduction(formed.regions.at(0));
  if (!split) return "";
  const Region& parts = split->parts;
  EXPECT_EQ(split->whole.extents, std::vector<int64_t>{parts.extents[0]});
  EXPECT_EQ(split->first_partial, 1U);
  EXPECT_EQ(parts.outputs.size(), split->partial_bytes.size());
  std::string from;
  for (const RegionNode& n : parts.nodes) {
    if (n.kind == NodeKind::kConstant) from = fmt::format(" from {:x}", n.bits);
  }
  return fmt::format("{} parts of {}{}, {} bytes", parts.extents[0], parts.extents[1], from, split->partial_bytes[0]);
}

TEST(RegionSplit, PartsAreAsManyAsDivideTheRow) {
  EXPECT_EQ(split_of("f32", 1 << 16, "add"), "4 parts of 16384 from 80000000, 16 bytes");
  EXPECT_EQ(split_of("f32", 3 << 15, "add"), "6 parts of 16384 from 80000000, 24 bytes");
  EXPECT_EQ(split_of("f32", (1 << 15) + 1, "add"), "") << "3 * 10923 is too small";
  EXPECT_EQ(split_of("f32", 1 << 14, "add"), "");
}

TEST(RegionSplit, EachPartBeginsWithTheNeutralElement) {
  EXPECT_EQ(split_of("f64", 1 << 15, "multiply"), "2 parts of 16384 from 3ff0000000000000, 16 bytes");
  EXPECT_EQ(split_of("s32", 1 << 15, "add"), "2 parts of 16384 from 0, 8 bytes");
  EXPECT_EQ(split_of("s32", 1 << 15, "xor"), "2 parts of 16384 from 0, 8 bytes");
  EXPECT_EQ(split_of("c64", 1 << 15, "add"), "2 parts of 16384 from 8000000080000000, 16 bytes");
  EXPECT_EQ(split_of("s32", 1 << 15, "maximum"), "2 parts of 16384 from 0, 8 bytes") << "its own initial value";
}

TEST(RegionSplit, WhatWouldBeRoundedOnTheWayIsOneLoop) {
  EXPECT_EQ(split_of("f16", 1 << 16, "add"), "");
  EXPECT_EQ(split_of("c128", 1 << 16, "add"), "");
  EXPECT_EQ(split_of("f32", 1 << 16, "subtract"), "") << "of no kind";
  EXPECT_EQ(split_of("f32", 1 << 24, "multiply"), "16 parts of 1048576 from 3f800000, 64 bytes");
}

}  // namespace
}  // namespace hilo::engine
