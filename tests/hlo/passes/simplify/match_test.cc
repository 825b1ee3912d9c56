// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/match.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

/// A constant of this type and value, in a builder.
struct Constant {
  explicit Constant(const std::string& text)
      : module(parse_module("HloModule m\nENTRY e {\n  ROOT c = " + text + "\n}\n").value()),
        builder(module.entry, {.share = false}) {
    builder.copy_all();
    id = builder.mapped(module.entry->root_id());
  }
  Module module;
  RewriteBuilder builder;
  InstructionId id = 0;
};

bool splat_of(const std::string& text, double value) {
  Constant c(text);
  return is_splat_of(c.builder, c.id, value);
}

TEST(Match, ZeroMeansPlusZero) {
  EXPECT_TRUE(splat_of("f32[] constant(0)", 0));
  EXPECT_FALSE(splat_of("f32[] constant(-0)", 0));
  EXPECT_TRUE(splat_of("s8[] constant(0)", 0));
  EXPECT_TRUE(splat_of("c64[] constant((0, 0))", 0));
  EXPECT_FALSE(splat_of("c64[] constant((0, -0))", 0));
  EXPECT_FALSE(splat_of("f32[] constant(nan)", 0));
  EXPECT_TRUE(splat_of("pred[] constant(true)", 1));
  EXPECT_FALSE(splat_of("u64[] constant(18446744073709551615)", -1));
  EXPECT_FALSE(splat_of("f32[2] constant({1, 1})", 1));  // not a scalar: simplify_constant replaces it with a broadcast
}

TEST(Match, WhatMayBeAddedFreelyIsMinusZeroOfFloats) {
  const auto is_identity = [](const std::string& text) {
    Constant c(text);
    return is_additive_identity(c.builder, c.id);
  };
  EXPECT_TRUE(is_identity("f32[] constant(-0)"));
  EXPECT_FALSE(is_identity("f32[] constant(0)"));
  EXPECT_TRUE(is_identity("s32[] constant(0)"));
  EXPECT_FALSE(is_identity("c64[] constant((-0, 0))"));
}

TEST(Match, EndsOfTypesAreInfinitiesOrBounds) {
  const auto ends = [](const std::string& text) {
    Constant c(text);
    return std::pair(is_lowest(c.builder, c.id), is_highest(c.builder, c.id));
  };
  EXPECT_EQ(ends("f32[] constant(-inf)"), std::pair(true, false));
  EXPECT_EQ(ends("s8[] constant(-128)"), std::pair(true, false));
  EXPECT_EQ(ends("u16[] constant(65535)"), std::pair(false, true));
  EXPECT_EQ(ends("pred[] constant(false)"), std::pair(true, false));
  EXPECT_EQ(ends("f32[] constant(nan)"), std::pair(false, false));
}

TEST(Match, AllOnesAreOfBits) {
  const auto all_ones = [](const std::string& text) {
    Constant c(text);
    return is_all_ones(c.builder, c.id);
  };
  EXPECT_TRUE(all_ones("s32[] constant(-1)"));
  EXPECT_TRUE(all_ones("u8[] constant(255)"));
  EXPECT_TRUE(all_ones("pred[] constant(true)"));
  EXPECT_FALSE(all_ones("s32[] constant(1)"));
  EXPECT_FALSE(all_ones("f32[] constant(1)"));
}

TEST(Match, IntegersFitInt64) {
  const auto integer = [](const std::string& text) {
    Constant c(text);
    return splat_integer(c.builder, c.id);
  };
  EXPECT_EQ(integer("s64[] constant(-9223372036854775808)"), INT64_MIN);
  EXPECT_EQ(integer("u64[] constant(18446744073709551615)"), std::nullopt);
  EXPECT_EQ(integer("pred[] constant(true)"), 1);
  EXPECT_EQ(integer("f32[] constant(1)"), std::nullopt);
}

TEST(Match, FormatsAreOfRealNumbersAndPartsOfComplexOnes) {
  EXPECT_EQ(float_format(ElementType::kBf16)->mantissa_bits, 8);
  EXPECT_EQ(float_format(ElementType::kC128)->exponent_bits, 11);
  EXPECT_FALSE(float_format(ElementType::kS32).has_value());
  EXPECT_FALSE(float_format(ElementType::kF8E4M3Fn).has_value());
}

}  // namespace
}  // namespace hilo::hlo
