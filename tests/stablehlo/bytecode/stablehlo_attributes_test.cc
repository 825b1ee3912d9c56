// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/bytecode/stablehlo_attributes.h"

#include <gtest/gtest.h>

#include "hilo/stablehlo/tree/print_attribute.h"

namespace hilo::stablehlo {
namespace {

/// Reads an attribute of the StableHLO dialect from bytes. Returns it in MLIR's syntax, or the error.
std::string read(std::string_view bytes) {
  ModuleTree tree;
  BytecodeReader reader{bytes, "t", tree};
  ByteReader in(bytes, "t", 0, bytes.size());
  const Attribute attribute = read_stablehlo(reader, in);
  return in.failed() ? in.status().to_string() : print_attribute(tree, attribute);
}

TEST(StablehloAttributes, FieldsComeInTheirOrder) {
  // lhs and rhs batching: [0], [0]; contracting: [2], [1]
  EXPECT_EQ(read("\x0b\x03\x01\x03\x01\x03\x09\x03\x05"),
            "#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
            "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>");
  EXPECT_EQ(read("\x03\x05\x09"), "#stablehlo.channel_handle<channel_id = 1, channel_type = 2>");
}

TEST(StablehloAttributes, ListsMayBeEmpty) {
  EXPECT_EQ(read("\x0b\x01\x01\x01\x01"),
            "#stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], "
            "lhs_contracting_dimensions = [], rhs_contracting_dimensions = []>");
}

TEST(StablehloAttributes, WordsAreThoseOfVhlo) {
  ModuleTree tree;
  const std::string_view bytes = "\x05";
  ByteReader in(bytes, "t", 0, 1);
  EXPECT_EQ(read_word(in, VhloAttribute::kComparisonDirection).text,
            vhlo_words(VhloAttribute::kComparisonDirection)[2]);
}

TEST(StablehloAttributes, UnknownCodesAndWordsAreErrors) {
  EXPECT_EQ(read("\xc7"), "UNIMPLEMENTED: t: byte 1: attribute 99 of dialect 'stablehlo'");
  EXPECT_EQ(read("\x05\xc7"), "INVALID_ARGUMENT: t: byte 2: a value of an enum 99 of 6");
  EXPECT_EQ(read("\x0b\x03"), "INVALID_ARGUMENT: t: byte 2: a list of 1 elements exceeds the remaining 0 bytes");
}

TEST(ChloAttributes, AreWordsOfComparisons) {
  const auto read_it = [](std::string_view bytes) {
    ByteReader in(bytes, "t", 0, bytes.size());
    const Attribute attribute = read_chlo(in);
    return in.failed() ? in.status().to_string() : std::string(attribute.text);
  };
  EXPECT_EQ(read_it("\x01\x01"), vhlo_words(VhloAttribute::kComparisonDirection)[0]);
  EXPECT_EQ(read_it("\x03\x03"), vhlo_words(VhloAttribute::kComparisonType)[1]);
  EXPECT_EQ(read_it("\x05"), "UNIMPLEMENTED: t: byte 1: attribute 2 of dialect 'chlo'");
}

}  // namespace
}  // namespace hilo::stablehlo
