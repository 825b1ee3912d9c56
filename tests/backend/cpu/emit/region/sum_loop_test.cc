// SPDX-License-Identifier: Apache-2.0
// Long sums of regions: reductions, means, norms, dot products. They are accurate for every length and axis.
#include <algorithm>
#include <cstring>

#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/sum_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

/// docs/numerics.md: the number of terms added in order, and one combination for each doubling.
double bound_of(int64_t terms) { return 32 + std::log2(static_cast<double>(terms)); }

std::string list(const std::vector<int64_t>& values) {
  std::string text;
  for (int64_t v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
  return text;
}

std::string reduction(std::string_view type, const std::vector<int64_t>& sizes, const std::vector<int64_t>& dimensions,
                      std::string_view op = "add", std::string_view initial = "0") {
  std::vector<int64_t> kept;
  for (int64_t d = 0; d < std::ssize(sizes); ++d) {
    if (std::ranges::find(dimensions, d) == dimensions.end()) kept.push_back(sizes[static_cast<size_t>(d)]);
  }
  return fmt::format(R"(HloModule reduction
body {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] {4}(a, b)
}}
ENTRY main {{
  x = {0}[{1}] parameter(0)
  zero = {0}[] constant({5})
  ROOT r = {0}[{2}] reduce(x, zero), dimensions={{{3}}}, to_apply=body
}}
)",
                     type, list(sizes), list(kept), list(dimensions), op, initial);
}

/// The exact sums of an array of [outer, n, inner] along n.
template <typename T>
std::vector<ExactSum> sums_along(const Literal& array, int64_t outer, int64_t n, int64_t inner) {
  std::vector<ExactSum> sums(static_cast<size_t>(outer * inner));
  size_t at = 0;
  const std::span<const T> values = array.data<T>();
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k < inner; ++k)
        sums[static_cast<size_t>(o * inner + k)].take(static_cast<long double>(static_cast<double>(values[at++])));
    }
  }
  return sums;
}

template <typename T>
void check_all(std::string_view type, int64_t n) {
  for (const Terms& terms : kTerms) {
    const Literal x = filled_with<T>(terms, {n});
    SCOPED_TRACE(terms.name);
    check_sums(reduction(type, {n}, {0}), {x}, sums_along<T>(x, 1, n, 1), bound_of(n));
  }
}

TEST(RegionSums, KeepTheirDigitsAtEveryLength) {
  // 1000, a prime, twice a prime, and numbers near powers of two and three.
  for (int64_t n : {1000, 1009, 2018, 4099, 65539, 131101, 1000003}) check_all<float>("f32", n);
}

TEST(RegionSums, KeepTheirDigitsInDouble) {
  for (int64_t n : {1009, 131101}) check_all<double>("f64", n);
}

TEST(RegionSums, KeepTheirDigitsOverMillions) {
  const int64_t n = (1 << 24) + 3;
  check_sums(reduction("f32", {n}, {0}), {constant_of(0.1f, {n})}, equal_sums(1, n, static_cast<long double>(0.1f)),
             bound_of(n), false);
}

/// In bytes, because the same number of floats would exhaust memory.
TEST(RegionSums, KeepTheirDigitsOverAHundredMillion) {
  const int64_t n = 100000007;
  Literal x(Shape::array(ElementType::kU8, {n}));
  const std::span<uint8_t> bytes = x.data<uint8_t>();
  const int64_t pattern = 10007;
  std::vector<int64_t> counts(256, 0);
  for (int64_t i = 0; i < pattern; ++i) bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(hashed(i) * 256);
  for (int64_t filled = pattern; filled < n;) {
    const int64_t more = std::min(filled, n - filled);
    std::memcpy(bytes.data() + filled, bytes.data(), static_cast<size_t>(more));
    filled += more;
  }
  for (int64_t i = 0; i < pattern; ++i) counts[bytes[static_cast<size_t>(i)]] += n / pattern + (i < n % pattern);
  ExactSum exact;
  for (int64_t b = 0; b < 256; ++b)
    exact.take(static_cast<long double>(counts[static_cast<size_t>(b)]) *
               static_cast<long double>(static_cast<float>(b) * 0.1f));
  check_sums(fmt::format(R"(HloModule bytes
body {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}}
ENTRY main {{
  x = u8[{0}] parameter(0)
  f = f32[{0}] convert(x)
  tenth = f32[] constant(0.1)
  tenths = f32[{0}] broadcast(tenth), dimensions={{}}
  y = f32[{0}] multiply(f, tenths)
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(y, zero), dimensions={{0}}, to_apply=body
}}
)",
                         n),
             {x}, {{exact}}, bound_of(n), false);
}

TEST(RegionSums, KeepTheirDigitsAlongEveryAxis) {
  for (const auto& [outer, inner] : {std::pair<int64_t, int64_t>{1, 10}, {10, 1}, {3, 7}, {1, 300}}) {
    for (const Terms& terms : {kTerms[0], kTerms[1], kTerms[3]}) {
      const int64_t n = 2503;
      const Literal x = filled_with<float>(terms, {outer, n, inner});
      SCOPED_TRACE(terms.name);
      check_sums(reduction("f32", {outer, n, inner}, {1}), {x}, sums_along<float>(x, outer, n, inner), bound_of(n));
    }
  }
  check_sums(reduction("f32", {1600000, 10}, {0}), {constant_of(0.1f, {1600000, 10})},
             equal_sums(10, 1600000, static_cast<long double>(0.1f)), bound_of(1600000), false);
}

/// Dimensions that are not contiguous, so they can't be merged.
TEST(RegionSums, KeepTheirDigitsOverSeveralAxes) {
  const Literal x = filled_with<float>(kTerms[0], {1009, 3, 1013});
  std::vector<ExactSum> sums(3);
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t k = 0; k < 1009 * 1013; ++k) sums[static_cast<size_t>(i)].take(static_cast<long double>(0.1f));
  }
  check_sums(reduction("f32", {1009, 3, 1013}, {0, 2}), {x}, sums, bound_of(1009 * 1013));
  const Literal y = filled_with<float>(kTerms[1], {67, 71, 73});
  check_sums(reduction("f32", {67, 71, 73}, {0, 1, 2}), {y}, sums_along<float>(y, 1, 67 * 71 * 73, 1),
             bound_of(67 * 71 * 73));
}

/// Half precision: one rounding at the end, and errors before it are smaller.
TEST(RegionSums, TakeHalfPrecisionInF32) {
  for (const int64_t n : {1009, 65539}) {
    const Literal x = filled_with<bfloat16>(kTerms[0], {n}), y = filled_with<bfloat16>(kTerms[1], {n});
    check_sums(reduction("bf16", {n}, {0}), {x}, sums_along<bfloat16>(x, 1, n, 1), 1.01);
    check_sums(reduction("bf16", {n}, {0}), {y}, sums_along<bfloat16>(y, 1, n, 1), 1.01);
  }
  const Literal x = filled_with<float16>(kTerms[0], {65539});
  check_sums(reduction("f16", {65539}, {0}), {x}, sums_along<float16>(x, 1, 65539, 1), 1.01);
}

TEST(RegionSums, KeepBothPartsOfComplexNumbers) {
  const int64_t n = 100003;
  Literal x(Shape::array(ElementType::kC64, {n}));
  std::fill_n(x.data<std::complex<float>>().begin(), n, std::complex<float>(0.1f, -0.3f));
  const StatusOr<hlo::Module> module = hlo::parse_module(reduction("c64", {n}, {0}, "add", "(0,0)"));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const auto expect = [&](const Literal& got, const std::string& where) {
    const std::complex<float> sum = got.data<std::complex<float>>()[0];
    EXPECT_NEAR(sum.real() / static_cast<double>(n), static_cast<double>(0.1f), 0.1 * bound_of(n) * 0x1p-24) << where;
    EXPECT_NEAR(sum.imag() / static_cast<double>(n), static_cast<double>(-0.3f), 0.3 * bound_of(n) * 0x1p-24) << where;
  };
  expect(*hlo::evaluate(*module, {x}), "reference");
  on_every_isa([&](Isa isa) {
    auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
    expect(run(**executable, {x})[0], std::string(isa_name(isa)));
  });
}

/// Factors near 1 that all round in the same direction, so that errors of f32 products would add up.
TEST(RegionSums, KeepTheDigitsOfProducts) {
  for (const int64_t n : {1009, 100003, 1000003}) {
    for (const double factor : {1 + 0x1p-20, 1 - 0x1p-21}) {
      Literal x(Shape::array(ElementType::kF32, {n}));
      std::fill_n(x.data<float>().begin(), n, static_cast<float>(factor));
      ExactSum exact;
      exact.take(std::pow(static_cast<long double>(factor), static_cast<long double>(n)));
      check_sums(reduction("f32", {n}, {0}, "multiply", "1"), {x}, {{exact}}, 18);
      check_sums(reduction("f32", {n, 1}, {0}, "multiply", "1"), {x.reshaped(Shape::array(ElementType::kF32, {n, 1}))},
                 {{exact}}, 18, false);
    }
  }
}

/// Two sums of a row, a maximum, and a sum that depends on these.
TEST(RegionSums, StandBesideOtherReductionsOfTheRow) {
  for (int64_t n : {31, 4099, 100003}) {
    check_text(fmt::format(R"(HloModule softmax
add {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}}
max {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b)
}}
ENTRY main {{
  x = f32[3,{0}] parameter(0)
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  most = f32[3] reduce(x, low), dimensions={{1}}, to_apply=max
  sum = f32[3] reduce(x, zero), dimensions={{1}}, to_apply=add
  squares = f32[3,{0}] multiply(x, x)
  norm = f32[3] reduce(squares, zero), dimensions={{1}}, to_apply=add
  mosts = f32[3,{0}] broadcast(most), dimensions={{0}}
  less = f32[3,{0}] subtract(x, mosts)
  e = f32[3,{0}] exponential(less)
  total = f32[3] reduce(e, zero), dimensions={{1}}, to_apply=add
  totals = f32[3,{0}] broadcast(total), dimensions={{0}}
  p = f32[3,{0}] divide(e, totals)
  ROOT r = (f32[3], f32[3], f32[3], f32[3,{0}]) tuple(most, sum, norm, p)
}}
)",
                           n));
  }
}

/// Products of vectors, of a matrix and a vector, and of narrow matrices by blocks of rows.
TEST(RegionSums, KeepTheirDigitsInProductsOfVectorsAndMatrices) {
  const std::vector<std::array<int64_t, 3>> shapes = {{1, 1000003, 1}, {3, 65539, 1}, {1, 65539, 5},
                                                      {2, 2039, 16},   {7, 1009, 17}, {2, 8209, 2}};
  for (const auto& [m, k, n] : shapes) {
    for (const Terms& terms : {kTerms[0], kTerms[2]}) {
      const Literal a = filled_with<float>(terms, {m, k}), b = filled_with<float>(terms, {k, n});
      std::vector<ExactSum> sums(static_cast<size_t>(m * n));
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          for (int64_t l = 0; l < k; ++l)
            sums[static_cast<size_t>(i * n + j)].take(
                static_cast<long double>(a.data<float>()[static_cast<size_t>(i * k + l)]) *
                b.data<float>()[static_cast<size_t>(l * n + j)]);
        }
      }
      SCOPED_TRACE(terms.name);
      check_sums(product_text("f32", m, k, n), {a, b}, sums, bound_of(k) + 1);
    }
  }
}

/// Integers and extremes have no rounding errors, so long rows need no partial sums.
TEST(RegionSums, LeaveIntegersAndExtremesAsTheyAre) {
  for (const char* type : {"s32", "u8", "s64", "pred"})
    check_text(reduction(type, {3, 4099}, {1}, std::string_view(type) == "pred" ? "or" : "add",
                         std::string_view(type) == "pred" ? "false" : "0"));
  for (const char* op : {"maximum", "minimum"}) check_text(reduction("f32", {3, 65539}, {1}, op, "0"));
  check_text(product_text("s32", 2, 8209, 16));
}

/// One loop over rows, one over chunks, and one within a chunk. Partial sums are stored on the stack.
TEST(RegionSums, LongRowsAreTwoLoops) {
  EXPECT_EQ(code_of(sum_of("f32") + R"(ENTRY main {
  x = f32[100,5000] parameter(0)
  zero = f32[] constant(0)
  ROOT y = f32[100] reduce(x, zero), dimensions={1}, to_apply=sum
}
)"),
            "4 load <64 x float>, 1 load i64, 1 store <64 x float>, 1 store float, 2 store i64, 4 turn");
}

}  // namespace
}  // namespace hilo::cpu
