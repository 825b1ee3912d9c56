// SPDX-License-Identifier: Apache-2.0
// The tables next to this file: a text, and the printed module that is parsed from it, or the error.
#include "hilo/hlo/text/parser.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/printer.h"
#include "tests/support/tables.h"

namespace hilo::hlo {
namespace {

class TextTables : public testing::TestWithParam<tests::TableRow> {};

TEST_P(TextTables, ReadAndPrint) {
  const StatusOr<Module> module = parse_module(GetParam().input, {.source = "t.hlo"});
  tests::expect_output(GetParam(), module.ok() ? print_module(*module) : module.status().to_string());
}

INSTANTIATE_TEST_SUITE_P(Text, TextTables, testing::ValuesIn(tests::table_rows("hlo/text")),
                         [](const auto& info) { return tests::name_of(info.param); });

TEST(ParseShape, ReadsOneShapeAndNoMore) {
  EXPECT_EQ(parse_shape("f32[4,3]{0,1}").value().to_string_with_layout(), "f32[4,3]{0,1}");
  EXPECT_EQ(parse_shape(" ( f32[] , s32[0] ) ").value().to_string(), "(f32[], s32[0])");
  EXPECT_EQ(parse_shape("f32[2] x").status().message(),
            "shape:1:8: expected the end of the text after a shape; got 'x'");
  EXPECT_EQ(parse_shape("").status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::hlo
