// SPDX-License-Identifier: Apache-2.0
// The program text that a plugin receives, and the errors for plugins that lack functions.
#include "hilo/backend/pjrt/program.h"

#include <gtest/gtest.h>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::plugins {
namespace {

/// XLA aborts on an unknown mesh.
TEST(PreparedProgram, SaysNothingOfShardings) {
  const auto tree = stablehlo::read_tree(R"(module @m {
  sdy.mesh @mesh = <["x"=1]>
  func.func public @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2xf32> {
    %0 = stablehlo.negate %a : tensor<2xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
})",
                                         "program");
  ASSERT_TRUE(tree.ok()) << tree.status().to_string();
  const auto module = stablehlo::translate(*tree);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  ASSERT_NE(hlo::print_module(*module).find("sdy"), std::string::npos);
  const auto prepared = prepared_program(*module);
  ASSERT_TRUE(prepared.ok()) << prepared.status().to_string();
  const std::string text = hlo::print_module(*prepared);
  EXPECT_EQ(text.find("sdy"), std::string::npos) << text;
  EXPECT_NE(text.find("negate"), std::string::npos) << text;
}

TEST(PreparedProgram, PadsNarrowElementsWithoutCuttingThem) {
  const std::string program =
      "HloModule f\nENTRY e {\n  i = s8[5,3] iota(), iota_dimension=0\n  a = TYPE[5,3] convert(i)\n"
      "  z = TYPE[] constant(1)\n"
      "  ROOT p = TYPE[6,4] pad(a, z), padding=-2_-1_1x1_0\n}";
  for (const std::string type : {"s4", "u2", "f4e2m1fn", "s8"}) {
    std::string text = program;
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;) text.replace(at, 4, type);
    const auto module = hlo::parse_module(text);
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    const auto prepared = prepared_program(*module);
    ASSERT_TRUE(prepared.ok()) << prepared.status().to_string();
    const std::string made = hlo::print_module(*prepared);
    const bool is_packed = type != "s8";
    EXPECT_EQ(made.find("padding=-2_-1_1x1_0") == std::string::npos, is_packed) << made;
    EXPECT_EQ(made.find("padding=0_0_1x1_0") != std::string::npos, is_packed) << made;
    EXPECT_EQ(made.find("slice={[2:8], [0:4]}") != std::string::npos, is_packed) << made;
    EXPECT_EQ(hlo::evaluate(*prepared, {})->to_string(), hlo::evaluate(*module, {})->to_string());
  }
}

constexpr char kTwoCalls[] = R"(HloModule f
ENTRY e {
  a = f32[2] parameter(0)
  b = f32[2] custom-call(a), custom_call_target="first", metadata={source_file="train.cc" source_line=41}
  ROOT c = f32[2] custom-call(b), custom_call_target="second", metadata={source_file="train.cc" source_line=42}
})";

std::string said_of(const std::string& message) {
  const auto module = hlo::parse_module(kTwoCalls);
  return module.ok() ? compile_error(not_found(message), *module).to_string() : module.status().to_string();
}

TEST(CompileError, NamesTheCallsOfTheFunctionsThatAreMissing) {
  EXPECT_EQ(said_of("No implementation of second for CUDA"),
            "UNIMPLEMENTED: Compile 'f': the plugin lacks the function of custom-call 'c' (train.cc:42): "
            "No implementation of second for CUDA");
}

TEST(CompileError, NamesAllCallsWhereTheFunctionIsUnknown) {
  EXPECT_EQ(said_of("No implementation"),
            "UNIMPLEMENTED: Compile 'f': the plugin lacks the function of custom-call 'b' (train.cc:41), "
            "custom-call 'c' (train.cc:42): No implementation");
}

TEST(CompileError, OfOtherKindsStaysAsItIs) {
  const auto module = hlo::parse_module(kTwoCalls);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_EQ(compile_error(resource_exhausted("second"), *module).to_string(),
            "RESOURCE_EXHAUSTED: Compile 'f': second");
}

}  // namespace
}  // namespace hilo::plugins
