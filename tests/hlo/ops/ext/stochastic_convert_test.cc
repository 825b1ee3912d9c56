// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/instruction.h"

#include <cmath>
#include <limits>

#include "tests/hlo/ops/run_op.h"
#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Literal words(uint32_t value) {
  Literal all(Shape::array(ElementType::kU32, {16}));
  for (uint32_t& word : all.data<uint32_t>()) word = value;
  return all;
}

// Values of XLA in jaxlib 0.10.2.
TEST(StochasticConvert, RoundsUpWhereTheRandomNumberIsBelowTheFraction) {
  const Literal x = Literal::array<float>({16}, {0, 1.25f, -1.25f, 1.5f, -1.5f, 126.9f, 127.5f, -128.5f, -127.9f, 1e9f,
                                                 -1e9f, kInf, -kInf, NAN, 0.5f, 0.5f});
  const Shape s8 = Shape::array(ElementType::kS8, {16});
  const std::pair<uint32_t, std::string> kCases[] = {
      {0, "0, 2, -2, 2, -2, 127, 127, -128, -128, 127, -128, 127, -128, 0, 1, 1"},
      {0x3fffffff, "0, 2, -2, 2, -2, 127, 127, -128, -128, 127, -128, 127, -128, 0, 1, 1"},
      {0x40000000, "0, 1, -1, 2, -2, 127, 127, -128, -128, 127, -128, 127, -128, 0, 1, 1"},
      {0x80000000, "0, 1, -1, 1, -1, 127, 127, -128, -128, 127, -128, 127, -128, 0, 0, 0"},
      {0xffffffff, "0, 1, -1, 1, -1, 126, 127, -128, -127, 127, -128, 127, -128, 0, 0, 0"}};
  for (const auto& [random, wanted] : kCases) {
    const Literal bits = words(random);
    EXPECT_EQ(text_of(run_op(Opcode::kStochasticConvert, {x, bits}, nullptr, s8)), "s8[16] {" + wanted + "}") << random;
  }
}

TEST(StochasticConvert, ChecksItsTypes) {
  const std::string x = "  x = f32[2]{0} parameter(0)\n  u = u32[2]{0} parameter(1)\n  v = u16[2]{0} parameter(2)\n";
  expect_refused(x + "  ROOT r = s8[2]{0} stochastic-convert(x, v)", "wanted unsigned integers as wide as f32");
  expect_refused(x + "  ROOT r = bf16[2]{0} stochastic-convert(x, u)", "wanted signed integers");
  expect_refused(x + "  ROOT r = s8[2]{0} stochastic-convert(u, u)", "wanted f16, bf16, f32 or f64");
  expect_refused(x + "  ROOT r = s8[3]{0} stochastic-convert(x, u)", "shapes differ");
}

}  // namespace
}  // namespace hilo::hlo
