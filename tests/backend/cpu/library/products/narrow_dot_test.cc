// SPDX-License-Identifier: Apache-2.0
// Products of bf16 and f16 on the engine, on every instruction set. Sums are in f32, denormals are preserved, and the
// bits don't depend on the number of threads.
#include "hilo/base/thread_pool.h"
#include "tests/backend/cpu/sum_check.h"

namespace hilo::cpu {
namespace {

std::string text_of(std::string_view lhs, std::string_view rhs, std::string_view out, std::string_view dimensions) {
  return fmt::format(
      "HloModule product\n\nENTRY main {{\n  x = {} parameter(0)\n  y = {} parameter(1)\n  ROOT d = {} dot(x, y), "
      "{}\n}}\n",
      lhs, rhs, out, dimensions);
}

template <typename T = bfloat16>
Literal filled(const Shape& shape, int terms) {
  return filled_with<T>(kTerms[terms], {shape.dimensions().begin(), shape.dimensions().end()});
}

/// [m, k] times [k, n], either of which may be transposed. Larger than the products that regions compute.
struct Layout {
  bool left_turned, right_turned;
};

template <typename T>
void check_product(int64_t m, int64_t n, int64_t k, const Layout& layout, std::string_view out) {
  constexpr ElementType kType = element_type_of<T>;
  const Shape a = Shape::array(kType, layout.left_turned ? std::vector{k, m} : std::vector{m, k});
  const Shape b = Shape::array(kType, layout.right_turned ? std::vector{n, k} : std::vector{k, n});
  const Literal x = filled<T>(a, 2), y = filled<T>(b, 1);
  std::vector<ExactSum> sums(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < k; ++l)
        sums[static_cast<size_t>(i * n + j)].take(
            static_cast<long double>(x.data<T>()[static_cast<size_t>(layout.left_turned ? l * m + i : i * k + l)]) *
            static_cast<long double>(y.data<T>()[static_cast<size_t>(layout.right_turned ? j * k + l : l * n + j)]));
    }
  }
  check_sums(text_of(a.to_string(), b.to_string(), fmt::format("{}[{},{}]", out, m, n),
                     fmt::format("lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}", layout.left_turned ? 0 : 1,
                                 layout.right_turned ? 1 : 0)),
             {x, y}, sums, out == "f32" ? 33 + static_cast<double>(k) / 8 : 2, false);
}

TEST(NarrowDot, KeepsTheDigitsOfSumsInEveryLayout) {
  const auto check_all = []<typename T>(std::string_view narrow, T) {
    for (const Layout& layout : {Layout{false, false}, Layout{false, true}, Layout{true, false}, Layout{true, true}}) {
      for (const std::string_view out : {std::string_view("f32"), narrow}) {
        check_product<T>(131, 97, 211, layout, out);
        check_product<T>(3, 1061, 701, layout, out);
        check_product<T>(515, 2, 1999, layout, out);
      }
    }
    check_product<T>(19, 21, 20011, {false, true}, "f32");
  };
  check_all("bf16", bfloat16());
  check_all("f16", float16());
}

TEST(NarrowDot, OfBatchesIsTheReferences) {
  const auto run_both = [](const std::string& text) {
    const StatusOr<hlo::Module> module = hlo::parse_module(text);
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    check(*module, 1e-2);
  };
  for (const std::string t : {"bf16", "f16"}) {
    run_both(text_of(t + "[3,101,130]", t + "[3,130,104]", t + "[3,101,104]",
                     "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"));
    run_both(text_of(t + "[101,3,130]", t + "[104,130,3]", t + "[3,101,104]",
                     "lhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_batch_dims={2}, rhs_contracting_dims={1}"));
    run_both(text_of(t + "[120,11,12]", t + "[11,90,12]", "f32[120,90]",
                     "lhs_contracting_dims={1,2}, rhs_contracting_dims={0,2}"));
  }
}

std::vector<Literal> run_text(const std::string& text, const std::vector<Literal>& arguments) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  const auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  return run(**executable, arguments);
}

TEST(NarrowDot, KeepsDenormalsInOperandsAndSums) {
  const int64_t n = 128;
  Literal tiny = filled(Shape::array(ElementType::kBf16, {n, n}), 1), huge = tiny;
  for (bfloat16& x : tiny.data<bfloat16>()) x = bfloat16(static_cast<float>(x) * 0x1p-130f);
  for (bfloat16& x : huge.data<bfloat16>()) x = bfloat16(static_cast<float>(x) * 0x1p90f);
  const std::string text =
      text_of("bf16[128,128]", "bf16[128,128]", "f32[128,128]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok());
  for (const Literal& other : {huge, filled(tiny.shape(), 1)}) {
    const StatusOr<Literal> wanted = hlo::evaluate(*module, std::vector<Literal>{tiny, other});
    ASSERT_TRUE(wanted.ok());
    on_every_isa([&](Isa isa) {
      const Literal got = run_text(text, {tiny, other})[0];
      for (int64_t i = 0; i < n * n; ++i) {
        const double a = element_as_double(got, i), b = element_as_double(*wanted, i);
        ASSERT_GT(b, 0);
        ASSERT_NEAR(a, b, 1e-5 * b + 0x1p-140) << isa_name(isa) << ", element " << i;
      }
    });
  }
}

TEST(NarrowDot, HasTheSameBitsOnAnyNumberOfThreads) {
  const std::string text =
      text_of("bf16[300,700]", "bf16[700,290]", "f32[300,290]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  const std::vector<Literal> arguments = {filled(Shape::array(ElementType::kBf16, {300, 700}), 2),
                                          filled(Shape::array(ElementType::kBf16, {700, 290}), 1)};

  set_default_thread_count(1);
  const Literal one = run_text(text, arguments)[0];
  for (const int threads : {2, 3, 5}) {
    set_default_thread_count(threads);
    EXPECT_TRUE(run_text(text, arguments)[0].identical(one)) << threads;
  }
  set_default_thread_count(0);
}

}  // namespace
}  // namespace hilo::cpu
