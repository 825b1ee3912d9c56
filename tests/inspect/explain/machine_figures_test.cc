// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/explain/machine_figures.h"

#include <gtest/gtest.h>

#include "tests/support/clients.h"

namespace hilo {
namespace {

constexpr MachineFigures kSome = {.threads = 2,
                                  .call = 120.5,
                                  .cache_bytes = 71.3,
                                  .memory_bytes = 10.5,
                                  .memory_bytes_all = 20.25,
                                  .flops_f32 = 37,
                                  .flops_f64 = 14,
                                  .transcendentals = 4.16,
                                  .product_f32 = 221,
                                  .product_f64 = 104};

TEST(MachineFigures, AFileHoldsThemForOneKey) {
  const std::string text = figures_text(kSome, "a processor, avx2");
  EXPECT_TRUE(text.starts_with("a processor, avx2\nthreads 2\ncall 120.5\ncache_bytes 71.3\n")) << text;
  EXPECT_EQ(figures_from_text(text, "a processor, avx2"), kSome);
  EXPECT_EQ(figures_from_text(text, "a processor, avx512"), std::nullopt);
}

TEST(MachineFigures, ADamagedFileIsNone) {
  const std::string text = figures_text(kSome, "k");
  for (size_t cut = 0; cut + 4 < text.size(); ++cut) {
    const std::optional<MachineFigures> read = figures_from_text(text.substr(0, cut), "k");
    EXPECT_FALSE(read == kSome) << cut;
  }
  for (const std::string_view wrong :
       {"k\nthreads 0\ncall 1\n", "k\nthreads two\n", "k\nthreads 2\ncall -1\n", "k\nthreads 2\ncache_bytes 1\n"})
    EXPECT_EQ(figures_from_text(wrong, "k"), std::nullopt) << wrong;
}

TEST(MachineFigures, EveryOneIsMeasured) {
  const StatusOr<MachineFigures> measured = measure_machine(*tests::cpu_client());
  ASSERT_TRUE(measured.ok()) << measured.status().to_string();
  EXPECT_EQ(figures_from_text(figures_text(*measured, "k"), "k").has_value(), true);  // figures of zero are rejected
}

}  // namespace
}  // namespace hilo
