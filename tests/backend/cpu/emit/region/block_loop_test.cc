// SPDX-License-Identifier: Apache-2.0
// Matrix products by blocks of rows.
#include <fmt/format.h>

#include "hilo/backend/cpu/codegen/compile.h"
#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

TEST(RegionBlock, MultipliesMatricesOfAllSizes) {
  for (int64_t m : {1, 2, 3, 7, 8, 13, 17}) {
    for (int64_t k : {0, 1, 3, 17}) {
      for (int64_t n : {1, 16, 17, 40, 64, 131}) check_text(product_text("f32", m, k, n));
    }
  }
  check_text(product_text("f32", 0, 3, 16));
}

TEST(RegionBlock, MultipliesAllTypes) {
  for (const char* type : {"f64", "s32", "u8", "pred"}) check_text(product_text(type, 5, 9, 33));
  for (const char* type : {"f16", "bf16"}) check_text(product_text(type, 5, 9, 33), 1e-2);
}

TEST(RegionBlock, TakesBatchesAndTransposedOperands) {
  for (int64_t m : {2, 9}) {
    check_text(fmt::format(R"(HloModule batch
ENTRY main {{
  a = f32[3,{0},7] parameter(0)
  b = f32[3,7,35] parameter(1)
  ROOT c = f32[3,{0},35] dot(a, b), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}
}}
)",
                           m));
    check_text(fmt::format(R"(HloModule transposed
ENTRY main {{
  a = f32[7,{0}] parameter(0)
  b = f32[7,35] parameter(1)
  ROOT c = f32[{0},35] dot(a, b), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}
}}
)",
                           m));
  }
}

/// Operands and consumers of the product: a factor by row, one by column, a residual, a function, a slice.
TEST(RegionBlock, ComputesWhatHangsOnTheProduct) {
  for (int64_t m : {2, 6, 11}) {
    for (int64_t n : {16, 37}) {
      check_text(fmt::format(R"(HloModule epilogue
ENTRY main {{
  a = f32[{0},{1}] parameter(0)
  w = f32[{1},{1}] parameter(1)
  rows = f32[{0}] parameter(2)
  columns = f32[{1}] parameter(3)
  stack = f32[4,{0},{1}] parameter(4)
  i = s32[] parameter(5)
  zero = s32[] constant(0)
  by_row = f32[{0},{1}] broadcast(rows), dimensions={{0}}
  by_column = f32[{0},{1}] broadcast(columns), dimensions={{1}}
  left = f32[{0},{1}] multiply(a, by_row)
  c = f32[{0},{1}] dot(left, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  slice = f32[1,{0},{1}] dynamic-slice(stack, i, zero, zero), dynamic_slice_sizes={{1,{0},{1}}}
  x = f32[{0},{1}] reshape(slice)
  d = f32[{0},{1}] add(c, x)
  e = f32[{0},{1}] multiply(d, by_column)
  f = f32[{0},{1}] subtract(e, by_row)
  g = f32[{0},{1}] tanh(f)
  ROOT h = f32[{0},{1}] add(g, a)
}}
)",
                             m, n),
                 1e-4);
    }
  }
}

TEST(RegionBlock, IsCutIntoTasksOfWholeBlocks) {
  const StatusOr<hlo::Module> module = hlo::parse_module(R"(HloModule tasks
ENTRY main {
  a = f32[2051,4] parameter(0)
  b = f32[4,16] parameter(1)
  c = f32[2051,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT d = f32[2051,16] tanh(c)
}
)");
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  check(*module);
  for (const Isa isa : supported_isas()) {
    const StatusOr<EmittedPlan> emitted = compile_plan(*module, isa);
    ASSERT_TRUE(emitted.ok());
    for (const engine::Step& step : emitted->plan.steps) {
      EXPECT_TRUE(step.kind != engine::StepKind::kKernel || step.chunk > 8);
    }
  }
}

/// In each iteration of the innermost loop, each row of a block multiplies the same vector of b, which is loaded once.
TEST(RegionBlock, RowsShareTheLoadsOfTheOtherOperand) {
  const RegionCase c(product_text("f32", 64, 16, 32).substr(sizeof("HloModule product")));
  EXPECT_EQ(shape_text(shape_of_region(c.region, Isa::kAvx512)), "dimension 1, 32 lanes, 8 rows");
  EXPECT_EQ(code_of(c, Isa::kAvx512),
            "8 llvm.fma.v32f32, 1 load <32 x float>, 8 load float, 8 store <32 x float>, 2 turn");
}

}  // namespace
}  // namespace hilo::cpu
