// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/vhlo.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

TEST(Vhlo, OperationsHaveAFormAVersion) {
  ASSERT_NE(find_bytecode_operation("vhlo.add_v1"), nullptr);
  EXPECT_EQ(find_bytecode_operation("vhlo.add_v1")->tree_name, "stablehlo.add");
  EXPECT_EQ(find_bytecode_operation("vhlo.add_v99"), nullptr);
  EXPECT_EQ(find_bytecode_operation(""), nullptr);
}

TEST(Vhlo, WhatIsWrittenIsReadAgain) {
  for (const std::string_view name : {"stablehlo.add", "stablehlo.all_reduce", "stablehlo.gather", "func.func"}) {
    const BytecodeOperation* const written = find_written_operation(name);
    ASSERT_NE(written, nullptr) << name;
    EXPECT_FALSE(written->read_only) << name;
    EXPECT_EQ(find_bytecode_operation(written->name), written) << name;
    EXPECT_EQ(written->tree_name, name);
  }
  EXPECT_EQ(find_written_operation("chlo.erf"), nullptr);
}

TEST(Vhlo, CodesOfElementTypesGoBothWays) {
  for (const ElementTypeInfo& info : kElementTypes) {
    const std::optional<uint64_t> code = vhlo_type_code(info.type);
    if (code) {
      EXPECT_EQ(vhlo_element_type(*code), info.type) << info.name;
    }
  }
  EXPECT_EQ(vhlo_type_code(ElementType::kPred), static_cast<uint64_t>(VhloType::kBoolean));
  EXPECT_EQ(vhlo_type_code(ElementType::kC64), std::nullopt);
  EXPECT_EQ(vhlo_element_type(9999), ElementType::kOpaque);
}

TEST(Vhlo, WordsOfEnumsAreByNumber) {
  const std::span<const std::string_view> directions = vhlo_words(VhloAttribute::kComparisonDirection);
  EXPECT_EQ(std::vector<std::string_view>(directions.begin(), directions.end()),
            (std::vector<std::string_view>{"EQ", "NE", "GE", "GT", "LE", "LT"}));
  EXPECT_TRUE(vhlo_words(VhloAttribute::kString).empty());
}

}  // namespace
}  // namespace hilo::stablehlo
