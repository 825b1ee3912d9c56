// SPDX-License-Identifier: Apache-2.0
// Running sums, compared with exact sums.
#include "tests/backend/cpu/sum_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

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

TEST(Cumulative, KeepsTheDigitsOfLongSums) {
  const int64_t n = 30011;
  const std::string line = fmt::format("size={} pad={}_0", n, n - 1),
                    column = fmt::format("size={}x1 pad={}_0x0_0", n, n - 1);
  for (const Terms& terms : kTerms) {
    SCOPED_TRACE(terms.name);
    const Literal x = filled_with<float>(terms, {n}), y = filled_with<double>(terms, {n, 3});
    check_sums(windowed("f32", {n}, line), {x}, running_sums<float>(x, 1), 1.01);
    check_sums(windowed("f64", {n, 3}, column), {y}, running_sums<double>(y, 3), 18);
  }
  const Literal x = filled_with<bfloat16>(kTerms[0], {n});
  check_sums(windowed("bf16", {n}, line), {x}, running_sums<bfloat16>(x, 1), 1.01);
  const Literal y = filled_with<float16>(kTerms[1], {n});
  check_sums(windowed("f16", {n}, line), {y}, running_sums<float16>(y, 1), 1.01);
}

/// More ones than f32 can count one by one.
TEST(Cumulative, CountsPastTheIntegersOfAFloat) {
  const int64_t n = (1 << 24) + 1003;
  const StatusOr<hlo::Module> module =
      hlo::parse_module(windowed("bf16", {n}, fmt::format("size={} pad={}_0", n, n - 1)));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  Literal x(Shape::array(ElementType::kBf16, {n}));
  std::fill_n(x.data<bfloat16>().begin(), n, bfloat16(3.0f));
  const Literal got = run(**executable, {x})[0];
  EXPECT_EQ(element_as_double(got, n - 1),
            static_cast<double>(static_cast<float>(bfloat16(3.0f * static_cast<float>(n)))));
}

TEST(Cumulative, KeepsTheDigitsOfComplexNumbers) {
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
  auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  expect(run(**executable, {x})[0]);
}

/// Adjacent lines, fewer and more than fit in a vector or a block, with NaN, infinities and zeros of both signs.
TEST(Cumulative, TakesGreatestElementsOfNeighbouringLines) {
  for (const auto& [length, lanes] : {std::pair<int64_t, int64_t>{1, 1}, {11, 3}, {7, 31}, {40, 1029}, {5, 4928}}) {
    const std::string text = fmt::format(R"(HloModule running
body {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b)
}}
ENTRY main {{
  x = f32[{0},{1}] parameter(0)
  low = f32[] constant(-inf)
  ROOT r = f32[{0},{1}] reduce-window(x, low), window={{size={0}x1 pad={2}_0x0_0}}, to_apply=body
}}
)",
                                         length, lanes, length - 1);
    const StatusOr<hlo::Module> module = hlo::parse_module(text);
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    Literal x = sample(Shape::array(ElementType::kF32, {length, lanes}), 3);
    const float specials[] = {NAN, INFINITY, -INFINITY, -0.0f, 0.0f, 1e-45f};
    for (size_t k = 0; k < x.data<float>().size(); k += 5) x.data<float>()[k] = specials[k % std::size(specials)];
    auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const Literal got = run(**executable, {x})[0], wanted = *hlo::evaluate(*module, {x});
    for (int64_t k = 0; k < length * lanes; ++k) {
      const double a = element_as_double(got, k), b = element_as_double(wanted, k);
      ASSERT_TRUE(std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b)) << text << k;
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
