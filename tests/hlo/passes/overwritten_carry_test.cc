// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/overwritten_carry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

struct Scan {
  std::string start = "0", step = "1", limit = "4", direction = "LT";
  std::string at = "copy(i)", row = "f32[1,3] reshape(x)", next = "all", rows = "4";
  std::string more = "";  ///< instructions of the body
};

/// A loop over (counter, x, stack) that writes x into row `at` of the stack.
std::vector<bool> overwritten(const Scan& s) {
  const std::string text = fmt::format(R"(
HloModule m
body {{
  p = (s32[], f32[3], f32[{7},3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[3] get-tuple-element(p), index=1
  ys = f32[{7},3] get-tuple-element(p), index=2
  step = s32[] constant({1})
  three = s32[] constant(3)
  none = s32[] constant(0)
  counted = s32[] add(i, step)
  y = f32[3] negate(x)
  row = {5}
  at = s32[] {4}
  {8}
  all = f32[{7},3] dynamic-update-slice(ys, row, {9}, none)
  ROOT r = (s32[], f32[3], f32[{7},3]) tuple(counted, y, {6})
}}
condition {{
  p = (s32[], f32[3], f32[{7},3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant({2})
  ROOT c = pred[] compare(i, limit), direction={3}
}}
ENTRY main {{
  x = f32[3] parameter(0)
  ys = f32[{7},3] parameter(1)
  start = s32[] constant({0})
  init = (s32[], f32[3], f32[{7},3]) tuple(start, x, ys)
  ROOT loop = (s32[], f32[3], f32[{7},3]) while(init), condition=condition, body=body
}}
)",
                                       s.start, s.step, s.limit, s.direction, s.at == "copy(i)" ? "add(i, none)" : s.at,
                                       s.row, s.next, s.rows, s.more, s.at == "copy(i)" ? "i" : "at");
  const auto module = parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string() << text;
  return module.ok() ? overwritten_elements(module->entry->root(), *module->entry) : std::vector<bool>{};
}

const std::vector<bool> kNone = {false, false, false}, kStack = {false, false, true};

TEST(OverwrittenCarry, IsWhatACountedLoopFills) {
  EXPECT_EQ(overwritten({}), kStack);
  EXPECT_EQ(overwritten({.at = "subtract(three, i)"}), kStack);
  EXPECT_EQ(overwritten({.start = "3", .step = "-1", .limit = "0", .direction = "GE"}), kStack);
}

TEST(OverwrittenCarry, IsNotWhatIsFilledInPart) {
  EXPECT_EQ(overwritten({.limit = "3"}), kNone);
  EXPECT_EQ(overwritten({.rows = "5"}), kNone);
  EXPECT_EQ(overwritten({.start = "1", .limit = "5"}), kNone);  // the last row is written twice
  EXPECT_EQ(overwritten({.step = "2", .limit = "8"}), kNone);
  EXPECT_EQ(overwritten({.at = "multiply(i, three)"}), kNone);
  EXPECT_EQ(overwritten({.at = "subtract(i, three)"}), kNone);
  EXPECT_EQ(overwritten({.row = "f32[1,2] constant({{1, 2}})"}), kNone);
}

TEST(OverwrittenCarry, IsNotWhatATurnReads) {
  EXPECT_EQ(overwritten({.row = "f32[1,3] slice(ys), slice={[0:1],[0:3]}"}), kNone);
  EXPECT_EQ(overwritten({.next = "sum", .more = "sum = f32[4,3] add(ys, ys)"}), kNone);
}

TEST(OverwrittenCarry, IsNothingOfALoopThatIsNotCounted) {
  EXPECT_EQ(overwritten({.step = "0"}), kNone);
  EXPECT_EQ(overwritten({.limit = "0"}), kNone);
}

}  // namespace
}  // namespace hilo::hlo
