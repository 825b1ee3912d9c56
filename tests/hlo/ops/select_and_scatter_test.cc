// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/select_and_scatter.h"

#include "hilo/hlo/ops/elementwise.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

ComputationPtr compares(ComparisonDirection direction, ElementType type) {
  Builder b("select");
  const InstructionId x = b.parameter(Shape::scalar(type)), y = b.parameter(Shape::scalar(type));
  auto attributes = std::make_shared<CompareAttributes>();
  attributes->direction = direction;
  const InstructionId root = *b.add(Opcode::kCompare, {x, y}, std::move(attributes));
  return *std::move(b).build(root);
}

AttributesPtr over(Window window, ComparisonDirection direction, Opcode scatter, ElementType type = ElementType::kF32) {
  auto attributes = std::make_shared<SelectAndScatterAttributes>();
  attributes->window = std::move(window);
  attributes->select = compares(direction, type);
  attributes->scatter = body_of(scatter, type);
  return attributes;
}

std::string scattered(const std::vector<float>& x, const std::vector<float>& source, const AttributesPtr& attributes) {
  const auto vector = [](const std::vector<float>& values) {
    return Literal::array<float>(std::vector<int64_t>{static_cast<int64_t>(values.size())}, values);
  };
  return text_of(run_op(Opcode::kSelectAndScatter, {vector(x), vector(source), Literal::scalar(0.0f)}, attributes));
}

TEST(SelectAndScatter, IsTheGradientOfPoolingByMaximum) {
  // Values of jax.grad of jax.lax.reduce_window.
  const Literal x = Literal::array<float>({4, 5}, {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4});
  const Literal source = Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Window window = {{.size = 3, .stride = 2, .padding_low = 1, .padding_high = 1},
                         {.size = 2, .stride = 2, .padding_high = 1}};
  const StatusOr<Literal> gradient = run_op(Opcode::kSelectAndScatter, {x, source, Literal::scalar(0.0f)},
                                            over(window, ComparisonDirection::kGe, Opcode::kAdd));
  EXPECT_EQ(text_of(gradient), "f32[4,5] {{0, 0, 0, 0, 3}, {5, 0, 2, 0, 0}, {0, 0, 5, 0, 6}, {0, 0, 0, 0, 0}}");
}

TEST(SelectAndScatter, TakesTheFirstOrTheLastOfEquals) {
  const Window pairs = {{.size = 2, .stride = 2}};
  EXPECT_EQ(scattered({5, 5, 1, 2}, {10, 20}, over(pairs, ComparisonDirection::kGe, Opcode::kAdd)),
            "f32[4] {10, 0, 0, 20}");
  EXPECT_EQ(scattered({5, 5, 1, 2}, {10, 20}, over(pairs, ComparisonDirection::kGt, Opcode::kAdd)),
            "f32[4] {0, 10, 0, 20}");
}

TEST(SelectAndScatter, CombinesWhatFallsOnOnePlace) {
  const Window overlapping = {{.size = 2}};
  EXPECT_EQ(scattered({1, 9, 2}, {10, 20}, over(overlapping, ComparisonDirection::kGe, Opcode::kAdd)),
            "f32[3] {0, 30, 0}");
  EXPECT_EQ(scattered({1, 9, 2}, {10, 20}, over(overlapping, ComparisonDirection::kGe, Opcode::kSubtract)),
            "f32[3] {0, -30, 0}");
}

TEST(SelectAndScatter, AWindowInPaddingSelectsNothing) {
  const Window apart = {{.stride = 2, .padding_low = 1}};
  EXPECT_EQ(scattered({7, 8}, {10, 20}, over(apart, ComparisonDirection::kGe, Opcode::kAdd)), "f32[2] {0, 20}");
}

TEST(SelectAndScatter, RefusesWhatTheSpecificationRulesOut) {
  const Shape x = Shape::array(ElementType::kF32, {4}), y = Shape::array(ElementType::kF32, {2});
  const Shape zero = Shape::scalar(ElementType::kF32);
  const Window pairs = {{.size = 2, .stride = 2}};
  const auto has = [](const StatusOr<Shape>& shape, std::string_view part) {
    EXPECT_NE(shape.status().message().find(part), std::string::npos) << shape.status().to_string();
  };
  const auto shape = [&](const std::vector<Shape>& operands, Window window, ElementType type = ElementType::kF32) {
    return shape_of(Opcode::kSelectAndScatter, operands,
                    over(std::move(window), ComparisonDirection::kGe, Opcode::kAdd, type));
  };
  has(shape({x, Shape::array(ElementType::kS32, {2}), zero}, pairs), "element types differ");              // c1
  has(shape({x, x, zero}, pairs), "the source must have one element per window; got f32[4], wanted {2}");  // c2
  has(shape({x, y, Shape::scalar(ElementType::kS32)}, pairs), "the initial value is s32[]");               // c3
  has(shape({x, y, zero}, {}), "window: got 0 dimensions, wanted 1");                                      // c4, c6, c8
  has(shape({x, y, zero}, {{.size = 0}}), "window: dim 0: size 0 < 1");                                    // c5
  has(shape({x, y, zero}, {{.stride = 0}}), "window: dim 0: stride 0 < 1");                                // c7
  has(shape({x, y, zero}, pairs, ElementType::kS32), "select");                                            // c9
  auto attributes = std::make_shared<SelectAndScatterAttributes>();
  attributes->window = pairs;
  attributes->select = compares(ComparisonDirection::kGe, ElementType::kF32);
  attributes->scatter = body_of(Opcode::kAdd, ElementType::kS32);
  has(shape_of(Opcode::kSelectAndScatter, {x, y, zero}, attributes), "scatter");  // c10
  EXPECT_EQ(*shape({x, y, zero}, pairs), x);                                      // c11, c12
}

}  // namespace
}  // namespace hilo::hlo
