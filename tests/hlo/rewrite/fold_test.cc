// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/rewrite/fold.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {
namespace {

/// The root's line after folding, for an entry with these lines.
std::string folded(const std::string& lines) {
  const Module module = parse_module("HloModule m\nENTRY e {\n" + lines + "}\n").value();
  const ComputationPtr after = rewrite(module.entry, {.rule = fold_constant}).value();
  const std::string line = print_instruction(*after, after->root(), {.layouts = false});
  return line.substr(line.find(" = ") + 3);
}

TEST(FoldConstant, ComputesWhatIsKnown) {
  EXPECT_EQ(folded("  a = s32[2] constant({1, 2})\n  b = s32[2] constant({10, 20})\n  ROOT c = s32[2] add(a, b)\n"),
            "s32[2] constant({11, 22})");
  EXPECT_EQ(folded("  a = f32[] constant(nan)\n  ROOT c = f32[] negate(a)\n").substr(0, 15), "f32[] constant(");
}

TEST(FoldConstant, OneScalarEverywhereStaysABroadcast) {
  EXPECT_TRUE(
      folded(
          "  a = f32[] constant(2)\n  b = f32[1000] broadcast(a), dimensions={}\n  ROOT c = f32[1000] multiply(b, b)\n")
          .starts_with("f32[1000] broadcast("));
}

TEST(FoldConstant, LeavesParametersBroadcastsAndLargeResults) {
  EXPECT_TRUE(folded("  x = f32[] parameter(0)\n  ROOT c = f32[] negate(x)\n").starts_with("f32[] negate("));
  EXPECT_TRUE(folded("  a = f32[] constant(2)\n  ROOT b = f32[3] broadcast(a), dimensions={}\n")
                  .starts_with("f32[3] broadcast("));
  EXPECT_TRUE(folded("  a = f32[2] constant({1, 2})\n  b = f32[2,100000] broadcast(a), dimensions={0}\n  ROOT r = "
                     "f32[100000,2] transpose(b), dimensions={1,0}\n")
                  .starts_with("f32[100000,2] transpose("));
}

TEST(FoldConstant, LeavesBarriers) {
  EXPECT_TRUE(folded("  a = f32[] constant(2)\n  ROOT b = f32[] opt-barrier(a)\n").starts_with("f32[] opt-barrier("));
}

}  // namespace
}  // namespace hilo::hlo
