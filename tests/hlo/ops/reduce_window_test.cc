// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/reduce_window.h"

#include "hilo/hlo/ops/elementwise.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

AttributesPtr over(Window window, ComputationPtr body) {
  auto attributes = std::make_shared<ReduceWindowAttributes>();
  attributes->window = std::move(window);
  attributes->to_apply = std::move(body);
  return attributes;
}

template <typename T>
std::string reduced(Opcode opcode, const Literal& x, T initial, Window window) {
  const AttributesPtr attributes = over(std::move(window), body_of(opcode, x.shape().element_type()));
  return text_of(run_op(Opcode::kReduceWindow, {x, Literal::scalar(initial)}, attributes));
}

Literal counted(int64_t n) {
  Literal x(Shape::array(ElementType::kF32, {n}));
  for (int64_t i = 0; i < n; ++i) x.data<float>()[static_cast<size_t>(i)] = static_cast<float>(i + 1);
  return x;
}

TEST(ReduceWindow, CountsTheInitialValueOnceAndPaddingNever) {
  // As in jaxlib.
  EXPECT_EQ(reduced<float>(Opcode::kAdd, counted(5), 1, {{.size = 3, .padding_low = 1, .padding_high = 1}}),
            "f32[5] {4, 7, 10, 13, 10}");
  EXPECT_EQ(reduced<float>(Opcode::kAdd, counted(5), 100, {{.size = 3, .padding_low = 2, .padding_high = 1}}),
            "f32[6] {101, 103, 106, 109, 112, 109}");
}

TEST(ReduceWindow, StridesDilatesAndCrops) {
  EXPECT_EQ(reduced<float>(Opcode::kMaximum, counted(5), 0, {{.size = 2, .stride = 2}}), "f32[2] {2, 4}");
  EXPECT_EQ(reduced<float>(Opcode::kAdd, counted(5), 0, {{.size = 2, .window_dilation = 3}}), "f32[2] {5, 7}");
  EXPECT_EQ(reduced<float>(Opcode::kAdd, counted(3), 0, {{.size = 2, .base_dilation = 2}}), "f32[4] {1, 2, 2, 3}");
  EXPECT_EQ(reduced<float>(Opcode::kAdd, counted(5), 0, {{.size = 2, .padding_low = -1, .padding_high = -1}}),
            "f32[2] {5, 7}");
  EXPECT_EQ(reduced<float>(Opcode::kAdd, counted(2), 0, {{.size = 3}}), "f32[0] {}");
}

TEST(ReduceWindow, WindowsOfTwoDimensions) {
  const Literal x = Literal::array<float>({4, 5}, {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4});
  const Window pooling = {{.size = 3, .stride = 2, .padding_low = 1, .padding_high = 1},
                          {.size = 2, .stride = 2, .padding_high = 1}};
  EXPECT_EQ(reduced<float>(Opcode::kMaximum, x, -9, pooling), "f32[2,3] {{9, 6, 5}, {9, 9, 9}}");
  const Window holes = {{.size = 2, .padding_high = 1, .base_dilation = 2},
                        {.size = 3, .stride = 2, .padding_low = 2, .padding_high = -1, .window_dilation = 2}};
  EXPECT_EQ(reduced<float>(Opcode::kAdd, x, 0, holes), "f32[7,1] {{7}, {15}, {15}, {14}, {14}, {6}, {6}}");
}

TEST(ReduceWindow, FoldsNamelessBodiesFromTheLeft) {
  EXPECT_EQ(reduced<float>(Opcode::kSubtract, counted(4), 10, {{.size = 3, .padding_low = 1}}), "f32[3] {7, 4, 1}");
}

TEST(ReduceWindow, ReducesSeveralArraysTogether) {
  Builder b("sum_and_product");
  InstructionId p[4];
  for (size_t i = 0; i < 4; ++i) p[i] = b.parameter(Shape::scalar(i % 2 == 0 ? ElementType::kF32 : ElementType::kS32));
  const InstructionId root = b.tuple({*b.add(Opcode::kAdd, {p[0], p[2]}), *b.add(Opcode::kMultiply, {p[1], p[3]})});
  const ComputationPtr body = *std::move(b).build(root);
  const StatusOr<Literal> both = run_op(
      Opcode::kReduceWindow,
      {counted(4), Literal::array<int32_t>({4}, {1, 2, 3, 4}), Literal::scalar(0.5f), Literal::scalar(int32_t{1})},
      over({{.size = 2}}, body));
  EXPECT_EQ(text_of(both), "(f32[3] {3.5, 5.5, 7.5}, s32[3] {2, 6, 12})");
}

TEST(ReduceWindow, KnowsRunningReductions) {
  const int64_t sizes[] = {3, 7};
  const Window sum = cumulative_window({1, false}, sizes), reverse = cumulative_window({0, true}, sizes);
  EXPECT_EQ(sum, (Window{{}, {.size = 7, .padding_low = 6}}));
  EXPECT_EQ(reverse, (Window{{.size = 3, .padding_high = 2}, {}}));
  EXPECT_EQ(cumulative_of(sum, sizes)->dimension, 1);
  EXPECT_FALSE(cumulative_of(sum, sizes)->reverse);
  EXPECT_TRUE(cumulative_of(reverse, sizes)->reverse);
  const int64_t longer[] = {3, 8};
  EXPECT_FALSE(cumulative_of(sum, longer).has_value()) << "the first results leave elements out";
  EXPECT_FALSE(cumulative_of({{.size = 3, .padding_low = 2}, {.size = 7, .padding_low = 6}}, sizes).has_value());
  EXPECT_FALSE(cumulative_of({{}, {.size = 7, .stride = 2, .padding_low = 6}}, sizes).has_value());
  EXPECT_FALSE(cumulative_of({{}, {}}, sizes).has_value());
}

TEST(ReduceWindow, RunningReductionsCostOneStepAnElement) {
  constexpr int64_t kMany = 1 << 18;  // quadratic time would not finish
  const int64_t sizes[] = {kMany};
  const AttributesPtr attributes = over(cumulative_window({0, true}, sizes), body_of(Opcode::kAdd, ElementType::kS32));
  Literal ones(Shape::array(ElementType::kS32, sizes));
  for (int32_t& one : ones.data<int32_t>()) one = 1;
  const StatusOr<Literal> sums = run_op(Opcode::kReduceWindow, {ones, Literal::scalar(int32_t{0})}, attributes);
  ASSERT_TRUE(sums.ok()) << sums.status().to_string();
  EXPECT_EQ(sums->data<int32_t>()[0], kMany);
  EXPECT_EQ(sums->data<int32_t>()[kMany - 1], 1);
}

TEST(ReduceWindow, RefusesWhatTheSpecificationRulesOut) {
  const Shape x = Shape::array(ElementType::kF32, {4, 5}), zero = Shape::scalar(ElementType::kF32);
  const ComputationPtr add = body_of(Opcode::kAdd, ElementType::kF32);
  const auto error = [&](const std::vector<Shape>& operands, Window window, ComputationPtr body) {
    return shape_of(Opcode::kReduceWindow, operands, over(std::move(window), std::move(body))).status().to_string();
  };
  const auto has = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(error({}, {}, add), "got 0 operands, wanted n arrays and n initial values");                      // c1
  has(error({x, Shape::array(ElementType::kF32, {4}), zero, zero}, {{}, {}}, add), "differ in shape");  // c2
  has(error({x, Shape::scalar(ElementType::kS32)}, {{}, {}}, add), "initial value 0 is s32[]");         // c3
  has(error({x, zero}, {{}}, add), "window: got 1 dimensions, wanted 2");                        // c4, c6, c8, c10
  has(error({x, zero}, {{.size = 0}, {}}, add), "window: dim 0: size 0 < 1");                    // c5
  has(error({x, zero}, {{.stride = 0}, {}}, add), "window: dim 0: stride 0 < 1");                // c7
  has(error({x, zero}, {{}, {.base_dilation = 0}}, add), "window: dim 1: base dilation 0 < 1");  // c9
  has(error({x, zero}, {{}, {.window_dilation = -2}}, add), "window: dim 1: window dilation -2 < 1");  // c11
  has(error({x, zero}, {{}, {}}, body_of(Opcode::kAdd, ElementType::kS32)), "to_apply");               // c13
  EXPECT_TRUE(shape_of(Opcode::kReduceWindow, {x, zero}, over({{.size = 2}, {}}, add)).ok());
}

}  // namespace
}  // namespace hilo::hlo
