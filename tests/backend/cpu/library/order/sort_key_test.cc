// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/order/sort_key.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::cpu {
namespace {

/// The key of a comparator "p < q" of floats; `side` computes each side from parameter %p.
std::optional<SortKey> key_of_sides(const std::string& side) {
  const auto of = [&](char name) {
    std::string text = side;
    for (size_t at = 0; (at = text.find('@', at)) != std::string::npos;) text.replace(at, 1, 1, name);
    return text;
  };
  const auto module = hlo::parse_module(fmt::format(R"(HloModule m
ENTRY before {{
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  zero = f32[] constant(0)
  nan = f32[] constant(nan)
{}{}  ROOT less = pred[] compare(value_p, value_q), direction=LT, type=TOTALORDER
}}
)",
                                                    of('p'), of('q')));
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module.ok() ? sort_key_of(*module->entry) : std::nullopt;
}

// The tests in JAX's comparator read the parameter itself, not the result of an earlier select.
TEST(SortKey, JaxsComparatorIsOne) {
  EXPECT_TRUE(
      key_of_sides("  is_nan_@ = pred[] compare(@, @), direction=NE\n"
                   "  is_zero_@ = pred[] compare(@, zero), direction=EQ\n"
                   "  without_@ = f32[] select(is_zero_@, zero, @)\n"
                   "  value_@ = f32[] select(is_nan_@, nan, without_@)\n"));
}

TEST(SortKey, WhatIsTestedMustBeWhatIsKept) {
  EXPECT_FALSE(
      key_of_sides("  half_@ = f32[] multiply(@, @)\n  is_zero_@ = pred[] compare(half_@, zero), direction=EQ\n"
                   "  value_@ = f32[] select(is_zero_@, zero, @)\n"));
}

TEST(SortKey, ZerosOfTheTotalOrderStayApart) {
  EXPECT_FALSE(
      key_of_sides("  is_zero_@ = pred[] compare(@, zero), direction=EQ, type=TOTALORDER\n"
                   "  value_@ = f32[] select(is_zero_@, zero, @)\n"));
}

/// The operands of the keys of a comparator of three operands, s32, f32 and u8; '-' before those in descending order.
std::string keys_of(const std::string& body) {
  const auto module = hlo::parse_module(R"(HloModule m
ENTRY before {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  e = u8[] parameter(4)
  f = u8[] parameter(5)
  first = pred[] compare(a, b), direction=LT
  same_first = pred[] compare(a, b), direction=EQ
  second = pred[] compare(d, c), direction=LT, type=TOTALORDER
  same_second = pred[] compare(c, d), direction=EQ, type=TOTALORDER
  loose_second = pred[] compare(c, d), direction=EQ
  third = pred[] compare(e, f), direction=LT
)" + body + "}\n");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  std::string text;
  if (!module.ok()) return text;
  for (const SortKey& key : sort_keys_of(*module->entry))
    text += (key.descending ? "-" : "") + std::to_string(key.operand) + " ";
  return text;
}

TEST(SortKey, OperandsInLexicographicOrder) {
  EXPECT_EQ(keys_of("  rest = pred[] and(same_first, second)\n  ROOT r = pred[] or(first, rest)\n"), "0 -1 ");
  EXPECT_EQ(keys_of("  inner = pred[] and(third, same_second)\n  tail = pred[] or(inner, second)\n"
                    "  rest = pred[] and(same_first, tail)\n  ROOT r = pred[] or(first, rest)\n"),
            "0 -1 2 ");
  EXPECT_EQ(keys_of("  ROOT r = pred[] or(third, third)\n"), "");
}

TEST(SortKey, EqualityIsThatOfTheSameKeyAndOrder) {
  EXPECT_EQ(keys_of("  rest = pred[] and(same_second, third)\n  ROOT r = pred[] or(first, rest)\n"), "");
  // NaN isn't equal to itself there, so the next key wouldn't decide.
  EXPECT_EQ(keys_of("  rest = pred[] and(loose_second, third)\n  ROOT r = pred[] or(second, rest)\n"), "");
}

}  // namespace
}  // namespace hilo::cpu
