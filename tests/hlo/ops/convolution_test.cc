// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/convolution.h"

#include <functional>
#include <limits>

#include "hilo/types/literal.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

using Change = std::function<void(ConvolutionAttributes&)>;

/// One spatial dimension, batch and features first: bf0_oi0->bf0.
ConvolutionAttributes along_a_row(WindowDimension window) {
  ConvolutionAttributes a;
  a.window = {window};
  a.dimensions = {0, 1, 1, 0, 0, 1, {2}, {2}, {2}};
  return a;
}

AttributesPtr shared(ConvolutionAttributes a) { return std::make_shared<ConvolutionAttributes>(std::move(a)); }

std::string convolved(const Literal& lhs, const Literal& rhs, ConvolutionAttributes a,
                      const std::optional<Shape>& declared = std::nullopt) {
  return text_of(run_op(Opcode::kConvolution, {lhs, rhs}, shared(std::move(a)), declared));
}

const Literal kRow = Literal::array<float>({1, 1, 5}, {1, 2, 3, 4, 5});
const Literal kPair = Literal::array<float>({1, 1, 2}, {1, 10});

TEST(Convolution, SlidesTheKernelUnturned) {
  EXPECT_EQ(convolved(kRow, kPair, along_a_row({2})), "f32[1,1,4] {{{21, 32, 43, 54}}}");
  EXPECT_EQ(convolved(kRow, kPair, along_a_row({2, 2})), "f32[1,1,2] {{{21, 43}}}");
}

TEST(Convolution, PadsWithZerosAndCropsWhereNegative) {
  EXPECT_EQ(convolved(kRow, kPair, along_a_row({2, 1, 1, 2})), "f32[1,1,7] {{{10, 21, 32, 43, 54, 5, 0}}}");
  EXPECT_EQ(convolved(kRow, kPair, along_a_row({2, 1, -1, -1})), "f32[1,1,2] {{{32, 43}}}");
}

TEST(Convolution, DilatesInputAndKernel) {
  EXPECT_EQ(convolved(kRow, kPair, along_a_row({2, 1, 0, 0, 2})), "f32[1,1,8] {{{1, 20, 2, 30, 3, 40, 4, 50}}}");
  EXPECT_EQ(convolved(kRow, kPair, along_a_row({2, 1, 0, 0, 1, 3})), "f32[1,1,2] {{{41, 52}}}");
  // Dilation is applied before padding, so negative padding can leave a gap at the start.
  EXPECT_EQ(convolved(kRow, kPair, along_a_row({2, 2, -1, 0, 2})), "f32[1,1,4] {{{20, 30, 40, 50}}}");
}

/// As JAX on CPU in f32: padding elements are zeros that are multiplied, while gaps are skipped.
TEST(Convolution, AnInfiniteWeightTimesPaddingIsNaNAndTimesAGapNothing) {
  const Literal ones = Literal::array<float>({1, 1, 4}, {1, 1, 1, 1});
  const Literal weights = Literal::array<float>({1, 1, 3}, {std::numeric_limits<float>::infinity(), 1, 1});
  const auto kinds = [&](WindowDimension window) {
    std::string text = convolved(ones, weights, along_a_row(window));
    for (size_t at = 0; (at = text.find("-nan")) != std::string::npos;)
      text.erase(at, 1);  // the sign of NaN depends on the processor
    return text;
  };
  EXPECT_EQ(kinds({3, 1, 1, 1}), "f32[1,1,4] {{{nan, inf, inf, inf}}}");
  EXPECT_EQ(kinds({3, 1, 2, 2, 1, 2}), "f32[1,1,4] {{{nan, nan, inf, inf}}}");
  EXPECT_EQ(kinds({3, 1, 0, 0, 2}), "f32[1,1,5] {{{inf, 1, inf, 1, inf}}}");
  EXPECT_EQ(kinds({3, 1, -1, 1}), "f32[1,1,2] {{{inf, inf}}}");
}

TEST(Convolution, TurnsTheKernelRound) {
  EXPECT_EQ(convolved(kRow, kPair, along_a_row({2, 1, 0, 0, 1, 1, true})), "f32[1,1,4] {{{12, 23, 34, 45}}}");
}

TEST(Convolution, ConvertsSumsThatTheResultCannotHold) {
  const Literal halves = Literal::array<float>({1, 1, 2}, {0.5f, 0.25f});
  EXPECT_EQ(convolved(kRow, halves, along_a_row({2}), Shape::array(ElementType::kS32, {1, 1, 4})),
            "s32[1,1,4] {{{1, 1, 2, 3}}}");
}

TEST(Convolution, SumsInputFeaturesOfItsGroup) {
  const Literal lhs = Literal::array<int32_t>({1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Literal rhs = Literal::array<int32_t>({2, 2, 1}, {1, 10, 1, 100});
  ConvolutionAttributes a = along_a_row({1});
  a.feature_group_count = 2;
  EXPECT_EQ(convolved(lhs, rhs, a), "s32[1,2,2] {{{31, 42}, {705, 806}}}");
}

TEST(Convolution, GivesEachGroupOfTheBatchItsOutputFeatures) {
  const Literal lhs = Literal::array<int32_t>({4, 1, 1}, {1, 2, 3, 4});
  const Literal rhs = Literal::array<int32_t>({2, 1, 1}, {10, 100});
  ConvolutionAttributes a = along_a_row({1});
  a.batch_group_count = 2;
  EXPECT_EQ(convolved(lhs, rhs, a), "s32[2,2,1] {{{10}, {300}}, {{20}, {400}}}");
}

TEST(Convolution, TakesAnyLayout) {
  // Input 0fb, kernel i0o, output f0b.
  const Literal lhs = Literal::array<int32_t>({3, 1, 2}, {1, 10, 2, 20, 3, 30});
  const Literal rhs = Literal::array<int32_t>({1, 2, 2}, {1, 0, 1, 5});
  ConvolutionAttributes a;
  a.window = {{2}};
  a.dimensions = {2, 1, 0, 2, 2, 0, {0}, {1}, {1}};
  EXPECT_EQ(convolved(lhs, rhs, a), "s32[2,2,2] {{{3, 30}, {5, 50}}, {{10, 100}, {15, 150}}}");
}

TEST(Convolution, HasNoSpatialDimensionsWhereTheRankIsTwo) {
  ConvolutionAttributes a;
  a.dimensions = {0, 1, 0, 1, 0, 1, {}, {}, {}};
  const Literal lhs = Literal::array<int32_t>({1, 2}, {1, 2}), rhs = Literal::array<int32_t>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(convolved(lhs, rhs, a), "s32[1,2] {{7, 10}}");
}

TEST(Convolution, SumsOfNothingAreZero) {
  EXPECT_EQ(convolved(Literal::array<float>({1, 0, 3}, {}), Literal::array<float>({2, 0, 2}, {}), along_a_row({2})),
            "f32[1,2,2] {{{0, 0}, {0, 0}}}");
  EXPECT_EQ(convolved(Literal::array<float>({0, 1, 3}, {}), kPair, along_a_row({2})), "f32[0,1,2] {}");
  EXPECT_EQ(convolved(Literal::array<float>({1, 1, 1}, {4}), kPair, along_a_row({2})), "f32[1,1,0] {{{}}}");
}

TEST(Convolution, AccumulatesInTheDeclaredType) {
  const Literal lhs = Literal::array<int8_t>({1, 1, 2}, {100, 100}), rhs = Literal::array<int8_t>({1, 1, 2}, {2, 3});
  EXPECT_EQ(convolved(lhs, rhs, along_a_row({2})), "s8[1,1,1] {{{-12}}}");
  EXPECT_EQ(convolved(lhs, rhs, along_a_row({2}), Shape::array(ElementType::kS32, {1, 1, 1})), "s32[1,1,1] {{{500}}}");
  const Literal yes = Literal::array<bool>({1, 1, 2}, {true, false});
  EXPECT_EQ(convolved(yes, yes, along_a_row({2})), "pred[1,1,1] {{{true}}}");
}

/// The error for a valid instruction after one change.
std::string refusal(const Shape& lhs, const Shape& rhs, const Change& change) {
  ConvolutionAttributes a;
  a.window = {{3}, {3}};
  a.dimensions = {0, 3, 2, 3, 0, 3, {1, 2}, {0, 1}, {1, 2}};
  change(a);
  return error_of(shape_of(Opcode::kConvolution, {lhs, rhs}, shared(std::move(a))));
}

const Shape kImages = Shape::array(ElementType::kF32, {4, 8, 8, 6});
const Shape kKernel = Shape::array(ElementType::kF32, {3, 3, 6, 4});

void expect_refused(const Change& change, const std::string& part, const Shape& lhs = kImages,
                    const Shape& rhs = kKernel) {
  const std::string error = refusal(lhs, rhs, change);
  EXPECT_TRUE(error.starts_with("INVALID_ARGUMENT: ")) << error;
  EXPECT_NE(error.find(part), std::string::npos) << error;
}

TEST(Convolution, RefusesOperandsOfUnequalRankOrType) {
  EXPECT_EQ(refusal(kImages, kKernel, [](auto&) {}), "OK");
  const Change none = [](auto&) {};
  expect_refused(none, "input and kernel must have equal ranks of at least 2; got f32[4,8,8,6]", kImages,
                 Shape::array(ElementType::kF32, {3, 6, 4}));
  expect_refused(none, "element types differ; lhs f32[4,8,8,6], rhs s32", kImages,
                 kKernel.with_element_type(ElementType::kS32));
}

TEST(Convolution, RefusesLabelsThatAreNoPermutation) {
  expect_refused([](auto& a) { a.dimensions.input_feature = 0; }, "dim_labels of the input");
  expect_refused([](auto& a) { a.dimensions.kernel_spatial = {0, 4}; }, "dim_labels of the kernel");
  expect_refused([](auto& a) { a.dimensions.output_spatial = {1}; },
                 "dim_labels: got 1 spatial dimensions of the output, wanted 2");
}

TEST(Convolution, RefusesWindowsThatDontFitTheKernel) {
  expect_refused([](auto& a) { a.window.pop_back(); }, "window: got 1 dimensions, wanted 2");
  expect_refused([](auto& a) { a.window[1].size = 2; },
                 "window: dim 1: size 2 isn't that of the kernel's dimension 1, 3");
  expect_refused([](auto& a) { a.window[0].stride = 0; }, "window: dim 0: stride 0 < 1");
  expect_refused([](auto& a) { a.window[0].base_dilation = 0; }, "base dilation 0 < 1");
  expect_refused([](auto& a) { a.window[0].window_dilation = -1; }, "window dilation -1 < 1");
  expect_refused([](auto& a) { a.window[0].padding_low = INT64_MAX; }, "doesn't fit 2^63-1");
}

TEST(Convolution, RefusesGroupsThatDontDivide) {
  expect_refused([](auto& a) { a.feature_group_count = 0; }, "feature_group_count: got 0");
  expect_refused([](auto& a) { a.batch_group_count = -1; }, "batch_group_count: got -1");
  expect_refused([](auto& a) { a.feature_group_count = a.batch_group_count = 2; }, "only one may exceed 1");
  expect_refused([](auto& a) { a.feature_group_count = 4; },
                 "feature_group_count 4 doesn't divide the input's features, 6");
  expect_refused([](auto& a) { a.feature_group_count = 3; }, "doesn't divide the kernel's output features, 4");
  expect_refused([](auto& a) { a.feature_group_count = 2; }, "the kernel's input features: got 6, wanted 3");
  expect_refused([](auto& a) { a.batch_group_count = 3; }, "batch_group_count 3 doesn't divide the input's batch, 4");
  expect_refused([](auto& a) { a.operand_precision = {"best", "best"}; }, "operand_precision: got 'best'");
}

}  // namespace
}  // namespace hilo::hlo
