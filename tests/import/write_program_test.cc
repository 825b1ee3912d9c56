// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/write_program.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"
#include "hilo/import/program.h"

namespace hilo {
namespace {

constexpr std::string_view kProgram = R"(HloModule m

ENTRY main {
  x = f32[2,3]{0,1} parameter(0)
  y = f32[2,3]{0,1} multiply(x, x)
  ROOT z = pred[2,3]{0,1} compare(x, y), direction=LT
}
)";

TEST(ProgramFormat, HasTheNamesOfTheCommand) {
  EXPECT_EQ(program_format("hlo"), ProgramFormat::kHlo);
  EXPECT_EQ(program_format("proto"), ProgramFormat::kProto);
  EXPECT_EQ(program_format("stablehlo"), ProgramFormat::kStablehlo);
  EXPECT_EQ(program_format("bytecode"), ProgramFormat::kBytecode);
  EXPECT_EQ(program_format("svg"), std::nullopt);
  EXPECT_EQ(program_format(""), std::nullopt);
}

TEST(WriteProgram, WritesWhatParseProgramReads) {
  const hlo::Module module = *hlo::parse_module(kProgram);
  for (const char* name : {"hlo", "proto", "stablehlo", "bytecode"}) {
    const StatusOr<std::string> bytes = write_program(module, *program_format(name));
    ASSERT_TRUE(bytes.ok()) << name << bytes.status().to_string();
    const StatusOr<hlo::Module> again = parse_program(*bytes, name);
    ASSERT_TRUE(again.ok()) << name << again.status().to_string();
    EXPECT_EQ(again->entry->parameter_shapes()[0].dimensions().size(), 2u) << name;
    EXPECT_EQ(again->entry->result_shape().element_type(), ElementType::kPred) << name;
  }
}

TEST(WriteProgram, HloKeepsLayoutsAndStablehloHasNone) {
  const hlo::Module module = *hlo::parse_module(kProgram);
  EXPECT_NE(write_program(module, ProgramFormat::kHlo)->find("{0,1}"), std::string::npos);
  const std::string text = *write_program(module, ProgramFormat::kStablehlo);
  EXPECT_NE(text.find("(%arg0: tensor<2x3xf32>) -> tensor<2x3xi1>"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo
