// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/multiply_high.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::plugins {
namespace {

/// All pairs of the extreme values, values near 0, and some random ones.
std::vector<Literal> pairs(ElementType type) {
  std::vector<uint64_t> numbers = {0,         1, 2, ~uint64_t{0}, ~uint64_t{1}, uint64_t{1} << 31, uint64_t{1} << 32,
                                   0xffffffff};
  const int bits = element_type_info(type).bits;
  numbers.push_back(uint64_t{1} << (bits - 1));
  numbers.push_back((uint64_t{1} << (bits - 1)) - 1);
  std::mt19937_64 random(1);
  for (int k = 0; k < 30; ++k) numbers.push_back(random());
  const auto count = static_cast<int64_t>(numbers.size());
  std::vector<Literal> made;
  for (int side = 0; side < 2; ++side) {
    Literal& sides = made.emplace_back(Shape::array(type, {count * count}));
    const auto size = static_cast<size_t>(element_size_bytes(type));
    for (int64_t i = 0; i < count * count; ++i)
      std::memcpy(sides.mutable_bytes().data() + static_cast<size_t>(i) * size,
                  &numbers[static_cast<size_t>(side == 0 ? i / count : i % count)], size);
  }
  return made;
}

TEST(MultiplyHigh, IsTheUpperHalfOfTheProduct) {
  for (const ElementType type : {ElementType::kS8, ElementType::kU8, ElementType::kS16, ElementType::kU16,
                                 ElementType::kS32, ElementType::kU32, ElementType::kS64, ElementType::kU64}) {
    const std::vector<Literal> arguments = pairs(type);
    const std::string shape = arguments[0].shape().to_string();
    hlo::Module program = *hlo::parse_module(fmt::format(
        "HloModule m\nENTRY e {{\n  x = {0} parameter(0)\n  y = {0} parameter(1)\n  ROOT z = {0} mulhi(x, y)\n}}\n",
        shape));
    const StatusOr<Literal> wanted = hlo::evaluate(program, arguments);
    ASSERT_TRUE(wanted.ok()) << wanted.status().to_string();
    ASSERT_TRUE(lower_multiply_high(program).ok());
    EXPECT_EQ(hlo::print_module(program).find("mulhi("), std::string::npos);
    const StatusOr<Literal> got = hlo::evaluate(program, arguments);
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    EXPECT_TRUE(std::ranges::equal(got->bytes(), wanted->bytes())) << shape;
  }
}

}  // namespace
}  // namespace hilo::plugins
