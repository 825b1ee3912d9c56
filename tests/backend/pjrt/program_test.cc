// SPDX-License-Identifier: Apache-2.0
// What a program says that goes to a plugin.
#include "hilo/backend/pjrt/program.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/printer.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::plugins {
namespace {

/// XLA ends the process on a mesh that it doesn't find.
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

}  // namespace
}  // namespace hilo::plugins
