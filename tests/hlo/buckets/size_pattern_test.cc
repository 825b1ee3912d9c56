// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/buckets/size_pattern.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

ComputationPtr entry_of(const std::string& text) {
  StatusOr<Module> module = parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module->entry;
}

/// Divides by the number of elements, as a mean does.
ComputationPtr scaled(int64_t n, const char* op = "tanh") {
  return entry_of(fmt::format(
      "HloModule m\nENTRY e {{\n  x = f32[{0},3] parameter(0)\n  t = f32[{0},3] {1}(x)\n  c = f32[] constant({0})\n  b "
      "= f32[{0},3] broadcast(c), dimensions={{}}\n  ROOT d = f32[{0},3] divide(t, b)\n}}\n",
      n, op));
}

TEST(SizePattern, HasOneSizeForEqualNumbersAndTheConstantsThatDiffer) {
  const SizePattern pattern = *size_pattern(scaled(5), scaled(8));
  ASSERT_EQ(pattern.values.size(), 1u);
  EXPECT_EQ(pattern.values[0], std::pair(int64_t{5}, int64_t{8}));
  ASSERT_EQ(pattern.constants.size(), 1u);
  const SizeValues values = *size_values(pattern, *scaled(7));
  EXPECT_EQ(values.sizes, std::vector<int64_t>{7});
  EXPECT_EQ(values.constants[0].data<float>()[0], 7.0f);
}

TEST(SizePattern, RefusesTracesThatDifferInMore) {
  EXPECT_EQ(size_pattern(scaled(5), scaled(8, "cosine")).status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(size_pattern(scaled(8), scaled(5)).status().code(), StatusCode::kUnimplemented);
  const SizePattern none = *size_pattern(scaled(8), scaled(8));
  EXPECT_EQ(size_values(none, *scaled(7)).status().code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace hilo::hlo
