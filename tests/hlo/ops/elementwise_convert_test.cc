// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

template <typename From>
StatusOr<Literal> convert(std::initializer_list<From> values, ElementType to) {
  const int64_t n = static_cast<int64_t>(values.size());
  return run_op(Opcode::kConvert, {Literal::array<From>({n}, values)}, nullptr, Shape::array(to, {n}));
}

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Convert, SaturatesFloatsToIntegers) {
  EXPECT_EQ(text_of(convert<float>({1.9f, -1.9f, 300, -300, kInf, -kInf, kNan}, ElementType::kS8)),
            "s8[7] {1, -1, 127, -128, 127, -128, 0}");
  EXPECT_EQ(text_of(convert<float>({1.9f, -1.9f, 300, kInf, -kInf, kNan}, ElementType::kU8)),
            "u8[6] {1, 0, 255, 255, 0, 0}");
  EXPECT_EQ(text_of(convert<float>({2147483648.0f, -2147483648.0f, 2147483520.0f}, ElementType::kS32)),
            "s32[3] {2147483647, -2147483648, 2147483520}");
  EXPECT_EQ(text_of(convert<double>({9.3e18, -9.3e18, 1e18}, ElementType::kS64)),
            "s64[3] {9223372036854775807, -9223372036854775808, 1000000000000000000}");
  EXPECT_EQ(text_of(convert<double>({1.9e19, -1.0}, ElementType::kU64)), "u64[2] {18446744073709551615, 0}");
}

TEST(Convert, WrapsIntegers) {
  EXPECT_EQ(text_of(convert<int32_t>({300, -1, 128}, ElementType::kS8)), "s8[3] {44, -1, -128}");
  EXPECT_EQ(text_of(convert<int8_t>({-1}, ElementType::kU64)), "u64[1] {18446744073709551615}");
}

TEST(Convert, MakesPredicatesOfWhatIsNotZero) {
  EXPECT_EQ(text_of(convert<float>({0.0f, -0.0f, 0.25f, kNan}, ElementType::kPred)),
            "pred[4] {false, false, true, true}");
  EXPECT_EQ(text_of(convert<int32_t>({0, 256}, ElementType::kPred)), "pred[2] {false, true}");
  EXPECT_EQ(text_of(convert<bool>({false, true}, ElementType::kF32)), "f32[2] {0, 1}");
}

TEST(Convert, RoundsDoublesToHalvesByWayOfFloatAsXlaDoes) {
  // Just above the tie between 1 and 1 + 2^-10. Rounded to float it is the tie, which rounds to 1.
  const double above_half = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(text_of(convert<double>({above_half, -above_half}, ElementType::kF16)), "f16[2] {1, -1}");
  const double above_brain = 1 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(text_of(convert<double>({above_brain, 1e300, 1e-300}, ElementType::kBf16)), "bf16[3] {1, inf, 0}");
}

TEST(Convert, RoundsDoublesToNarrowFloatsOnce) {
  const double above_tie = 1 + 0x1p-4 + 0x1p-40;
  EXPECT_EQ(text_of(convert<double>({above_tie, -above_tie}, ElementType::kF8E4M3Fn)), "f8e4m3fn[2] {1.125, -1.125}");
}

TEST(Convert, TakesTheRealPartOfComplexNumbers) {
  EXPECT_EQ(text_of(convert<std::complex<float>>({{1.5f, 2}}, ElementType::kF64)), "f64[1] {1.5}");
  EXPECT_EQ(text_of(convert<float>({1.5f}, ElementType::kC128)), "c128[1] {(1.5, 0)}");
  EXPECT_EQ(text_of(convert<std::complex<float>>({{0, 0}, {0, 1}}, ElementType::kPred)), "pred[2] {false, true}");
}

TEST(Convert, KeepsEveryHalfThroughFloat) {
  std::vector<float16> all;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float16 h;
    h.bits = static_cast<uint16_t>(bits);
    if (!std::isnan(static_cast<float>(h))) all.push_back(h);
  }
  const int64_t n = static_cast<int64_t>(all.size());
  const Literal halves = Literal::array<float16>(std::span(&n, 1), all);
  const StatusOr<Literal> wide =
      run_op(Opcode::kConvert, {halves}, nullptr, halves.shape().with_element_type(ElementType::kF64));
  ASSERT_TRUE(wide.ok());
  const StatusOr<Literal> back = run_op(Opcode::kConvert, {*wide}, nullptr, halves.shape());
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(back->identical(halves));
}

TEST(Convert, ErrorsNameTheShapes) {
  const Shape a = Shape::array(ElementType::kF32, {2});
  EXPECT_EQ(error_of(shape_of(Opcode::kConvert, {a}, nullptr)), "INVALID_ARGUMENT: the result's shape must be stated");
  EXPECT_EQ(error_of(shape_of(Opcode::kConvert, {a}, nullptr, Shape::array(ElementType::kS32, {3}))),
            "INVALID_ARGUMENT: a conversion can't change the dimensions; got s32[3] from f32[2]");
  EXPECT_EQ(error_of(shape_of(Opcode::kConvert, {a}, nullptr, Shape::tuple({a}))),
            "INVALID_ARGUMENT: the result must be an array; got (f32[2])");
}

TEST(Convert, NarrowIntegersSaturateFromFloatsAndWrapFromIntegers) {
  EXPECT_EQ(text_of(convert<float>({1.9f, 7.9f, 9, -9, kInf, kNan}, ElementType::kS4)), "s4[6] {1, 7, 7, -8, 7, 0}");
  EXPECT_EQ(text_of(convert<float>({-1, 15.5f, 1e9f}, ElementType::kU4)), "u4[3] {0, 15, 15}");
  EXPECT_EQ(text_of(convert<int32_t>({7, 9, 17, 1000, -1000}, ElementType::kS4)), "s4[5] {7, -7, 1, -8, -8}");
  EXPECT_EQ(text_of(convert<int32_t>({-1, 1 << 24}, ElementType::kU2)), "u2[2] {3, 0}");
}

TEST(Convert, NarrowFloatsRoundToEvenAndOverflowAsTheirFormatSays) {
  EXPECT_EQ(text_of(convert<float>({1, 17, 25, 464, 466, -1e9f}, ElementType::kF8E4M3Fn)),
            "f8e4m3fn[6] {1, 16, 24, 448, nan, -nan}");
  EXPECT_EQ(text_of(convert<int32_t>({9, 17, -1000}, ElementType::kF8E3M4)), "f8e3m4[3] {9, inf, -inf}");
  EXPECT_EQ(text_of(convert<float>({2.5f, 7, -kInf, kNan}, ElementType::kF4E2M1Fn)), "f4e2m1fn[4] {2, 6, -6, -0}");
  EXPECT_EQ(text_of(convert<double>({3, 0, -1}, ElementType::kF8E8M0Fnu)), "f8e8m0fnu[3] {4, nan, nan}");
}

}  // namespace
}  // namespace hilo::hlo
