// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/explain/machine_figures.h"

#include <gtest/gtest.h>

#include "tests/support/clients.h"

namespace hilo {
namespace {

MachineFigures with_functions(MachineFigures figures) {
  for (int k = 0; k < hlo::kElementwiseOpcodeCount; ++k) {
    for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kS32, ElementType::kS64})
      figures.functions[function_name(static_cast<hlo::Opcode>(k), type)] = 0.25 * (k + 1);
  }
  return figures;
}
const MachineFigures kSome = with_functions({.threads = 2,
                                             .call = 120.5,
                                             .unit = 20.5,
                                             .l1_bytes = 171.3,
                                             .l2_bytes = 71.3,
                                             .l3_bytes = 31.3,
                                             .memory_bytes = 10.5,
                                             .memory_bytes_all = 20.25,
                                             .flops_f32 = 37,
                                             .flops_f64 = 14,
                                             .product_f32 = 221,
                                             .product_f64 = 104,
                                             .product_bf16 = 200,
                                             .product_s8 = 300,
                                             .sorted_f32 = 0.5,
                                             .sorted_f64 = 0.4,
                                             .fourier_c64 = 2,
                                             .fourier_c128 = 1,
                                             .scanned = 1.5,
                                             .gathered = 2.5,
                                             .scattered = 1.25});

TEST(MachineFigures, AFileHoldsThemForOneKey) {
  const std::string text = figures_text(kSome, "a processor, avx2");
  EXPECT_TRUE(text.starts_with("a processor, avx2\nthreads 2\ncall 120.5\nunit 20.5\nl1_bytes 171.3\n")) << text;
  EXPECT_EQ(figures_from_text(text, "a processor, avx2"), kSome);
  EXPECT_EQ(figures_from_text(text, "a processor, avx512"), std::nullopt);
}

TEST(MachineFigures, ADamagedFileIsNone) {
  const std::string text = figures_text(kSome, "k");
  for (size_t cut = 0; cut + 4 < text.size(); cut += 7) {
    const std::optional<MachineFigures> read = figures_from_text(text.substr(0, cut), "k");
    EXPECT_FALSE(read == kSome) << cut;
  }
  for (const std::string_view wrong :
       {"k\nthreads 0\ncall 1\n", "k\nthreads two\n", "k\nthreads 2\ncall -1\n", "k\nthreads 2\nl1_bytes 1\n"})
    EXPECT_EQ(figures_from_text(wrong, "k"), std::nullopt) << wrong;
}

TEST(MachineFigures, OpsWithoutAFigureAreCheap) {
  const MachineFigures figures = {.functions = {{"exponential:f32", 4}}};
  EXPECT_EQ(figures.function_rate(hlo::Opcode::kExp, ElementType::kF32), 4);
  EXPECT_EQ(figures.function_rate(hlo::Opcode::kAdd, ElementType::kF32), std::nullopt);
}

TEST(MachineFigures, EveryOneIsMeasured) {
  const StatusOr<MachineFigures> measured = measure_machine(*tests::cpu_client());
  ASSERT_TRUE(measured.ok()) << measured.status().to_string();
  EXPECT_EQ(figures_from_text(figures_text(*measured, "k"), "k").has_value(), true);  // figures of zero are rejected
}

}  // namespace
}  // namespace hilo
