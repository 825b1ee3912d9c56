// SPDX-License-Identifier: Apache-2.0
// Long sums of what isn't a region: deep products of matrices, convolutions, running sums, windows, scatters.
#include "hilo/hlo/ops/long_sums.h"

#include <algorithm>

#include "tests/backend/cpu/sum_check.h"

namespace hilo::cpu {
namespace {

/// docs/numerics.md: products that tiles and libraries sum in order, then one joining for each doubling.
double bound_of_tiles(int64_t terms) { return 1024 + 16 + std::log2(static_cast<double>(terms)); }

template <typename T>
Literal constant_of(T value, const std::vector<int64_t>& sizes) {
  Literal literal(Shape::array(element_type_of<T>, sizes));
  std::fill_n(literal.data<T>().begin(), literal.shape().element_count(), value);
  return literal;
}

/// `results` sums of n equal terms.
std::vector<ExactSum> equal_sums(int64_t results, int64_t n, long double term) {
  ExactSum sum;
  sum.take(term * static_cast<long double>(n));
  return std::vector<ExactSum>(static_cast<size_t>(results), sum);
}

TEST(LongSums, KeepTheirDigitsInDeepMatrixProducts) {
  const int64_t k = 2000003;
  const auto text = [](std::string_view type, int64_t m, int64_t depth, int64_t n) {
    return fmt::format(R"(HloModule product
ENTRY main {{
  a = {0}[{1},{2}] parameter(0)
  b = {0}[{3},{2}] parameter(1)
  ROOT c = {0}[{1},{3}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}
}}
)",
                       type, m, depth, n);
  };
  const long double term = static_cast<long double>(0.1f) * 0.1f;
  check_sums(text("f32", 2, k, 3), {constant_of(0.1f, {2, k}), constant_of(0.1f, {3, k})}, equal_sums(6, k, term),
             bound_of_tiles(k), false);
  check_sums(text("f64", 2, 200003, 3), {constant_of(0.1, {2, 200003}), constant_of(0.1, {3, 200003})},
             equal_sums(6, 200003, 0.1L * 0 + static_cast<long double>(0.1) * 0.1), bound_of_tiles(200003));
  for (const int64_t depth : {4099, 8209, 20011}) {
    const int64_t m = 9, n = 7;
    const Literal a = filled_with<float>(kTerms[2], {m, depth}), b = filled_with<float>(kTerms[1], {n, depth});
    std::vector<ExactSum> sums(static_cast<size_t>(m * n));
    for (int64_t i = 0; i < m * n; ++i) {
      for (int64_t l = 0; l < depth; ++l)
        sums[static_cast<size_t>(i)].take(static_cast<long double>(a.data<float>()[static_cast<size_t>(i / n * depth + l)]) *
                                          b.data<float>()[static_cast<size_t>(i % n * depth + l)]);
    }
    check_sums(text("f32", m, depth, n), {a, b}, sums, 32 + std::log2(static_cast<double>(depth)));
  }
}

/// A product that is cut into tiles as well: each element of the result is its own sum.
TEST(LongSums, PutEachTileOfADeepProductInItsPlace) {
  const int64_t m = 1030, k = 4097, n = 3;
  Literal a(Shape::array(ElementType::kF32, {m, k})), b(Shape::array(ElementType::kF32, {k, n}));
  for (int64_t i = 0; i < m; ++i) a.data<float>()[static_cast<size_t>(i * k + i % k)] = static_cast<float>(i + 1);
  for (int64_t l = 0; l < k; ++l) b.data<float>()[static_cast<size_t>(l * n + l % n)] = 2;
  const StatusOr<hlo::Module> module = hlo::parse_module(fmt::format(R"(HloModule product
ENTRY main {{
  a = f32[{0},{1}] parameter(0)
  b = f32[{1},{2}] parameter(1)
  ROOT c = f32[{0},{2}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
}}
)",
                                                                     m, k, n));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  auto executable = make_cpu_backend()->compile(*module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const std::vector<Literal> got = run(**executable, {a, b});
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const float wanted = i % n == j ? 2 * static_cast<float>(i + 1) : 0;
      ASSERT_EQ(got[0].data<float>()[static_cast<size_t>(i * n + j)], wanted) << i << ", " << j;
    }
  }
}

/// A convolution over one spatial dimension, channels last.
std::string convolution(int64_t positions, int64_t taps, int64_t inputs, int64_t outputs, int64_t groups) {
  return fmt::format(R"(HloModule convolution
ENTRY main {{
  x = f32[1,{0},{1}] parameter(0)
  k = f32[{2},{3},{4}] parameter(1)
  ROOT y = f32[1,{5},{4}] convolution(x, k), window={{size={2}}}, dim_labels=b0f_0io->b0f, feature_group_count={6}
}}
)",
                     positions + taps - 1, inputs, taps, inputs / groups, outputs, positions, groups);
}

TEST(LongSums, KeepTheirDigitsInConvolutions) {
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
    check_sums(convolution(c.positions, c.taps, c.inputs, c.outputs, c.groups),
               {constant_of(0.1f, {1, c.positions + c.taps - 1, c.inputs}),
                constant_of(0.3f, {c.taps, c.inputs / c.groups, c.outputs})},
               equal_sums(c.positions * c.outputs, terms, term), bound_of_tiles(terms), false);
  }
}

/// Depths at which a tile's sum is cut: right in every element.
TEST(LongSums, ConvolveAsTheReferenceAtEveryDepth) {
  for (const int64_t inputs : {1, 511, 512, 513, 1025, 5000}) {
    check_text(convolution(13, 2, inputs, 9, 1), 1e-5);
    check_text(convolution(13, 2, inputs, 3, 1), 1e-5);
  }
  for (const int64_t taps : {1023, 1025, 9001, 20011}) {
    check_text(convolution(5, taps, 1, 3, 1), 1e-5);
    check_text(convolution(3, taps, 16, 16, 16), 1e-5);
  }
  check_text(convolution(1500, 1100, 16, 16, 16), 1e-5);
}

std::string windowed(std::string_view type, const std::vector<int64_t>& sizes, std::string_view window,
                     std::string_view zero = "0") {
  std::string list, result;
  for (int64_t size : sizes) list += (list.empty() ? "" : ",") + std::to_string(size);
  return fmt::format(R"(HloModule windows
body {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] add(a, b)
}}
ENTRY main {{
  x = {0}[{1}] parameter(0)
  zero = {0}[] constant({3})
  ROOT r = {0}[{1}] reduce-window(x, zero), window={{{2}}}, to_apply=body
}}
)",
                     type, list, window, zero);
}

template <typename T>
std::vector<ExactSum> running_sums(const Literal& x, int64_t lanes) {
  std::vector<ExactSum> now(static_cast<size_t>(lanes)), all;
  size_t k = 0;
  for (const T& value : x.data<T>()) {
    ExactSum& sum = now[k++ % static_cast<size_t>(lanes)];
    sum.take(static_cast<long double>(static_cast<double>(value)));
    all.push_back(sum);
  }
  return all;
}

TEST(LongSums, KeepTheirDigitsInRunningSums) {
  const int64_t n = 100003;
  const std::string line = fmt::format("size={} pad={}_0", n, n - 1), column = fmt::format("size={}x1 pad={}_0x0_0", n, n - 1);
  for (const Terms& terms : kTerms) {
    SCOPED_TRACE(terms.name);
    const Literal x = filled_with<float>(terms, {n}), y = filled_with<double>(terms, {n, 3});
    check_sums(windowed("f32", {n}, line), {x}, running_sums<float>(x, 1), 1.01);
    check_sums(windowed("f64", {n, 3}, column), {y}, running_sums<double>(y, 3), 2);
  }
  const Literal x = filled_with<bfloat16>(kTerms[0], {n});
  check_sums(windowed("bf16", {n}, line), {x}, running_sums<bfloat16>(x, 1), 1.01);
  const Literal y = filled_with<float16>(kTerms[1], {n});
  check_sums(windowed("f16", {n}, line), {y}, running_sums<float16>(y, 1), 1.01);
}

/// More ones than f32 counts, were it to count them one by one.
TEST(LongSums, CountPastTheIntegersOfAFloat) {
  const int64_t n = (1 << 24) + 1003;
  const StatusOr<hlo::Module> module =
      hlo::parse_module(windowed("bf16", {n}, fmt::format("size={} pad={}_0", n, n - 1)));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  auto executable = make_cpu_backend()->compile(*module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  Literal x(Shape::array(ElementType::kBf16, {n}));
  std::fill_n(x.data<bfloat16>().begin(), n, bfloat16(3.0f));
  const Literal got = run(**executable, {x})[0];
  EXPECT_EQ(element_as_double(got, n - 1), static_cast<double>(static_cast<float>(bfloat16(3.0f * static_cast<float>(n)))));
}

TEST(LongSums, KeepTheirDigitsInRunningSumsOfComplexNumbers) {
  const int64_t n = 100003;
  const StatusOr<hlo::Module> module =
      hlo::parse_module(windowed("c64", {n}, fmt::format("size={} pad={}_0", n, n - 1), "(0,0)"));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const Literal x = constant_of(std::complex<float>(0.1f, -0.3f), {n});
  const auto expect = [&](const Literal& got) {
    for (const int64_t i : {int64_t{0}, int64_t{1000}, n - 1}) {
      const std::complex<float> sum = got.data<std::complex<float>>()[static_cast<size_t>(i)];
      EXPECT_EQ(sum.real(), static_cast<float>(static_cast<double>(0.1f) * static_cast<double>(i + 1)));
      EXPECT_EQ(sum.imag(), static_cast<float>(static_cast<double>(-0.3f) * static_cast<double>(i + 1)));
    }
  };
  expect(*hlo::evaluate(*module, {x}));
  auto executable = make_cpu_backend()->compile(*module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  expect(run(**executable, {x})[0]);
}

/// From infinity on a running sum is infinite, or no number: what was lost doesn't count.
TEST(LongSums, StayInfinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  hlo::CompensatedSum sum;
  for (double x : {1.0, 0.1, infinity, 0.1}) sum.take(x);
  EXPECT_EQ(sum.value(), infinity);
  sum.take(-infinity);
  EXPECT_TRUE(std::isnan(sum.value()));
  EXPECT_TRUE(std::signbit(hlo::CompensatedSum{-0.0}.value()));
}

TEST(LongSums, KeepTheirDigitsInWindows) {
  const int64_t n = 3001, size = 2001;
  const std::string window = fmt::format("size={}x1 pad={}_{}x0_0", size, size / 2, size / 2);
  const auto sums = [&]<typename T>(const Literal& x) {
    std::vector<ExactSum> all(static_cast<size_t>(2 * n));
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t i = std::max<int64_t>(p - size / 2, 0); i < std::min(p + size / 2 + 1, n); ++i) {
        for (int64_t k = 0; k < 2; ++k)
          all[static_cast<size_t>(2 * p + k)].take(
              static_cast<long double>(static_cast<double>(x.data<T>()[static_cast<size_t>(2 * i + k)])));
      }
    }
    return all;
  };
  const Literal x = filled_with<float>(kTerms[0], {n, 2});
  check_sums(windowed("f32", {n, 2}, window), {x}, sums.template operator()<float>(x), 1.01);
  const Literal y = filled_with<double>(kTerms[0], {n, 2});
  check_sums(windowed("f64", {n, 2}, window), {y}, sums.template operator()<double>(y), 2);
}

std::string scatter(std::string_view type, int64_t bins, int64_t n, int64_t row) {
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
    check_sums(scatter(type, bins, n, row), {x, places, u}, sums, units);
  }
}

TEST(LongSums, KeepTheirDigitsInScattersIntoFewPlaces) {
  check_scatter<float>("f32", 10, 100003, 1, 1.01);
  check_scatter<float>("f32", 3, 20011, 17, 1.01);
  check_scatter<double>("f64", 10, 100003, 1, 2);
  check_scatter<bfloat16>("bf16", 10, 100003, 1, 1.01);
  check_scatter<float16>("f16", 7, 1009, 1, 1.01);
}

TEST(LongSums, KeepTheirDigitsInScattersOfComplexNumbers) {
  for (const char* type : {"c64", "c128"}) {
    const StatusOr<hlo::Module> module = hlo::parse_module(scatter(type, 4, 40004, 1));
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
        auto executable = make_cpu_backend()->compile(*module, {}, nullptr);
        ASSERT_TRUE(executable.ok()) << executable.status().to_string();
        expect.template operator()<T>(run(**executable, inputs)[0]);
      });
    };
    if (std::string_view(type) == "c64") check_type.template operator()<float>();
    else check_type.template operator()<double>();
  }
}

/// Places without updates keep their bits, -0 and what isn't a number too; infinities stay.
TEST(LongSums, LeavePlacesWithoutUpdatesAlone) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const char* type : {"f32", "f64"}) {
    const StatusOr<hlo::Module> module = hlo::parse_module(scatter(type, 4, 200, 1));
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    const auto check_type = [&]<typename T>() {
      Literal x(Shape::array(element_type_of<T>, {4, 1})), u = constant_of(T(1), {200, 1});
      const T values[] = {T(-0.0), T(infinity), std::numeric_limits<T>::quiet_NaN(), T(5)};
      std::copy_n(values, 4, x.data<T>().begin());
      Literal places(Shape::array(ElementType::kS32, {200, 1}));
      for (int64_t i = 0; i < 200; ++i) places.data<int32_t>()[static_cast<size_t>(i)] = i % 2 == 0 ? 1 : 7;
      auto executable = make_cpu_backend()->compile(*module, {}, nullptr);
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
