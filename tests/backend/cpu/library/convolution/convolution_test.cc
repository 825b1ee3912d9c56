// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/convolution.h"

#include "hilo/base/thread_pool.h"
#include "tests/backend/cpu/sum_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

using hlo::Int64List;
using hlo::WindowDimension;

/// Extents by role, and the order of dimensions in memory.
struct Form {
  int64_t batch = 1, inputs = 1, outputs = 1;
  Int64List sizes;
  std::vector<WindowDimension> window;
  int64_t feature_groups = 1, batch_groups = 1;
  std::string lhs = {}, rhs = {},
              out = {};  ///< labels: "b01f", "01io", "b01f". If empty, channels last, with the window's rank.
};

int64_t extent(const Form& form, bool kernel, char label) {
  if (label == 'b') return form.batch;
  if (label == 'f') return form.inputs;
  if (label == 'i') return form.inputs / form.feature_groups;
  if (label == 'o') return form.outputs;
  const auto k = static_cast<size_t>(label - '0');
  return kernel ? form.window[k].size : form.sizes[k];
}

int64_t place(const std::string& labels, char c) { return static_cast<int64_t>(labels.find(c)); }

hlo::Module module_of_form(const Form& form, ElementType type, std::optional<ElementType> result = {}) {
  const size_t rank = form.window.size();
  const std::string digits = std::string("0123").substr(0, rank);
  const std::string in = form.lhs.empty() ? "b" + digits + "f" : form.lhs,
                    kernel = form.rhs.empty() ? digits + "io" : form.rhs,
                    out = form.out.empty() ? "b" + digits + "f" : form.out;
  hlo::ConvolutionAttributes a;
  a.window = form.window;
  a.feature_group_count = form.feature_groups;
  a.batch_group_count = form.batch_groups;
  a.dimensions = {place(in, 'b'),
                  place(in, 'f'),
                  place(kernel, 'i'),
                  place(kernel, 'o'),
                  place(out, 'b'),
                  place(out, 'f'),
                  {},
                  {},
                  {}};
  for (char c : digits) {
    a.dimensions.input_spatial.push_back(place(in, c));
    a.dimensions.kernel_spatial.push_back(place(kernel, c));
    a.dimensions.output_spatial.push_back(place(out, c));
  }
  Int64List lhs_sizes, rhs_sizes;
  for (char c : in) lhs_sizes.push_back(extent(form, false, c));
  for (char c : kernel) rhs_sizes.push_back(extent(form, true, c));
  const Shape lhs = Shape::array(type, lhs_sizes), rhs = Shape::array(type, rhs_sizes);
  Builder b("main");
  const auto x = b.parameter(lhs), y = b.parameter(rhs);
  const auto attributes = std::make_shared<hlo::ConvolutionAttributes>(a);
  std::optional<Shape> declared;
  if (result) {
    const Shape shapes[] = {lhs, rhs};
    declared = hlo::op_def(hlo::Opcode::kConvolution)
                   .infer_shape({shapes, attributes.get(), nullptr})
                   ->with_element_type(*result);
  }
  const auto root = must(b.add(Opcode::kConvolution, {x, y}, attributes, declared));
  return module_of(std::move(b), root, "convolution " + lhs.to_string() + rhs.to_string() + in + kernel + out);
}

constexpr double kTolerance = 1e-5;

TEST(ConvolutionHero, TakesEveryTypeThatConvolves) {
  const Form form{2, 3, 5, {6, 7}, {{3, 2, 1, 1}, {2, 1, 0, 1}}};
  check(module_of_form(form, ElementType::kF32), kTolerance);
  check(module_of_form(form, ElementType::kF64), 1e-12);
  check(module_of_form(form, ElementType::kBf16), 1e-2);
  check(module_of_form(form, ElementType::kF16), 2e-3);
  check(module_of_form(form, ElementType::kBf16, ElementType::kF32), kTolerance);
  check(module_of_form(form, ElementType::kF32, ElementType::kF64), 1e-12);
  check(module_of_form(form, ElementType::kS32));
  check(module_of_form(form, ElementType::kC64), kTolerance);
  check(module_of_form(form, ElementType::kC128), 1e-12);
  check(module_of_form(form, ElementType::kPred));
}

TEST(ConvolutionHero, CoversRowsAndChannelsOfEveryLength) {
  for (int64_t n : {1, 2, 3, 7, 8, 13, 14, 15, 29}) {
    check(module_of_form({1, 3, 4, {n}, {{3, 1, 1, 1}}}, ElementType::kF32), kTolerance);
    check(module_of_form({2, 5, n, {5, 4}, {{3, 1, 1, 1}, {2}}}, ElementType::kF32), kTolerance);
    check(module_of_form({2, n, 3, {5, 4}, {{3, 1, 1, 1}, {2}}}, ElementType::kF32), kTolerance);
    check(module_of_form({n, 2, 3, {2, 3}, {{2}, {3, 1, 1, 1}}}, ElementType::kF32), kTolerance);
  }
  for (int64_t n : {17, 31, 32, 33, 48, 65}) {
    check(module_of_form({1, 2, n, {3, 9}, {{3, 1, 1, 1}, {3, 1, 1, 1}}}, ElementType::kF32), kTolerance);
    check(module_of_form({1, 2, n, {3, 9}, {{3, 1, 1, 1}, {3, 1, 1, 1}}}, ElementType::kF64), 1e-12);
  }
}

TEST(ConvolutionHero, ReadsEveryLayout) {
  for (const auto& [lhs, rhs, out] : {std::tuple("bf01", "oi01", "bf01"), std::tuple("01fb", "io01", "f0b1"),
                                      std::tuple("f1b0", "1o0i", "10bf"), std::tuple("b0f1", "0i1o", "fb10")}) {
    Form form{3, 5, 18, {6, 9}, {{3, 1, 1, 1}, {2, 2, 0, 1}}};
    std::tie(form.lhs, form.rhs, form.out) = std::tie(lhs, rhs, out);
    check(module_of_form(form, ElementType::kF32), kTolerance);
    form.window = {{1}, {1}};
    check(module_of_form(form, ElementType::kF32), kTolerance);
    form.window = {{6}, {9}};
    check(module_of_form(form, ElementType::kF32), kTolerance);
    form.window = {{5, 1, 0, 0, 1, 1}, {7, 1, 0, 0, 1, 1}};
    check(module_of_form(form, ElementType::kF32), kTolerance);
  }
}

const std::vector<WindowDimension> kWindows = {{3, 1, 1, 1},
                                               {3, 2, 0, 1},
                                               {2, 3, 4, 3},
                                               {3, 1, -1, -2},
                                               {3, 1, 2, 2, 2},
                                               {4, 2, 1, 2, 3},
                                               {3, 3, 2, 1, 2, 2},
                                               {2, 1, 0, 0, 1, 3},
                                               {3, 2, 3, 1, 4, 3, true},
                                               {3, 1, 1, 1, 1, 1, true},
                                               {2, 2, -2, 5, 2, 1, true},
                                               {1, 2, 0, 0},
                                               {1, 1, 3, 3},
                                               {2, 1, 20, 9, 5, 2},
                                               {5, 1, 3, 2, 1, 2}};

TEST(ConvolutionHero, StridesPadsDilatesAndTurns) {
  for (const WindowDimension& a : kWindows) {
    check(module_of_form({2, 3, 4, {7}, {a}}, ElementType::kF32), kTolerance);
    for (const WindowDimension& b : {kWindows[1], kWindows[4], kWindows[8]}) {
      check(module_of_form({1, 2, 3, {6, 7}, {a, b}}, ElementType::kF32), kTolerance);
    }
  }
}

/// Small windows of one feature are decomposed, larger ones aren't.
TEST(ConvolutionHero, TakesOneFeature) {
  for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBf16}) {
    const double tolerance = type == ElementType::kBf16 ? 2e-2 : kTolerance;
    for (const WindowDimension& a : kWindows) {
      for (const char* labels : {"b0f 0io b0f", "bf0 oi0 bf0", "0bf i0o f0b", "f0b o0i 0fb"}) {
        const std::string text = labels;
        Form form{3, 1, 1, {41}, {a}};
        form.lhs = text.substr(0, 3), form.rhs = text.substr(4, 3), form.out = text.substr(8, 3);
        check(module_of_form(form, type), tolerance);
      }
      for (const WindowDimension& b : {kWindows[1], kWindows[8], WindowDimension{9, 1, 4, 4}})
        check(module_of_form({1, 1, 1, {17, 20}, {a, b}}, type), tolerance);
    }
  }
}

/// Few groups of one feature, and the gradients of their kernels, whose windows are large: their groups are batches.
TEST(ConvolutionHero, TakesFewGroups) {
  const WindowDimension large[] = {{8, 1, 1, 1}, {9, 2, 3, 2}, {7, 1, 2, 2, 2}, {19, 1, 4, 4}};
  for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kF16}) {
    const double tolerance = element_type_info(type).bits == 16 ? 2e-2 : kTolerance;
    for (const int64_t groups : {2, 3, 5, 15, 16, 40}) {
      for (const char* labels : {"b01f 01io b01f", "bf01 oi01 bf01", "0b1f 1o0i f1b0", "fb01 i0o1 01bf"}) {
        const std::string text = labels;
        const auto check_form = [&](Form form) {
          form.lhs = text.substr(0, 4), form.rhs = text.substr(5, 4), form.out = text.substr(10, 4);
          check(module_of_form(form, type), tolerance);
        };
        check_form({3, groups, groups, {9, 7}, {kWindows[1], kWindows[4]}, groups});
        check_form({3, groups, groups, {8, 11}, {{3, 1, 1, 1}, {3, 2, 1, 1}}, groups});
        for (const WindowDimension& w : large) check_form({groups, 4, groups, {13, 16}, {w, {10, 1, 1, 1}}, 1, groups});
        check_form({groups, 4, groups, {13, 16}, {{1, 1, 0, 0}, {14, 1, 0, 0}}, 1, groups});
      }
    }
  }
}

/// All algorithms multiply the same padding elements, so NaN and infinity appear at the same positions.
TEST(ConvolutionHero, MultipliesPaddingWithWeightsThatAreNotFinite) {
  const Form forms[] = {
      {2, 3, 4, {9, 7}, {{3, 1, 1, 1}, {3, 1, 1, 1}}},
      {2, 3, 4, {9, 7}, {{3, 2, 1, 2}, {2, 1, 3, 0}}},
      {1, 3, 40, {9, 17}, {{3, 1, 1, 1}, {3, 1, 1, 1}}},
      {1, 16, 1, {9, 17}, {{3, 1, 1, 1}, {3, 1, 1, 1}}},
      {1, 32, 32, {5, 17}, {{3, 1, 1, 1}, {3, 1, 1, 1}}, 32},
      {4, 3, 8, {5, 7}, {{3, 1, 1, 1}, {3, 1, 1, 1}}, 1, 4},
      {2, 4, 6, {5, 7}, {{3, 1, 1, 1}, {3, 1, 1, 1}}, 2},
      {2, 3, 4, {9}, {{3, 1, 4, 3, 2}}},
      {2, 3, 4, {9, 7}, {{3, 2, 2, 3, 3, 2}, {3, 1, 2, 2, 2}}},
      {2, 3, 4, {9}, {{4, 2, 3, 5, 4, 3, true}}},
      {2, 3, 4, {12, 12}, {{10, 1, 1, 1}, {11, 1, 1, 2}}},
      {2, 3, 20, {12, 12}, {{10, 1, 1, 1, 1, 1, true}, {11, 1, 1, 2}}, 1, 1, "bf01", "oi01", "bf01"},
      {3, 2, 5, {8, 9}, {{3, 1, 1, 1}, {3, 1, 1, 1}}, 1, 1, "bf01", "oi01", "bf01"},
      {2, 3, 4, {5, 4, 6}, {{3, 1, 1, 1}, {2, 1, 1, 1}, {3, 2, 0, 2}}},
      {2, 3, 4, {3}, {{2, 1, 20, 9, 5, 2}}},
  };
  for (const Form& form : forms) {
    for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBf16}) {
      const hlo::Module module = module_of_form(form, type);
      std::vector<Literal> arguments = samples(module);
      const Literal weights = arguments[1];
      const int64_t count = weights.shape().element_count();
      for (const int64_t place : {int64_t{0}, count / 3, count / 2 + 1, count - 1}) {
        arguments[1] = weights;
        visit_element_type(
            type,
            [&]<typename T>() {
              if constexpr (is_floating(element_type_of<T>))
                arguments[1].data<T>()[static_cast<size_t>(place)] = T(std::numeric_limits<float>::infinity());
            },
            [] {});
        check(module, arguments, type == ElementType::kBf16 ? 1e-2 : kTolerance);
      }
    }
  }
}

TEST(ConvolutionHero, TakesGroupsOfFeaturesAndOfTheBatch) {
  for (int64_t groups : {2, 3, 8, 20, 70}) {
    for (int64_t inputs : {1, 2}) {
      for (int64_t outputs : {1, 3}) {
        Form form{2, inputs * groups, outputs * groups, {5, 6}, {{3, 1, 1, 1}, {2, 2, 0, 1}}, groups, 1};
        check(module_of_form(form, ElementType::kF32), kTolerance);
        form.lhs = form.out = "bf01";
        form.rhs = "oi01";
        check(module_of_form(form, ElementType::kF32), kTolerance);
        Form batches{inputs * groups, 2, outputs * groups, {5, 6}, {{3, 1, 1, 1}, {2, 2, 0, 1}}, 1, groups};
        check(module_of_form(batches, ElementType::kF32), kTolerance);
      }
    }
  }
  check(module_of_form({1, 6, 6, {4, 5}, {{3, 2, 1, 1, 2}, {3, 1, 1, 1}}, 6, 1}, ElementType::kBf16), 1e-2);
}

TEST(ConvolutionHero, TakesPositionsAsLanesWhereOutputsAreFew) {
  for (int64_t outputs : {1, 2, 3, 4, 5}) {
    for (int64_t width : {8, 16, 33, 70}) {
      Form form{2, 3, outputs, {4, width}, {{3, 1, 1, 1}, {5, 1, 2, 1, 1, 2}}};
      check(module_of_form(form, ElementType::kF32), kTolerance);
      form.window = {{3, 1, 1, 1, 2}, {4, 1, 2, 2, 2}};  // the gradient of a strided convolution
      check(module_of_form(form, ElementType::kF32), kTolerance);
      form.lhs = form.out = "bf01";
      form.rhs = "oi01";
      check(module_of_form(form, ElementType::kF32), kTolerance);
      form.feature_groups = 3;
      form.outputs *= 3;
      check(module_of_form(form, ElementType::kF32), kTolerance);
    }
  }
  check(module_of_form({1, 1, 1, {3000}, {{9, 1, 4, 4}}}, ElementType::kF64), 1e-12);
  check(module_of_form({2, 20, 3, {40, 50}, {{3, 1, 1, 1}, {3, 1, 1, 1}}}, ElementType::kF32), kTolerance);
  check(module_of_form({2, 3, 3, {4, 20}, {{3, 1, 1, 1}, {3, 1, 1, 1}}}, ElementType::kBf16), 1e-2);
}

/// The gradient of a kernel: the window is almost as large as the input.
TEST(ConvolutionHero, SumsOverLargeWindows) {
  const auto wide = [](int64_t size) { return WindowDimension{size, 1, 1, 1}; };
  for (int64_t n : {1, 3, 13, 15, 33}) {
    check(module_of_form({n, 4, 5, {8, 9}, {wide(8), wide(9)}}, ElementType::kF32), kTolerance);
    check(module_of_form({4, n, 5, {8, 9}, {wide(8), wide(9)}}, ElementType::kF32), kTolerance);
    check(module_of_form({4, 3, n, {8, 9}, {wide(8), wide(9)}}, ElementType::kF32), kTolerance);
    check(module_of_form({n, 3, n, {5, 6}, {wide(5), wide(6)}, 1, n}, ElementType::kF32), kTolerance);
    check(module_of_form({2 * n, 3, 3 * n, {5, 6}, {wide(5), wide(6)}, 1, n}, ElementType::kF32), kTolerance);
  }
  // Gradients of strided convolutions have dilated windows; transposed convolutions have dilated inputs.
  check(module_of_form({6, 4, 5, {9, 9}, {{4, 1, 0, 1, 1, 2}, {4, 1, 1, 0, 1, 2}}}, ElementType::kF32), kTolerance);
  check(module_of_form({6, 4, 5, {5, 5}, {{8, 1, 1, 1, 2}, {9, 2, 1, 1, 2}}}, ElementType::kF32), kTolerance);
  // Blocked sums: more taps than a block holds.
  check(module_of_form({3, 2, 5, {40, 50}, {wide(40), wide(50)}}, ElementType::kF32), 1e-4);
  check(module_of_form({3, 2, 5, {2500}, {wide(2500)}}, ElementType::kF64), 1e-11);
}

TEST(ConvolutionHero, TakesThreeSpatialDimensionsFourAndNone) {
  const WindowDimension same{3, 1, 1, 1};
  check(module_of_form({2, 3, 5, {4, 5, 6}, {same, {2, 2}, same}}, ElementType::kF32), kTolerance);
  check(module_of_form({2, 3, 5, {2, 3, 2, 3}, {same, {2, 2}, same, {2}}}, ElementType::kF32), kTolerance);
  check(module_of_form({4, 3, 5, {}, {}}, ElementType::kF32), kTolerance);
  check(module_of_form({4, 6, 8, {}, {}, 2}, ElementType::kF32), kTolerance);
  check(module_of_form({1, 1, 1, {}, {}}, ElementType::kF32), kTolerance);
}

TEST(ConvolutionHero, GivesZerosForSumsOfNothing) {
  check(module_of_form({2, 0, 3, {4}, {{2}}}, ElementType::kF32));
  check(module_of_form({0, 2, 3, {4}, {{2}}}, ElementType::kF32));
  check(module_of_form({2, 2, 0, {4}, {{2}}}, ElementType::kF32));
  check(module_of_form({2, 2, 3, {1}, {{2}}}, ElementType::kF32));
  check(module_of_form({2, 2, 3, {0}, {{2, 1, 2, 3}}}, ElementType::kF32));
  check(module_of_form({2, 2, 3, {3}, {{1, 1, 1, 1, 4}}}, ElementType::kF32), kTolerance);  // gaps between elements
}

Literal run_with_threads(const hlo::Module& module, int threads) {
  set_default_thread_count(threads);
  auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  Literal result = run(**executable, samples(module))[0];
  set_default_thread_count(0);
  return result;
}

TEST(ConvolutionHero, GivesTheSameBitsForAnyNumberOfThreads) {
  const WindowDimension same{3, 1, 1, 1};
  const Form forward{3, 20, 40, {30, 29}, {same, same}};
  const Form gradient{20, 6, 40, {30, 29}, {{30, 1, 1, 1}, {29, 1, 1, 1}}};
  const Form depthwise{3, 70, 70, {30, 29}, {same, same}, 70};
  for (const Form& form : {forward, gradient, depthwise}) {
    const hlo::Module module = module_of_form(form, ElementType::kF32);
    const Literal one = run_with_threads(module, 1);
    for (int threads : {2, 3, 5}) EXPECT_TRUE(run_with_threads(module, threads).identical(one)) << module.name;
  }
}

/// A convolution over one spatial dimension, channels last.
std::string long_convolution(int64_t positions, int64_t taps, int64_t inputs, int64_t outputs, int64_t groups) {
  return fmt::format(R"(HloModule convolution
ENTRY main {{
  x = f32[1,{0},{1}] parameter(0)
  k = f32[{2},{3},{4}] parameter(1)
  ROOT y = f32[1,{5},{4}] convolution(x, k), window={{size={2}}}, dim_labels=b0f_0io->b0f, feature_group_count={6}
}}
)",
                     positions + taps - 1, inputs, taps, inputs / groups, outputs, positions, groups);
}

TEST(ConvolutionHero, KeepsTheDigitsOfLongSums) {
  struct Case {
    const char* name;
    int64_t positions, taps, inputs, outputs, groups;
  };
  const Case cases[] = {{"gradient of a kernel", 3, 1000003, 1, 2, 1},
                        {"gradient of a kernel by channel", 2, 300007, 16, 16, 16},
                        {"many features", 12, 2, 300007, 8, 1},
                        {"many features, few results", 12, 2, 300007, 2, 1}};
  const long double term = static_cast<long double>(0.1f) * 0.3f;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const int64_t terms = c.taps * c.inputs / c.groups;
    check_sums(long_convolution(c.positions, c.taps, c.inputs, c.outputs, c.groups),
               {constant_of(0.1f, {1, c.positions + c.taps - 1, c.inputs}),
                constant_of(0.3f, {c.taps, c.inputs / c.groups, c.outputs})},
               equal_sums(c.positions * c.outputs, terms, term), bound_of_tiles(terms), false);
  }
}

/// Depths at which a tile's sum is split; every element must be correct.
TEST(ConvolutionHero, CutsSumsAtEveryDepth) {
  for (const int64_t inputs : {1, 511, 512, 513, 1025, 5000}) {
    check_text(long_convolution(13, 2, inputs, 9, 1), 1e-5);
    check_text(long_convolution(13, 2, inputs, 3, 1), 1e-5);
  }
  for (const int64_t taps : {1023, 1025, 9001, 20011}) {
    check_text(long_convolution(5, taps, 1, 3, 1), 1e-5);
    check_text(long_convolution(3, taps, 16, 16, 16), 1e-5);
  }
  check_text(long_convolution(1500, 1100, 16, 16, 16), 1e-5);
}

}  // namespace
}  // namespace hilo::cpu
