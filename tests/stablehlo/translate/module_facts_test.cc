// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/module_facts.h"

#include <gtest/gtest.h>

#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"
#include "hilo/stablehlo/tree/print_attribute.h"
#include "hilo/stablehlo/write/write_tree.h"

namespace hilo::stablehlo {
namespace {

constexpr std::string_view kText =
    R"(module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, tf.aliasing_output = 1 : i32}, %arg1: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> (tensor<f32> {jax.result_info = "result[\22a\22]"}, tensor<4xf32>) {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    return %0, %1 : tensor<f32>, tensor<4xf32>
  }
}
)";

hlo::Module module_of(std::string_view bytes) {
  const StatusOr<ModuleTree> tree = read_tree(bytes, "test");
  EXPECT_TRUE(tree.ok()) << tree.status().to_string();
  StatusOr<hlo::Module> module = tree.ok() ? translate(*tree) : tree.status();
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module.ok() ? *std::move(module) : hlo::Module();
}

std::string text_of(const hlo::Module& module) {
  StatusOr<std::string> text = write_text(module);
  EXPECT_TRUE(text.ok()) << text.status().to_string();
  return text.ok() ? *std::move(text) : "";
}

void expect_facts(const std::string& text) {
  for (
      const std::string_view part :
      {R"(module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32} {)",
       R"(sdy.mesh @mesh = <["x"=2]>)",
       R"(%arg0: tensor<4xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, tf.aliasing_output = 1 : i32},)",
       R"(%arg1: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"})",
       R"(-> (tensor<f32> {jax.result_info = "result[\22a\22]"}, tensor<4xf32>))"})
    EXPECT_NE(text.find(part), std::string::npos) << "wanted " << part << " in\n" << text;
}

TEST(ModuleFacts, TextToHloToTextKeepsThem) { expect_facts(text_of(module_of(kText))); }

TEST(ModuleFacts, AnAliasIsHlosOwn) {
  const hlo::Module module = module_of(kText);
  ASSERT_EQ(module.aliases.size(), 1u);
  EXPECT_EQ(module.aliases[0], (hlo::Alias{.result_index = {1}, .parameter_number = 0, .parameter_index = {}}));
  EXPECT_NE(hlo::print_module(module).find("input_output_alias={ {1}: (0, {}, may-alias) }"), std::string::npos)
      << hlo::print_module(module);
}

TEST(ModuleFacts, HloTextAndProtoCarryThem) {
  const hlo::Module module = module_of(kText);
  const StatusOr<hlo::Module> from_text = hlo::parse_module(hlo::print_module(module));
  ASSERT_TRUE(from_text.ok()) << from_text.status().to_string();
  expect_facts(text_of(*from_text));
  const StatusOr<std::string> proto = hlo::to_proto(module);
  ASSERT_TRUE(proto.ok()) << proto.status().to_string();
  const StatusOr<hlo::Module> from_proto = hlo::from_proto(*proto);
  ASSERT_TRUE(from_proto.ok()) << from_proto.status().to_string();
  expect_facts(text_of(*from_proto));
}

TEST(ModuleFacts, ArtefactsHaveShardingsAsJaxExportsThem) {
  const StatusOr<std::string> bytecode = write_bytecode(module_of(kText));
  ASSERT_TRUE(bytecode.ok()) << bytecode.status().to_string();
  const std::string text = text_of(module_of(*bytecode));
  for (const std::string_view part :
       {R"(mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"})",
        R"(jax.buffer_donor = true)", R"(tf.aliasing_output = 1 : i32})", R"({mhlo.sharding = "{devices=[2]<=[2]}"})",
        R"({jax.result_info = "result[\22a\22]"})"})
    EXPECT_NE(text.find(part), std::string::npos) << "wanted " << part << " in\n" << text;
}

TEST(ModuleFacts, AnAliasThatDoesNotFitIsCarriedAsText) {
  const hlo::Module module = module_of(
      "func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<f32> {\n"
      "  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n  return %0 : tensor<f32>\n}\n");
  EXPECT_TRUE(module.aliases.empty());
  EXPECT_NE(text_of(module).find("{tf.aliasing_output = 0 : i32}"), std::string::npos);
}

TEST(ModuleFacts, WhatSaysNothingIsWrittenAsBefore) {
  const hlo::Module module =
      module_of("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n");
  EXPECT_TRUE(module.other_attributes.empty());
  EXPECT_NE(text_of(module).find("func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {"), std::string::npos);
}

TEST(ModuleFacts, AFrontendAttributeThatHiloDidNotWriteIsAnError) {
  hlo::Module module = module_of(kText);
  for (auto& [key, value] : module.other_attributes) value = R"({hilo.mlir="not a module ("})";
  const StatusOr<std::string> text = write_text(module);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(text.status().to_string().find("hilo.mlir"), std::string::npos) << text.status().to_string();
}

}  // namespace
}  // namespace hilo::stablehlo
