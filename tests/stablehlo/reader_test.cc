// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/reader.h"

#include <gtest/gtest.h>

#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {
namespace {

TEST(Reader, KnowsMlirByItsFirstOperation) {
  for (const std::string_view text :
       {"module {}", "module @m {}", "func.func @f() { return }",
        "sdy.mesh @grid = <[\"x\"=2]>\nfunc.func @f() {return}", "// a comment\n#loc = loc(unknown)\n",
        "!t = tensor<2xf32>\n", "\"func.func\"() ({}) : () -> ()", "\"sdy.mesh\"() : () -> ()", "my.table @t = 3\n",
        "ML\xefR"})
    EXPECT_TRUE(is_mlir(text)) << text;
}

TEST(Reader, LeavesTextOfHloAlone) {
  for (const std::string_view text : {"HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }", "ENTRY e {}",
                                      "region_0.4 {\n  x = f32[] parameter(0)\n}", "%main.7 (x: f32[]) -> f32[] {",
                                      "add.f32 (x: f32[], y: f32[]) -> f32[] {", "", "func"})
    EXPECT_FALSE(is_mlir(text)) << text;
}

/// A message begins with a field's tag and length. Bytes 33 to 35 are also the first bytes of MLIR aliases and strings.
TEST(Reader, LeavesMessagesAlone) {
  for (const size_t length : {33, 34, 35, 64, 109}) {
    const std::string message =
        std::string("\n") + static_cast<char>(length) + std::string(length, 'm') + "\x12\x04main";
    EXPECT_FALSE(is_mlir(message)) << length;
  }
}

TEST(Reader, ErrorsOfTheTranslationNameLineAndColumn) {
  const StatusOr<ModuleTree> tree = read_tree(
      "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.reduce(%x init: %x) applies stablehlo.add\n"
      "    across dimensions = [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>\n"
      "  return %x : tensor<2xf32>\n}\n",
      "t.mlir");
  ASSERT_TRUE(tree.ok()) << tree.status().to_string();
  const StatusOr<hlo::Module> module = translate(*tree);
  ASSERT_FALSE(module.ok());
  EXPECT_TRUE(module.status().message().starts_with("t.mlir:2:8: stablehlo.reduce: ")) << module.status().to_string();
}

}  // namespace
}  // namespace hilo::stablehlo
