// SPDX-License-Identifier: Apache-2.0
// Matrix products whose sums are too long for one BLAS call.
#include "hilo/backend/cpu/library/products/blas.h"

#include "tests/backend/cpu/sum_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

/// By itself, OpenBLAS doesn't detect Intel processors newer than itself, nor AMD's with AVX-512.
TEST(Blas, UsesTheProcessorsVectorsAndLeavesTheEnvironmentAlone) {
  const bool told_otherwise = std::getenv("OPENBLAS_CORETYPE") != nullptr;
  if (std::string_view(blas_name()) == "none" || told_otherwise) return;
  EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE"), nullptr);
  const auto core_name = reinterpret_cast<char* (*)()>(blas_symbol("openblas_get_corename"));
  ASSERT_NE(core_name, nullptr);
  const std::string_view name = core_name();
  const bool wide = name == "SkylakeX" || name == "Cooperlake" || name == "SapphireRapids";
  const bool fits =
      host_isa() == Isa::kSse2 || wide || (host_isa() == Isa::kAvx2 && (name == "Haswell" || name == "Zen"));
  EXPECT_TRUE(fits) << name << " on " << isa_name(host_isa());
}

TEST(Blas, KeepsTheDigitsOfDeepProducts) {
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
             equal_sums(6, 200003, static_cast<long double>(0.1) * 0.1), bound_of_tiles(200003));
  for (const int64_t depth : {4099, 8209, 20011}) {
    const int64_t m = 9, n = 7;
    const Literal a = filled_with<float>(kTerms[2], {m, depth}), b = filled_with<float>(kTerms[1], {n, depth});
    std::vector<ExactSum> sums(static_cast<size_t>(m * n));
    for (int64_t i = 0; i < m * n; ++i) {
      for (int64_t l = 0; l < depth; ++l)
        sums[static_cast<size_t>(i)].take(
            static_cast<long double>(a.data<float>()[static_cast<size_t>(i / n * depth + l)]) *
            b.data<float>()[static_cast<size_t>(i % n * depth + l)]);
    }
    check_sums(text("f32", m, depth, n), {a, b}, sums, 32 + std::log2(static_cast<double>(depth)));
  }
}

/// A deep product that is also split into tiles: each element of the result is its own sum.
TEST(Blas, PutsEachTileOfADeepProductInItsPlace) {
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
  auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const std::vector<Literal> got = run(**executable, {a, b});
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const float wanted = i % n == j ? 2 * static_cast<float>(i + 1) : 0;
      ASSERT_EQ(got[0].data<float>()[static_cast<size_t>(i * n + j)], wanted) << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
