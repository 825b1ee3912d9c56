// SPDX-License-Identifier: Apache-2.0
// Windowed ops on the engine and the reference: lowered to loops, and as library calls of backend/cpu/library, at odd
// sizes.
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/hlo/ops/slice.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

using hlo::Window;

hlo::ComputationPtr body_of(Opcode opcode, ElementType type) { return *hlo::scalar_binary_computation(opcode, type); }

hlo::Module windowed(Opcode reducer, const Shape& shape, const Window& window, const std::string& name) {
  Builder b("main");
  const auto x = b.parameter(shape), initial = b.parameter(Shape::scalar(shape.element_type()));
  auto attributes = std::make_shared<hlo::ReduceWindowAttributes>();
  attributes->window = window;
  attributes->to_apply = body_of(reducer, shape.element_type());
  const auto root = must(b.add(Opcode::kReduceWindow, {x, initial}, std::move(attributes)));
  return module_of(std::move(b), root, name);
}

TEST(Windows, GiveTheReferencesResultsWhateverTheirForm) {
  struct Form {
    std::string name;
    std::vector<int64_t> sizes;
    Window window;
  };
  const Form forms[] = {
      {"pooling", {2, 9, 7, 5}, {{}, {.size = 3, .stride = 2, .padding_low = 1}, {.size = 2, .stride = 2}, {}}},
      {"last dimension", {3, 50}, {{}, {.size = 5, .stride = 3, .padding_low = 2, .padding_high = 4}}},
      {"large", {2, 40, 3}, {{}, {.size = 35, .padding_low = 17, .padding_high = 17}, {}}},
      {"large box", {30, 30}, {{.size = 9, .padding_low = 4, .padding_high = 4}, {.size = 7, .stride = 2}}},
      {"large and dilated",
       {25, 60},
       {{.size = 10, .padding_high = 9, .window_dilation = 2},
        {.size = 2, .stride = 1, .padding_low = -3, .base_dilation = 2}}},
      {"whole", {4, 6, 5, 3}, {{}, {.size = 6}, {.size = 5, .stride = 2}, {}}},
      {"none fits", {3, 4}, {{.size = 5}, {}}},
      {"one element", {5}, {{.stride = 2, .padding_low = 1, .padding_high = 2}}},
  };
  for (const Form& form : forms) {
    for (ElementType type : {ElementType::kF32, ElementType::kBf16, ElementType::kS32, ElementType::kU8}) {
      for (Opcode reducer : {Opcode::kAdd, Opcode::kMaximum, Opcode::kSubtract}) {
        const double tolerance = type == ElementType::kBf16 ? 2e-2 : 1e-5;
        check(windowed(reducer, Shape::array(type, form.sizes), form.window, form.name), tolerance);
      }
    }
  }
}

/// Few elements and few windows, 2^31 and more apart. The engine must not allocate memory of that size.
TEST(Windows, MayLieFarApart) {
  constexpr int64_t k31 = int64_t{1} << 31, k42 = int64_t{1} << 42, k62 = int64_t{1} << 62, kMost = INT64_MAX;
  struct Form {
    std::string name;
    std::vector<int64_t> sizes;
    Window window;
  };
  const Form forms[] = {
      {"stride", {5}, {{.size = 2, .stride = k42}}},
      {"dilated array", {2}, {{.size = 1, .stride = k42, .base_dilation = k31}}},
      {"dilated window", {3}, {{.size = 2, .stride = k42, .padding_high = k42, .window_dilation = k42}}},
      {"both", {3}, {{.size = 2, .stride = k42, .base_dilation = k42, .window_dilation = k42}}},
      {"two dimensions",
       {5, 2},
       {{.size = 3, .stride = 3, .base_dilation = 2, .window_dilation = 2},
        {.size = 2, .stride = k31, .base_dilation = k42 >> 8, .window_dilation = 1}}},
      {"padding that is taken away", {5}, {{.size = 3, .stride = k62, .padding_low = kMost, .padding_high = -kMost}}},
      {"all cut off", {5}, {{.size = 1, .stride = 1, .padding_low = INT64_MIN + 8, .padding_high = kMost - 5}}},
      {"padding on both sides", {4}, {{.size = 2, .stride = k42, .padding_low = k42, .padding_high = k42}}},
  };
  for (const Form& form : forms) {
    for (ElementType type : {ElementType::kF32, ElementType::kS32, ElementType::kC64}) {
      for (Opcode reducer : {Opcode::kAdd, Opcode::kMultiply})
        check(windowed(reducer, Shape::array(type, form.sizes), form.window, form.name));
      if (!is_complex(type)) check(windowed(Opcode::kMaximum, Shape::array(type, form.sizes), form.window, form.name));
    }
  }
}

TEST(Windows, PaddingMayBeAsLargeAsNumbersAre) {
  struct Form {
    int64_t size, low, high, interior;
  };
  constexpr int64_t k42 = int64_t{1} << 42;
  const Form forms[] = {{5, INT64_MIN, INT64_MAX - 1, 1},
                        {5, INT64_MIN, INT64_MAX - 1, 0},
                        {5, -k42, k42, 0},
                        {5, k42, -k42, 0},
                        {1, 3, -2, INT64_MAX - 3},
                        {2, 1, -k42, k42},
                        {2, -k42, 5, k42},
                        {3, -2 * k42, 1, k42 - 1},
                        {2, INT64_MIN + 4, INT64_MAX, 0},
                        {0, INT64_MIN + 9, INT64_MAX, 7}};
  for (const Form& form : forms) {
    for (const ElementType type : {ElementType::kF32, ElementType::kU8, ElementType::kC128}) {
      Builder b("main");
      const auto x = b.parameter(Shape::array(type, {form.size})), value = b.parameter(Shape::scalar(type));
      auto attributes = std::make_shared<hlo::PadAttributes>();
      attributes->padding = {{form.low, form.high, form.interior}};
      const auto root = must(b.add(Opcode::kPad, {x, value}, std::move(attributes)));
      check(module_of(std::move(b), root, "pad"));
    }
  }
}

TEST(Windows, LargeOnesAreSharedAmongThreads) {
  const Window window = {{.size = 20, .padding_high = 9, .window_dilation = 2},
                         {.size = 2, .stride = 1, .padding_low = -3, .base_dilation = 2}};
  check(windowed(Opcode::kMaximum, Shape::array(ElementType::kF32, {60, 600}), window, "shared"), 0);
}

TEST(Windows, RunAlongAnyAxis) {
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{7, 33}, {19, 5}, {3, 1100}, {1, 40000}, {40, 3, 50}, {17}}) {
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      for (bool reverse : {false, true}) {
        const Window window = hlo::cumulative_window({static_cast<int64_t>(axis), reverse}, sizes);
        for (ElementType type : {ElementType::kF32, ElementType::kF16, ElementType::kS8}) {
          for (Opcode reducer : {Opcode::kAdd, Opcode::kMinimum}) {
            const double tolerance = type == ElementType::kF16 ? 1e-2 : 1e-5;
            check(windowed(reducer, Shape::array(type, sizes), window, "running"), tolerance);
          }
        }
      }
    }
  }
}

TEST(Windows, SelectAndScatterInLanesAndOneByOne) {
  struct Form {
    std::vector<int64_t> sizes;
    Window window;
  };
  const Form forms[] = {
      {{3, 8, 8, 21},
       {{}, {.size = 3, .stride = 2, .padding_low = 1, .padding_high = 1}, {.size = 2, .stride = 2}, {}}},
      {{2, 3, 9, 10}, {{}, {}, {.size = 2, .stride = 2}, {.size = 3, .padding_low = 1}}},
      {{600, 2}, {{.size = 4, .stride = 3}, {}}},
      {{5, 700}, {{.size = 2}, {}}},
      {{41, 30}, {{.size = 3, .stride = 2, .padding_low = -2, .padding_high = 1, .window_dilation = 3}, {.size = 2}}},
      {{2, 17, 19, 3}, {{}, {.size = 2, .stride = 3}, {.size = 2, .stride = 4, .padding_high = 3}, {}}},
      {{30, 31}, {{.size = 5, .stride = 2}, {.size = 5, .padding_low = 2, .padding_high = 2}}},
      {{7, 33}, {{}, {.size = 1, .stride = 2, .padding_low = 3, .padding_high = 4}}},
  };
  for (const Form& form : forms) {
    for (ElementType type :
         {ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kF16, ElementType::kS32}) {
      for (auto direction :
           {hlo::ComparisonDirection::kGe, hlo::ComparisonDirection::kGt, hlo::ComparisonDirection::kLt}) {
        Builder b("main");
        const Shape shape = Shape::array(type, form.sizes), scalar = Shape::scalar(type);
        const Shape source = shape.with_dimensions(*hlo::window_counts(form.sizes, form.window));
        const auto x = b.parameter(shape), y = b.parameter(source), zero = b.parameter(scalar);
        auto attributes = std::make_shared<hlo::SelectAndScatterAttributes>();
        attributes->window = form.window;
        attributes->scatter = body_of(Opcode::kAdd, type);
        Builder select("select");
        const auto p = select.parameter(scalar), q = select.parameter(scalar);
        auto compare = std::make_shared<hlo::CompareAttributes>();
        compare->direction = direction;
        attributes->select = *std::move(select).build(must(select.add(Opcode::kCompare, {p, q}, compare)));
        const auto root = must(b.add(Opcode::kSelectAndScatter, {x, y, zero}, std::move(attributes)));
        check(module_of(std::move(b), root, "select and scatter"), type == ElementType::kBf16 ? 3e-2 : 1e-6);
      }
    }
  }
}

TEST(Windows, ALongSumInFloatsStaysExact) {
  constexpr int64_t kMany = 1 << 20;  // added in order in f32, 0.1 would be off by 1%
  const int64_t sizes[] = {kMany};
  const hlo::Module module =
      windowed(Opcode::kAdd, Shape::array(ElementType::kF32, sizes), hlo::cumulative_window({0, false}, sizes), "long");
  auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  Literal x(Shape::array(ElementType::kF32, sizes));
  for (float& value : x.data<float>()) value = 0.1f;
  const std::vector<Literal> got = run(**executable, {x, Literal::scalar(0.0f)});
  EXPECT_NEAR(got[0].data<float>()[kMany - 1], 0.1f * static_cast<double>(kMany), 0.01);
}

}  // namespace
}  // namespace hilo::cpu
