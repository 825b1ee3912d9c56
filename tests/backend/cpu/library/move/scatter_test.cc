// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/backend/cpu/library/move/scatter_places.h"

#include <fmt/format.h>

#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/sum_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

using Set = std::function<void(hlo::ScatterAttributes&)>;

hlo::Module scatter_of(const Shape& array, const Shape& indices, const std::vector<int64_t>& updates, Opcode combine,
                       const Set& set) {
  Builder b("main");
  const ElementType type = array.element_type();
  const auto x = b.parameter(array), i = b.parameter(indices), u = b.parameter(Shape::array(type, updates));
  const auto root = must(b.add(Opcode::kScatter, {x, i, u}, with<hlo::ScatterAttributes>([&](auto& a) {
                                 set(a);
                                 a.to_apply = *hlo::scalar_binary_computation(combine, type);
                               })));
  return module_of(std::move(b), root, "scatter into " + array.to_string() + " at " + indices.to_string());
}

TEST(Scatter, ReadsIndexVectorsOfEveryTypeAndDirection) {
  for (ElementType type : {ElementType::kS8, ElementType::kU8, ElementType::kS32, ElementType::kU32, ElementType::kS64,
                           ElementType::kU64}) {
    for (int64_t vector : {0, 1, 2}) {
      std::vector<int64_t> indices = {300, 3};
      indices.insert(indices.begin() + vector, 2);
      check(scatter_of(Shape::array(ElementType::kF64, {9, 4, 11}), Shape::array(type, indices), {300, 2, 3},
                       Opcode::kAdd, [&](hlo::ScatterAttributes& a) {
                         a.update_window_dims = {1};
                         a.inserted_window_dims = {0, 2};
                         a.scatter_dims_to_operand_dims = {2, 1};
                         a.index_vector_dim = vector;
                       }));
    }
  }
}

TEST(Scatter, DropsWindowsThatAreNotWhollyInBounds) {
  for (Opcode combine : {Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum}) {
    check(scatter_of(Shape::array(ElementType::kS32, {12, 13}), Shape::array(ElementType::kS32, {20, 2}), {20, 3, 10},
                     combine, [](hlo::ScatterAttributes& a) {
                       a.update_window_dims = {1, 2};
                       a.scatter_dims_to_operand_dims = {0, 1};
                       a.index_vector_dim = 1;
                     }));
  }
}

TEST(Scatter, GoesAlongWithBatchesOfItsIndices) {
  check(scatter_of(Shape::array(ElementType::kF32, {5, 14, 3}), Shape::array(ElementType::kS32, {7, 5, 1}), {7, 5, 3},
                   Opcode::kAdd, [](hlo::ScatterAttributes& a) {
                     a.update_window_dims = {2};
                     a.inserted_window_dims = {1};
                     a.input_batching_dims = {0};
                     a.scatter_indices_batching_dims = {1};
                     a.scatter_dims_to_operand_dims = {1};
                     a.index_vector_dim = 2;
                   }));
}

/// The positions of windows of these sizes in an s32[8,6,5], with any start along the dimensions.
ScatterPlaces places_of(const std::vector<int64_t>& window, const std::vector<int64_t>& begins) {
  hlo::ScatterAttributes a;
  a.update_window_dims = {1, 2, 3};
  a.scatter_dims_to_operand_dims = begins;
  a.index_vector_dim = 1;
  std::vector<int64_t> updates = window;
  updates.insert(updates.begin(), 10);
  return {a, Shape::array(ElementType::kS32, {8, 6, 5}),
          Shape::array(ElementType::kS32, {10, static_cast<int64_t>(begins.size())}),
          Shape::array(ElementType::kS32, updates)};
}

TEST(ScatterPlaces, OverlapInPartWhereLongWindowsBeginAnywhere) {
  EXPECT_TRUE(places_of({2, 6, 5}, {0}).slides());
  EXPECT_TRUE(places_of({1, 6, 3}, {0, 2}).slides());
  EXPECT_FALSE(places_of({1, 6, 5}, {0}).slides());  // rows
  EXPECT_FALSE(places_of({1, 1, 5}, {0, 1}).slides());
  EXPECT_FALSE(places_of({8, 6, 5}, {0}).slides());  // only one possible start
  EXPECT_FALSE(places_of({1, 4, 5}, {0}).slides());  // all windows in the same columns
}

TEST(Scatter, OfWindowsThatOverlapInPartIsInTheirOrderOnAllThreads) {
  // The second row of one window is the first row of another, so threads must not split windows by rows.
  check(scatter_of(Shape::array(ElementType::kS32, {3, 40}), Shape::array(ElementType::kS32, {4096, 1}), {4096, 2, 30},
                   Opcode::kAdd, [](hlo::ScatterAttributes& a) {
                     a.update_window_dims = {1, 2};
                     a.scatter_dims_to_operand_dims = {0};
                     a.index_vector_dim = 1;
                   }));
  // The same for columns, where windows start at a column.
  check(scatter_of(Shape::array(ElementType::kS32, {2, 1203}), Shape::array(ElementType::kS32, {300, 1}),
                   {300, 2, 1200}, Opcode::kAdd, [](hlo::ScatterAttributes& a) {
                     a.update_window_dims = {1, 2};
                     a.scatter_dims_to_operand_dims = {1};
                     a.index_vector_dim = 1;
                   }));
}

TEST(Scatter, OfManyUpdatesIsInTheirOrderOnAllThreads) {
  // f32 sums that depend on the order.
  const auto rows = [](hlo::ScatterAttributes& a) {
    a.update_window_dims = {1};
    a.inserted_window_dims = {0};
    a.scatter_dims_to_operand_dims = {0};
    a.index_vector_dim = 1;
  };
  const auto elements = [](hlo::ScatterAttributes& a) {
    a.inserted_window_dims = {0};
    a.scatter_dims_to_operand_dims = {0};
    a.index_vector_dim = 1;
  };
  const auto check_bits = [](const hlo::Module& module) {
    std::vector<Literal> arguments = samples(module);
    for (float& update : arguments[2].data<float>()) update = std::exp(3 * update);
    check(module, arguments, 0);
  };
  const Shape indices = Shape::array(ElementType::kS32, {40000, 1});
  check_bits(scatter_of(Shape::array(ElementType::kF32, {10, 19}), indices, {40000, 19}, Opcode::kAdd, rows));
  check_bits(scatter_of(Shape::array(ElementType::kF32, {10}), indices, {40000}, Opcode::kAdd, elements));
}

void check_text(const std::string& computations, std::string_view type, int64_t length, int64_t updates = 50) {
  const StatusOr<hlo::Module> module = hlo::parse_module(fmt::format(
      R"(HloModule scatter
{0}
ENTRY main {{
  x = {1}[6,{2}] parameter(0)
  i = s32[{3}] parameter(1)
  u = {1}[{3},{2}] parameter(2)
  ROOT r = {1}[6,{2}] scatter(x, i, u), update_window_dims={{1}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=body
}}
)",
      computations, type, length, updates));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  check(*module, 0);
}

/// Row i of the updates is combined with row indices[i] of the array.
void by_rows(hlo::ScatterAttributes& a) {
  a.update_window_dims = {1};
  a.inserted_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
}

TEST(Scatter, RowsOfEveryLengthHaveTheReferencesBits) {
  const std::pair<ElementType, Opcode> kCombinations[] = {
      {ElementType::kF32, Opcode::kAdd},    {ElementType::kBf16, Opcode::kMultiply},
      {ElementType::kF16, Opcode::kAdd},    {ElementType::kF64, Opcode::kMinimum},
      {ElementType::kS8, Opcode::kMaximum}, {ElementType::kC64, Opcode::kMultiply}};
  const Shape indices = Shape::array(ElementType::kS32, {40, 1});
  for (const auto& [type, combine] : kCombinations) {
    std::vector<int64_t> lengths = {0, 1, 3, 7, 16, 17, 63, 200};
    if (type == ElementType::kF32)
      lengths.insert(lengths.end(), {2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 31, 65, 343});
    for (int64_t length : lengths)
      check(scatter_of(Shape::array(type, {10, length}), indices, {40, length}, combine, by_rows), 0);
  }
}

TEST(Scatter, ThreadsShareRowsColumnsAndPiecesOfWindows) {
  const Shape indices = Shape::array(ElementType::kU32, {60, 1}), many = Shape::array(ElementType::kS64, {5000, 1});
  check(scatter_of(Shape::array(ElementType::kF32, {3, 1100}), indices, {60, 1100}, Opcode::kAdd, by_rows), 0);
  check(scatter_of(Shape::array(ElementType::kF64, {7, 9}), many, {5000, 9}, Opcode::kAdd, by_rows), 0);
  const auto down = [](hlo::ScatterAttributes& a) {
    a.update_window_dims = {0};
    a.inserted_window_dims = {1};
    a.scatter_dims_to_operand_dims = {1};
    a.index_vector_dim = 1;
  };
  check(scatter_of(Shape::array(ElementType::kF64, {8, 11}), many, {8, 5000}, Opcode::kAdd, down), 0);
}

TEST(Scatter, WithoutUpdatesLeavesTheArray) {
  const Shape none = Shape::array(ElementType::kS32, {0, 1});
  check(scatter_of(Shape::array(ElementType::kF32, {10, 7}), none, {0, 7}, Opcode::kAdd, by_rows), 0);
  check_text("body { a = f32[] parameter(0)  u = f32[] parameter(1)  ROOT s = f32[] add(a, u) }", "f32", 7, 0);
}

TEST(Scatter, IntoAnArrayBeyondTheCacheDropsWhatIsOutside) {
  const auto elements = [](hlo::ScatterAttributes& a) {
    a.inserted_window_dims = {0};
    a.scatter_dims_to_operand_dims = {0};
    a.index_vector_dim = 1;
  };
  const int64_t size = 300000;
  const hlo::Module module = scatter_of(Shape::array(ElementType::kF32, {size}),
                                        Shape::array(ElementType::kS32, {40000, 1}), {40000}, Opcode::kAdd, elements);
  std::vector<Literal> arguments = samples(module);
  int64_t place = 0;
  for (int32_t& index : arguments[1].data<int32_t>()) {
    place = (place * 48271 + 11) % 2147483647;
    index = static_cast<int32_t>(place % (size + 1000) - 500);
  }
  check(module, arguments, 0);
}

TEST(Scatter, ExtremesOfZerosAreTheReferencesZeros) {
  for (Opcode combine : {Opcode::kMaximum, Opcode::kMinimum}) {
    const hlo::Module module = scatter_of(Shape::array(ElementType::kF32, {2, 19}),
                                          Shape::array(ElementType::kS32, {2, 1}), {2, 19}, combine, by_rows);
    std::vector<Literal> arguments = samples(module);
    for (size_t k = 0; k < 38; ++k) {
      arguments[0].data<float>()[k] = k % 2 == 0 ? 0.0f : -0.0f;
      arguments[2].data<float>()[k] = k % 3 == 0 ? 0.0f : -0.0f;
    }
    arguments[1].data<int32_t>()[0] = 0;
    arguments[1].data<int32_t>()[1] = 1;
    const StatusOr<Literal> wanted = hlo::evaluate(module, arguments);
    ASSERT_TRUE(wanted.ok()) << wanted.status().to_string();
    on_every_isa([&](Isa isa) {
      auto executable = tests::cpu_client()->compile(module, {}, nullptr);
      ASSERT_TRUE(executable.ok()) << executable.status().to_string();
      EXPECT_TRUE(run(**executable, arguments)[0].identical(*wanted)) << isa_name(isa);
    });
  }
}

void single_elements(hlo::ScatterAttributes& a) {
  a.inserted_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
}

/// Indices into an array of `size` elements: some repeated, some out of bounds.
void scramble(Literal& places, int64_t size) {
  int64_t at = 1;
  int64_t k = 0;
  for (int32_t& place : places.data<int32_t>()) {
    if (k++ % 7 != 3) at = (at * 48271 + 11) % 2147483647;
    place = static_cast<int32_t>(at % (size + 3) - 1);
  }
}

/// Groups of windows with and without values that the fast path doesn't support.
TEST(Scatter, ExtremesOfSingleElementsAreTheReferencesForAllValues) {
  const double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  const double kSpecial[] = {kNan, 0.0, -0.0, kInfinity, -kInfinity, 1e-310, -1e-310, 1e-42, -1e-42};
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kF16}) {
    for (Opcode combine : {Opcode::kMaximum, Opcode::kMinimum}) {
      for (const auto& [size, count] : {std::pair<int64_t, int64_t>{5, 3}, {5, 403}, {70, 1000}, {70, 1001}, {3, 4}}) {
        const hlo::Module module = scatter_of(Shape::array(type, {size}), Shape::array(ElementType::kS32, {count, 1}),
                                              {count}, combine, single_elements);
        std::vector<Literal> arguments = samples(module);
        scramble(arguments[1], size);
        visit_element_type(
            type,
            [&]<typename T>() {
              if constexpr (is_floating(element_type_of<T>)) {
                for (int64_t k = 0; k < count; k += 1 + k % 11)
                  arguments[2].data<T>()[static_cast<size_t>(k)] = static_cast<T>(kSpecial[k % 9]);
                for (int64_t k = 0; k < size; k += 3)
                  arguments[0].data<T>()[static_cast<size_t>(k)] = static_cast<T>(kSpecial[(k / 3) % 9]);
              }
            },
            [] {});
        check(module, arguments, 0);
      }
    }
  }
}

TEST(Scatter, PairsOfDoublesHaveTheReferencesBits) {
  for (const auto& [size, count] :
       {std::pair<int64_t, int64_t>{255, 2999}, {256, 2048}, {300, 4003}, {40000, 330001}}) {
    for (bool sorted : {false, true}) {
      const hlo::Module module =
          scatter_of(Shape::array(ElementType::kF64, {size}), Shape::array(ElementType::kS32, {count, 1}), {count},
                     Opcode::kAdd, single_elements);
      std::vector<Literal> arguments = samples(module);
      scramble(arguments[1], size);
      if (sorted) std::ranges::sort(arguments[1].data<int32_t>());
      for (double& update : arguments[2].data<double>()) update = std::exp(9 * update) / 3;
      check(module, arguments, 0);
    }
  }
}

/// Arrays larger than the cache. One thread updates elements immediately; several threads first collect them in lists.
TEST(Scatter, SingleElementsOfLargeArraysAreTheSameOnAnyNumberOfThreads) {
  const int64_t size = 700001;
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kS32, ElementType::kC64}) {
    for (int64_t count : {37, 70001}) {
      const hlo::Module module =
          scatter_of(Shape::array(type, {size}), Shape::array(ElementType::kS32, {count, 1}), {count},
                     type == ElementType::kF64 ? Opcode::kMaximum : Opcode::kAdd, single_elements);
      std::vector<Literal> arguments = samples(module);
      scramble(arguments[1], size);
      const StatusOr<Literal> wanted = hlo::evaluate(module, arguments);
      ASSERT_TRUE(wanted.ok()) << wanted.status().to_string();
      on_every_isa([&](Isa isa) {
        auto executable = tests::cpu_client()->compile(module, {}, nullptr);
        ASSERT_TRUE(executable.ok()) << executable.status().to_string();
        for (int threads : {1, 2, 3}) {
          ThreadPool pool(threads);
          ExecuteOptions options;
          options.executor = &pool;
          EXPECT_TRUE(run(**executable, arguments, options)[0].identical(*wanted)) << isa_name(isa) << " " << threads;
        }
      });
    }
  }
}

TEST(Scatter, BodiesHaveConstants) {
  for (const auto& [type, constant] : {std::pair("f32", "0.5"),
                                       {"f64", "0.25"},
                                       {"bf16", "-0.5"},
                                       {"f16", "2"},
                                       {"s32", "-3"},
                                       {"u8", "200"},
                                       {"c64", "(0.5, -1)"}}) {
    const std::string body = fmt::format(
        "body {{ a = {0}[] parameter(0)  u = {0}[] parameter(1)  k = {0}[] constant({1})  m = {0}[] multiply(a, k)  "
        "ROOT r = {0}[] add(m, u) }}",
        type, constant);
    for (int64_t length : {1, 5, 37}) check_text(body, type, length);
  }
}

TEST(Scatter, BodiesHaveLoops) {
  const std::string body = R"(
goes_on { p = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT }
turn { p = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f32[] get-tuple-element(p), index=1
  one = s32[] constant(1)  j = s32[] add(i, one)  y = f32[] add(x, x)  ROOT t = (s32[], f32[]) tuple(j, y) }
body { a = f32[] parameter(0)  u = f32[] parameter(1)  z = s32[] constant(0)  t = (s32[], f32[]) tuple(z, u)
  w = (s32[], f32[]) while(t), condition=goes_on, body=turn  d = f32[] get-tuple-element(w), index=1
  ROOT r = f32[] add(a, d) })";
  for (int64_t length : {1, 5, 37}) check_text(body, "f32", length);
}

std::string scatter_of_rows(std::string_view type, int64_t bins, int64_t n, int64_t row) {
  return fmt::format(R"(HloModule bins
body {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] add(a, b)
}}
ENTRY main {{
  x = {0}[{1},{3}] parameter(0)
  i = s32[{2},1] parameter(1)
  u = {0}[{2},{3}] parameter(2)
  ROOT s = {0}[{1},{3}] scatter(x, i, u), update_window_dims={{1}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=body
}}
)",
                     type, bins, n, row);
}

template <typename T>
void check_scatter(std::string_view type, int64_t bins, int64_t n, int64_t row, double units) {
  for (const Terms& terms : kTerms) {
    SCOPED_TRACE(terms.name);
    const Literal x = filled_with<T>(kTerms[1], {bins, row}), u = filled_with<T>(terms, {n, row});
    Literal places(Shape::array(ElementType::kS32, {n, 1}));
    for (int64_t i = 0; i < n; ++i)
      places.data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(hashed(i) * static_cast<double>(bins));
    std::vector<ExactSum> sums(static_cast<size_t>(bins * row));
    const auto take = [&](size_t at, T value) { sums[at].take(static_cast<long double>(static_cast<double>(value))); };
    for (size_t i = 0; i < sums.size(); ++i) take(i, x.data<T>()[i]);
    for (int64_t i = 0; i < n * row; ++i) {
      const int64_t bin = places.data<int32_t>()[static_cast<size_t>(i / row)];
      take(static_cast<size_t>(bin * row + i % row), u.data<T>()[static_cast<size_t>(i)]);
    }
    check_sums(scatter_of_rows(type, bins, n, row), {x, places, u}, sums, units);
  }
}

TEST(Scatter, KeepsTheDigitsOfManyUpdatesOfFewPlaces) {
  check_scatter<float>("f32", 10, 100003, 1, 1.01);
  check_scatter<float>("f32", 3, 20011, 17, 1.01);
  check_scatter<double>("f64", 10, 100003, 1, 2);
  check_scatter<bfloat16>("bf16", 10, 100003, 1, 1.01);
  check_scatter<float16>("f16", 7, 1009, 1, 1.01);
}

TEST(Scatter, KeepsTheDigitsOfComplexUpdates) {
  for (const char* type : {"c64", "c128"}) {
    const StatusOr<hlo::Module> module = hlo::parse_module(scatter_of_rows(type, 4, 40004, 1));
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    Literal places(Shape::array(ElementType::kS32, {40004, 1}));
    for (int64_t i = 0; i < 40004; ++i) places.data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(i % 4);
    const auto arguments = [&]<typename T>() {
      return std::vector<Literal>{constant_of(std::complex<T>(0, 0), {4, 1}), places,
                                  constant_of(std::complex<T>(T(0.1), T(-0.3)), {40004, 1})};
    };
    const auto expect = [&]<typename T>(const Literal& got) {
      for (const std::complex<T>& sum : got.data<std::complex<T>>()) {
        const long double n = 10001;
        EXPECT_EQ(sum.real(), static_cast<T>(static_cast<long double>(T(0.1)) * n));
        EXPECT_EQ(sum.imag(), static_cast<T>(static_cast<long double>(T(-0.3)) * n));
      }
    };
    const auto check_type = [&]<typename T>() {
      const std::vector<Literal> inputs = arguments.template operator()<T>();
      expect.template operator()<T>(*hlo::evaluate(*module, inputs));
      on_every_isa([&](Isa) {
        auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
        ASSERT_TRUE(executable.ok()) << executable.status().to_string();
        expect.template operator()<T>(run(**executable, inputs)[0]);
      });
    };
    if (std::string_view(type) == "c64") check_type.template operator()<float>();
    else check_type.template operator()<double>();
  }
}

/// Positions without updates retain their bits, including -0, NaN and infinities.
TEST(Scatter, LeavesPlacesWithoutUpdatesAlone) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const char* type : {"f32", "f64"}) {
    const StatusOr<hlo::Module> module = hlo::parse_module(scatter_of_rows(type, 4, 200, 1));
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    const auto check_type = [&]<typename T>() {
      Literal x(Shape::array(element_type_of<T>, {4, 1})), u = constant_of(T(1), {200, 1});
      const T values[] = {T(-0.0), T(infinity), std::numeric_limits<T>::quiet_NaN(), T(5)};
      std::copy_n(values, 4, x.data<T>().begin());
      Literal places(Shape::array(ElementType::kS32, {200, 1}));
      for (int64_t i = 0; i < 200; ++i) places.data<int32_t>()[static_cast<size_t>(i)] = i % 2 == 0 ? 1 : 7;
      auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
      ASSERT_TRUE(executable.ok()) << executable.status().to_string();
      for (const Literal& got : {run(**executable, {x, places, u})[0], *hlo::evaluate(*module, {x, places, u})}) {
        const std::span<const T> sums = got.data<T>();
        EXPECT_TRUE(sums[0] == 0 && std::signbit(sums[0])) << type;
        EXPECT_EQ(sums[1], T(infinity)) << type;
        EXPECT_TRUE(std::isnan(sums[2])) << type;
        EXPECT_EQ(sums[3], T(5)) << type;
      }
    };
    if (std::string_view(type) == "f32") check_type.template operator()<float>();
    else check_type.template operator()<double>();
  }
}

}  // namespace
}  // namespace hilo::cpu
