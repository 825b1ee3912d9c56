// SPDX-License-Identifier: Apache-2.0
// The programs of functions are in tests/buckets. These are ops that traces rarely have.
#include "hilo/hlo/buckets/bucket_program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

constexpr const char* kSum =
    "sum {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}}\n";

/// A computation of x, an array of n numbers. `lines` are a format with n, n + 1 and n - 1.
ComputationPtr at_size(const char* lines, int64_t n) {
  const std::string text = fmt::format(
      fmt::runtime(std::string("HloModule m\n") + kSum + "ENTRY e {{\n  x = f32[{0}] parameter(0)\n" + lines + "}}\n"),
      n, n + 1, n - 1);
  StatusOr<Module> module = parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  return module->entry;
}

/// Numbers, and NaN as padding.
Literal numbers(int64_t count, int64_t padded) {
  Literal literal = *Literal::make(*Shape::make_array(ElementType::kF32, std::vector<int64_t>{padded}));
  for (int64_t i = 0; i < padded; ++i)
    literal.data<float>()[static_cast<size_t>(i)] = i < count ? 0.5f + static_cast<float>(i) : NAN;
  return literal;
}

void expect_padded(const char* lines) {
  const ComputationPtr large = at_size(lines, 8);
  const SizePattern pattern = *size_pattern(at_size(lines, 5), large);
  const StatusOr<ComputationPtr> program = bucket_program(pattern);
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  for (const int64_t n : {2, 5, 8}) {
    const ComputationPtr small = at_size(lines, n);
    const SizeValues values = *size_values(pattern, *small);
    std::vector<Literal> arguments = {numbers(n, 8)};
    arguments.insert(arguments.end(), values.constants.begin(), values.constants.end());
    for (const int64_t size : values.sizes) arguments.push_back(Literal::scalar(static_cast<int32_t>(size)));
    const std::vector<Literal> own = {numbers(n, n)};
    const Literal got = *evaluate(**program, arguments), expected = *evaluate(*small, own);
    const auto a = got.data<float>(), b = expected.data<float>();
    for (size_t i = 0; i < b.size(); ++i) EXPECT_EQ(a[i], b[i]) << lines << "n " << n << ", element " << i;
  }
}

TEST(BucketProgram, MasksWindows) {
  expect_padded(
      "  z = f32[] constant(0)\n  ROOT r = f32[{0}] reduce-window(x, z), window={{size=3 pad=1_1}}, to_apply=sum\n");
}

TEST(BucketProgram, MasksWhatIsPadded) {
  expect_padded(
      "  z = f32[] constant(7)\n  p = f32[{1}] pad(x, z), padding=1_0\n  q = f32[{1}] negate(p)\n  w = f32[] "
      "constant(0)\n  ROOT r = f32[] reduce(q, w), dimensions={{0}}, to_apply=sum\n");
}

TEST(BucketProgram, MovesStartsIntoTheBounds) {
  expect_padded("  i = s32[] constant(6)\n  ROOT r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={{2}}\n");
}

TEST(BucketProgram, SlicesAtAStartThatDiffers) { expect_padded("  ROOT r = f32[1] slice(x), slice={{[{2}:{0}]}}\n"); }

}  // namespace
}  // namespace hilo::hlo
