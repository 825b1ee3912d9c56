// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/bytecode/shardings.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

using namespace std::string_literals;

/// Reads an attribute of Shardy from bytes. Returns it as text, or the error.
std::string read(std::string_view bytes) {
  ModuleTree tree;
  BytecodeReader reader{bytes, "t", tree};
  reader.strings = {"x", "y"};
  ByteReader in(bytes, "t", 0, bytes.size());
  const std::string text = read_sdy(reader, in);
  return in.failed() ? in.status().to_string() : text;
}

TEST(SdyAttributes, PartsOfAxes) { EXPECT_EQ(read("\x07\x09\x11"), ":(2)4"); }

TEST(SdyAttributes, MeshesWithoutAxes) {
  EXPECT_EQ(read("\x05\x01\x01"), "<[]>");
  EXPECT_EQ(read("\x05\x01\x07\x05\x01\x09"), "<[], device_ids=[1, 0, 2]>");
}

TEST(SdyAttributes, DimensionsAreClosedOrOpenAndHaveAPriority) {
  EXPECT_EQ(read("\x0b\x01\x01\x01"s), "{}");
  EXPECT_EQ(read("\x0b\x01\x00\x01"s), "{?}");
  EXPECT_EQ(read("\x0b\x01\x01\x07"s), "{}p1");
}

TEST(SdyAttributes, FactorsHaveLetters) {
  EXPECT_EQ(read("\x11\x05\x01\x05"), "ij");
  EXPECT_EQ(read("\x11\x01"), "{}");
  EXPECT_EQ(read("\x11\x03\x51"), "z_3");  // 20
}

TEST(SdyAttributes, UnknownCodesAndCutOffBytesAreErrors) {
  EXPECT_EQ(read("\xc7"), "UNIMPLEMENTED: t: byte 1: attribute 99 of dialect 'sdy'");
  EXPECT_TRUE(read("\x07\x09").starts_with("INVALID_ARGUMENT: t: byte 2")) << read("\x07\x09");
}

}  // namespace
}  // namespace hilo::stablehlo
