// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/source_lines.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

std::string line_of(const std::string& tables, const std::string& metadata) {
  const StatusOr<Module> module = parse_module(
      "HloModule m\n\n" + tables + "\nENTRY main {\n  ROOT x = f32[] parameter(0), metadata={" + metadata + "}\n}\n");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return SourceLines(*module).of(module->entry->root());
}

constexpr const char* kTables =
    "FileNames\n1 \"/home/me/train.py\"\n2 \"/home/me/mo\\\"del.py\"\n\nFunctionNames\n1 \"step\"\n\n"
    "FileLocations\n1 {file_name_id=1 function_name_id=1 line=41 end_line=43 column=3 end_column=9}\n"
    "2 {file_name_id=2 function_name_id=1 line=7}\n\n"
    "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n";

TEST(SourceLines, TheInnermostFrameNamesTheLine) {
  EXPECT_EQ(line_of(kTables, "op_name=\"f\" stack_frame_id=1"), "/home/me/train.py:41");
  EXPECT_EQ(line_of(kTables, "stack_frame_id=2"), "/home/me/mo\"del.py:7");
}

TEST(SourceLines, TheInstructionsOwnLineCountsFirst) {
  EXPECT_EQ(line_of(kTables, "source_file=\"a.cc\" source_line=3 stack_frame_id=1"), "a.cc:3");
}

TEST(SourceLines, WhatTheTablesDontHoldIsUnknown) {
  EXPECT_EQ(line_of(kTables, "stack_frame_id=3"), "");
  EXPECT_EQ(line_of("", "stack_frame_id=1"), "");
  EXPECT_EQ(line_of(kTables, "op_name=\"stack_frame_id=1\""), "");
}

TEST(SourceLines, DescribeNamesTheResolvedLine) {
  const Module module =
      *parse_module(std::string("HloModule m\n\n") + kTables +
                    "\nENTRY main {\n  ROOT x = f32[] parameter(0), metadata={stack_frame_id=1}\n}\n");
  EXPECT_EQ(describe(module.entry->root(), SourceLines(module)), "parameter 'x' (/home/me/train.py:41)");
}

}  // namespace
}  // namespace hilo::hlo
