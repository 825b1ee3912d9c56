// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/write/bytecode_writer.h"

#include <gtest/gtest.h>

#include "hilo/stablehlo/text/reader.h"

namespace hilo::stablehlo {
namespace {

StatusOr<std::string> bytecode_of(const std::string& text) { return print_bytecode(read_text(text, "t").value()); }

TEST(BytecodeWriter, BeginsWithMagicNumberVersionAndProducer) {
  const std::string bytes = bytecode_of("func.func @main() { return }").value();
  EXPECT_TRUE(bytes.starts_with("ML\xefR\x0dStableHLO_v1.9.0")) << bytes.substr(0, 24);
}

TEST(BytecodeWriter, OperationsOfOtherDialectsAreNamed) {
  const Status status =
      bytecode_of("func.func @main(%x: tensor<f32>) {\n  %0 = chlo.erf %x : tensor<f32> -> tensor<f32>\n  return\n}")
          .status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_NE(status.message().find("chlo.erf"), std::string::npos) << status.message();
}

TEST(BytecodeWriter, EqualTreesHaveEqualBytes) {
  const std::string text =
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %x, %x : tensor<2xf32>\n  return %0 "
      ": tensor<2xf32>\n}";
  EXPECT_EQ(bytecode_of(text).value(), bytecode_of("  " + text).value());
}

}  // namespace
}  // namespace hilo::stablehlo
