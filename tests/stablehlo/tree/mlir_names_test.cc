// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/mlir_names.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

TEST(MlirNames, OfElementTypes) {
  EXPECT_EQ(element_type_from_mlir("i1"), ElementType::kPred);
  EXPECT_EQ(element_type_from_mlir("i32"), ElementType::kS32);
  EXPECT_EQ(element_type_from_mlir("si32"), ElementType::kS32);
  EXPECT_EQ(element_type_from_mlir("ui8"), ElementType::kU8);
  EXPECT_EQ(element_type_from_mlir("index"), ElementType::kS64);
  EXPECT_EQ(element_type_from_mlir("bf16"), ElementType::kBf16);
  EXPECT_EQ(element_type_from_mlir("f8E4M3FN"), ElementType::kF8E4M3Fn);
}

TEST(MlirNames, OtherWordsAreNone) {
  for (const std::string_view name : {"", "i", "i33", "s32", "complex", "I32"})
    EXPECT_EQ(element_type_from_mlir(name), std::nullopt) << name;
}

TEST(MlirNames, TheOtherWayIsTheSameType) {
  for (const ElementTypeInfo& info : kElementTypes) {
    const bool is_number = is_integer(info.type) || is_floating(info.type) || info.type == ElementType::kPred;
    if (!is_number || is_complex(info.type)) continue;
    EXPECT_EQ(element_type_from_mlir(element_type_to_mlir(info.type)), info.type) << info.name;
  }
  EXPECT_EQ(element_type_to_mlir(ElementType::kC64), "complex<f32>");
  EXPECT_EQ(element_type_to_mlir(ElementType::kPred), "i1");
}

}  // namespace
}  // namespace hilo::stablehlo
