// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/bytecode/reader.h"

#include <gtest/gtest.h>

#include "hilo/stablehlo/text/reader.h"
#include "hilo/stablehlo/write/bytecode_writer.h"
#include "hilo/stablehlo/write/text_writer.h"
#include "tests/support/tables.h"

namespace hilo::stablehlo {
namespace {

/// The tables next to this file: text, and the printed result after a round trip through bytecode.
class BytecodeTables : public testing::TestWithParam<tests::TableRow> {};

TEST_P(BytecodeTables, ReadWhatWasWritten) {
  const StatusOr<ModuleTree> tree = read_text(GetParam().input, "t.mlir");
  ASSERT_TRUE(tree.ok()) << tree.status().to_string();
  const StatusOr<std::string> bytes = print_bytecode(*tree);
  if (!bytes.ok()) return tests::expect_output(GetParam(), bytes.status().to_string());
  const StatusOr<ModuleTree> again = read_bytecode(*bytes, "t.mlirbc");
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  tests::expect_output(GetParam(), print_tree(*again));
}

INSTANTIATE_TEST_SUITE_P(Bytecode, BytecodeTables, testing::ValuesIn(tests::table_rows("stablehlo/bytecode")),
                         [](const auto& info) { return tests::name_of(info.param); });

std::string artefact() {
  return print_bytecode(
             read_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}", "t")
                 .value())
      .value();
}

TEST(BytecodeReader, KnowsItsMagicNumber) {
  EXPECT_TRUE(is_bytecode(artefact()));
  EXPECT_FALSE(is_bytecode("ML"));
  EXPECT_FALSE(is_bytecode(""));
}

TEST(BytecodeReader, EveryTruncationIsAnErrorThatNamesTheByte) {
  const std::string bytes = artefact();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const StatusOr<ModuleTree> tree = read_bytecode(std::string_view(bytes).substr(0, size), "t");
    ASSERT_FALSE(tree.ok()) << size;
    EXPECT_TRUE(tree.status().message().starts_with("t: byte ")) << tree.status().to_string();
  }
}

TEST(BytecodeReader, ANewerVersionIsNamed) {
  std::string bytes = artefact();
  bytes[4] = static_cast<char>(2 * 99 + 1);  // a varint of one byte
  const Status status = read_bytecode(bytes, "t").status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_NE(status.message().find("99"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace hilo::stablehlo
