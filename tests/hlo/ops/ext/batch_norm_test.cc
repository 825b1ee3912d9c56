// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/batch_norm.h"

#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

AttributesPtr with(double epsilon, int64_t feature_index) {
  auto attributes = std::make_shared<BatchNormAttributes>();
  attributes->epsilon = epsilon;
  attributes->feature_index = feature_index;
  return attributes;
}

const Literal kX = Literal::array<float>({2, 2}, {1, 10, 3, 30});
const Literal kScale = Literal::array<float>({2}, {2, 4}), kOffset = Literal::array<float>({2}, {5, 6});

TEST(BatchNorm, TrainingNormalisesEachFeature) {
  EXPECT_EQ(text_of(run_op(Opcode::kBatchNormTraining, {kX, kScale, kOffset}, with(0, 1))),
            "(f32[2,2] {{3, 2}, {7, 10}}, f32[2] {2, 20}, f32[2] {1, 100})");
  // Along the other dimension, with a large epsilon. The variances are 20.25 and 182.25.
  EXPECT_EQ(text_of(run_op(Opcode::kBatchNormTraining, {kX, kScale, kOffset}, with(15.75, 0))).substr(0, 26),
            "(f32[2,2] {{3.5, 6.5}, {2.");
}

TEST(BatchNorm, InferenceTakesWhatWasLearned) {
  const Literal mean = Literal::array<float>({2}, {1, 20}), variance = Literal::array<float>({2}, {3, 99});
  EXPECT_EQ(text_of(run_op(Opcode::kBatchNormInference, {kX, kScale, kOffset, mean, variance}, with(1, 1))),
            "f32[2,2] {{5, 2}, {7, 10}}");
}

TEST(BatchNorm, GradientsOfAFeatureHaveNoMean) {
  const Literal mean = Literal::array<float>({2}, {2, 20}), variance = Literal::array<float>({2}, {1, 100});
  const Literal gradient = Literal::array<float>({2, 2}, {1, 0, 0, 1});
  // With two elements a feature, mean and slope account for the whole gradient.
  EXPECT_EQ(text_of(run_op(Opcode::kBatchNormGrad, {kX, kScale, mean, variance, gradient}, with(0, 1))),
            "(f32[2,2] {{0, 0}, {0, 0}}, f32[2] {-1, 1}, f32[2] {1, 1})");
}

TEST(BatchNorm, RefusesWhatTheSpecificationRulesOut) {
  const Shape x = Shape::array(ElementType::kF32, {2, 3}), f = Shape::array(ElementType::kF32, {3});
  const Shape wrong = Shape::array(ElementType::kF32, {2});
  const auto has = [](const StatusOr<Shape>& shape, std::string_view part) {
    EXPECT_NE(shape.status().message().find(part), std::string::npos) << shape.status().to_string();
  };
  const auto training = [&](const std::vector<Shape>& operands, int64_t index) {
    return shape_of(Opcode::kBatchNormTraining, operands, with(0, index));
  };
  has(training({x, f, f}, 2), "feature_index");                                                       // c1
  has(training({x, f, Shape::array(ElementType::kF64, {3})}, 1), "offset is f64[3], wanted f32[3]");  // c2
  has(training({x, wrong, f}, 1), "scale is f32[2], wanted f32[3]");                                  // c3
  has(training({x, f, wrong}, 1), "offset is f32[2], wanted f32[3]");                                 // c4
  EXPECT_EQ(training({x, f, f}, 1)->to_string(), "(f32[2,3], f32[3], f32[3])");                       // c5..c7
  has(shape_of(Opcode::kBatchNormInference, {x, f, f, wrong, f}, with(0, 1)), "mean is f32[2]");      // c5
  has(shape_of(Opcode::kBatchNormInference, {x, f, f, f, wrong}, with(0, 1)), "variance is f32[2]");  // c6
  has(shape_of(Opcode::kBatchNormGrad, {x, f, f, f, f}, with(0, 1)), "grad_output is f32[3], wanted f32[2,3]");  // c3
  has(shape_of(Opcode::kBatchNormGrad, {x, f, wrong, f, x}, with(0, 1)), "mean is f32[2], wanted f32[3]");       // c4
}

}  // namespace
}  // namespace hilo::hlo
