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

}  // namespace
}  // namespace hilo::cpu
