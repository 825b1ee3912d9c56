// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/opcode.h"

#include <gtest/gtest.h>

#include "hilo/hlo/ir/extensions.h"

namespace hilo::hlo {
namespace {

TEST(Opcode, NamesFindTheirOpcode) {
  for (int i = 0; i < kHloOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_EQ(opcode_from_name(opcode_name(opcode)), opcode) << opcode_name(opcode);
    EXPECT_FALSE(is_extension(opcode));
  }
  EXPECT_EQ(opcode_from_name("dynamic-slice"), Opcode::kDynamicSlice);
}

TEST(Opcode, UnknownNamesHaveNone) {
  for (const std::string_view name : {"", "Add", "dynamic_slice", "hilo.nothing", "add "})
    EXPECT_EQ(opcode_from_name(name), std::nullopt) << name;
}

TEST(Opcode, ElementwiseOnesComeFirst) {
  EXPECT_TRUE(is_elementwise(Opcode::kAdd));
  EXPECT_TRUE(is_elementwise(Opcode::kSelect));
  EXPECT_FALSE(is_elementwise(Opcode::kReshape));
  EXPECT_FALSE(is_elementwise(Opcode::kParameter));
}

TEST(Opcode, ExtensionsHaveAPrefix) {
  EXPECT_TRUE(is_extension(kExtScan));
  EXPECT_EQ(opcode_name(kExtScan), "hilo.scan");
  EXPECT_EQ(opcode_from_name("hilo.scan"), kExtScan);
}

}  // namespace
}  // namespace hilo::hlo
