// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/elements.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hilo::stablehlo {
namespace {

using namespace std::string_literals;

Type tensor(ElementType element, std::vector<int64_t> dimensions) {
  Type type;
  type.kind = TypeKind::kTensor;
  type.element = element;
  type.dimensions = std::move(dimensions);
  type.spelled = "tensor";
  return type;
}

StatusOr<Literal> from(const Type& type, const std::string& bytes) {
  return literal_from_bytes(type, std::as_bytes(std::span(bytes)));
}

std::string element(ElementType type, std::string_view text) {
  std::string bytes;
  const Status status = append_element(type, text, bytes);
  return status.ok() ? bytes : std::string(status.message());
}

TEST(Elements, BytesOfOneElementStandForAll) {
  const Literal all = from(tensor(ElementType::kU8, {3}), "\x05").value();
  EXPECT_EQ(all.shape().to_string(), "u8[]");
  const Literal each = from(tensor(ElementType::kU8, {3}), "\x05\x06\x07").value();
  EXPECT_EQ(each.data<uint8_t>()[2], 7);
  EXPECT_EQ(from(tensor(ElementType::kF32, {0, 2}), "").value().shape().to_string(), "f32[0,2]");
}

TEST(Elements, TruthValuesAreBitsOrBytes) {
  const Literal bits = from(tensor(ElementType::kPred, {10}), "\x05\x02").value();
  EXPECT_EQ(std::vector<uint8_t>(bits.data<uint8_t>().begin(), bits.data<uint8_t>().end()),
            (std::vector<uint8_t>{1, 0, 1, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(from(tensor(ElementType::kPred, {3}), "\x01\0\x01"s).value().data<uint8_t>()[1], 0);
  EXPECT_EQ(from(tensor(ElementType::kPred, {8}), "\xff").value().shape().to_string(), "pred[]");
}

TEST(Elements, NarrowIntegersAreSignExtended) {
  const Literal four = from(tensor(ElementType::kS4, {2}), "\x0f\xf7").value();
  EXPECT_EQ(four.data<uint8_t>()[0], 0xff);
  EXPECT_EQ(four.data<uint8_t>()[1], 7);
}

TEST(Elements, OtherCountsOfBytesAreErrors) {
  EXPECT_EQ(from(tensor(ElementType::kF32, {2}), "abc").status().message(),
            "type tensor: got 3 bytes; wanted 8, or 4 for a splat");
  EXPECT_FALSE(from(tensor(ElementType::kF32, {kDynamic}), "abcd").ok());
}

TEST(Elements, CountsAreThoseOfStaticTensors) {
  EXPECT_EQ(element_count_of(tensor(ElementType::kF32, {2, 3})), 6);
  EXPECT_EQ(element_count_of(tensor(ElementType::kF32, {})), 1);
  EXPECT_EQ(element_count_of(tensor(ElementType::kF32, {kDynamic})), std::nullopt);
  EXPECT_EQ(element_count_of(tensor(ElementType::kF32, {INT64_MAX, 4})), std::nullopt);
  EXPECT_EQ(element_count_of(Type()), std::nullopt);
}

TEST(Elements, IntegersFitWithOrWithoutTheirSign) {
  EXPECT_EQ(element(ElementType::kS8, "-128"), "\x80");
  EXPECT_EQ(element(ElementType::kS8, "255"), "\xff");
  EXPECT_EQ(element(ElementType::kU16, "0xABCD"), "\xcd\xab");
  EXPECT_EQ(element(ElementType::kS4, "15"), "\xff");
  EXPECT_EQ(element(ElementType::kS8, "256"), "'256' does not fit s8");
  EXPECT_EQ(element(ElementType::kU8, "-1"), "'-1' does not fit u8");
  EXPECT_EQ(element(ElementType::kS32, "1.5"), "'1.5' is not an integer");
}

TEST(Elements, FloatsAreDecimalsOrBits) {
  EXPECT_EQ(element(ElementType::kF32, "1.0"), "\0\0\x80\x3f"s);
  EXPECT_EQ(element(ElementType::kBf16, "0x7FC0"), "\xc0\x7f");
  EXPECT_EQ(element(ElementType::kF16, "0x1FFFF"), "'0x1FFFF' are not the bits of f16");
  EXPECT_EQ(element(ElementType::kF64, "1e999"), "'1e999' is beyond the range of numbers");
  EXPECT_EQ(element(ElementType::kF32, "x"), "'x' is not a number");
}

TEST(Elements, TruthValuesAreWordsOrNumbers) {
  EXPECT_EQ(element(ElementType::kPred, "true"), "\1");
  EXPECT_EQ(element(ElementType::kPred, "0"), "\0"s);
  EXPECT_EQ(element(ElementType::kPred, "2"), "'2' is neither true nor false");
}

TEST(SixBits, AreCarriedInTypesThatHaveAllTheirNumbers) {
  const Type type = six_bit_type("f6E2M3FN").value();
  EXPECT_EQ(six_bit_type("f6E9M9"), std::nullopt);
  std::string from_text, from_code;
  ASSERT_TRUE(append_six_bits(type, "7.5", from_text).ok());
  from_code = six_bit_elements(type, "\x1f").value();  // the greatest number
  EXPECT_EQ(from_text, from_code);
  std::string bytes;
  EXPECT_EQ(append_six_bits(type, "8.5", bytes).message(), "'8.5' does not fit f6E2M3FN");
  EXPECT_EQ(six_bit_elements(type, "\x40").status().message(), "0x40 are not the bits of f6E2M3FN");
}

}  // namespace
}  // namespace hilo::stablehlo
