// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/explain/work.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"
#include "tests/inspect/explain/some_machine.h"

namespace hilo {
namespace {

const MachineFigures& kFigures = tests::kSomeMachine;

constexpr std::string_view kSum =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\n";

/// The work of the entry's root.
Work root_work(std::string_view entry, std::string_view others = kSum) {
  std::string text = "HloModule m\n\n";
  text.append(others).append("ENTRY main {\n").append(entry).append("}\n");
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return WorkAnalysis(module->entry, kFigures).of(module->entry->root(), *module->entry);
}

void expect_only(const Work& work, WorkKind kind, double nanoseconds) {
  EXPECT_DOUBLE_EQ(work[kind], nanoseconds) << work_name(kind);
  EXPECT_DOUBLE_EQ(work.sum(), nanoseconds);
  EXPECT_EQ(work.largest(), kind);
}

TEST(WorkAnalysis, ElementwiseOpsTakeTheirRate) {
  expect_only(root_work("  x = f32[400] parameter(0)\n  ROOT y = f32[400] add(x, x)\n"), WorkKind::kArithmetic, 10);
  expect_only(root_work("  x = f64[400] parameter(0)\n  ROOT y = f64[400] add(x, x)\n"), WorkKind::kArithmetic, 20);
  expect_only(root_work("  x = c64[400] parameter(0)\n  ROOT y = c64[400] add(x, x)\n"), WorkKind::kArithmetic, 20);
  expect_only(root_work("  x = bf16[400] parameter(0)\n  ROOT y = bf16[400] exponential(x)\n"), WorkKind::kFunctions,
              100);
  expect_only(root_work("  x = f64[400] parameter(0)\n  ROOT y = f64[400] divide(x, x)\n"), WorkKind::kFunctions, 400);
  expect_only(root_work("  x = s8[400] parameter(0)\n  ROOT y = s8[400] divide(x, x)\n"), WorkKind::kFunctions, 800);
}

TEST(WorkAnalysis, MovesTakeNothingButBytes) {
  EXPECT_EQ(root_work("  x = f32[4,5] parameter(0)\n  ROOT y = f32[5,4] transpose(x), dimensions={1,0}\n").sum(), 0);
}

TEST(WorkAnalysis, ProductsHaveARateForEachType) {
  const auto product = [](std::string_view type, std::string_view result) {
    return root_work("  x = " + std::string(type) + "[10,20] parameter(0)\n  y = " + std::string(type) +
                     "[20,5] parameter(1)\n  ROOT z = " + std::string(result) +
                     "[10,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  };
  expect_only(product("f32", "f32"), WorkKind::kProducts, 20);
  expect_only(product("f64", "f64"), WorkKind::kProducts, 40);
  expect_only(product("s8", "s32"), WorkKind::kProducts, 10);
  expect_only(product("c64", "c64"), WorkKind::kProducts, 80);
}

TEST(WorkAnalysis, SortsTransformsAndScansHaveRatesOfTheirOwn) {
  expect_only(
      root_work("  x = f32[3,1024] parameter(0)\n  ROOT y = f32[3,1024] sort(x), dimensions={1}, to_apply=less\n",
                "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                "  ROOT c = pred[] compare(a, b), direction=LT\n}\n\n"),
      WorkKind::kSorting, 3 * 1024 * 10 / 0.5);
  expect_only(
      root_work("  x = c64[3,1024] parameter(0)\n  ROOT y = c64[3,1024] fft(x), fft_type=FFT, fft_length={1024}\n"),
      WorkKind::kFourier, 3 * 1024 * 10 / 2.0);
  expect_only(root_work("  x = f32[100] parameter(0)\n  z = f32[] constant(0)\n"
                        "  ROOT y = f32[100] reduce-window(x, z), window={size=100 pad=99_0}, to_apply=sum\n"),
              WorkKind::kScans, 25);
}

TEST(WorkAnalysis, PlacesCountRowsAndScattersTheirSumsToo) {
  const std::string operands = "  x = f32[50,8] parameter(0)\n  i = s32[20,1] parameter(1)\n";
  expect_only(root_work(operands + "  ROOT y = f32[20,8] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
                                   "start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}\n"),
              WorkKind::kPlaces, 10);
  const Work scatter = root_work(operands +
                                 "  u = f32[20,8] parameter(2)\n"
                                 "  ROOT y = f32[50,8] scatter(x, i, u), update_window_dims={1}, "
                                 "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                                 "index_vector_dim=1, to_apply=sum\n");
  EXPECT_EQ(scatter[WorkKind::kPlaces], 20);
  EXPECT_EQ(scatter[WorkKind::kArithmetic], 160 / 40.0);
}

TEST(WorkAnalysis, LoopsAndReductionsRepeatTheirBodies) {
  expect_only(root_work("  x = f32[401] parameter(0)\n  z = f32[] constant(0)\n"
                        "  ROOT y = f32[] reduce(x, z), dimensions={0}, to_apply=sum\n"),
              WorkKind::kArithmetic, 10);
  constexpr std::string_view kLoop =
      "body {\n  s = (s32[], f32[4000]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[4000] get-tuple-element(s), index=1\n  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
      "  y = f32[4000] add(x, x)\n  ROOT t = (s32[], f32[4000]) tuple(j, y)\n}\n\n"
      "condition {\n  s = (s32[], f32[4000]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  n = s32[] constant(9)\n  ROOT c = pred[] compare(i, n), direction=LT\n}\n\n";
  const std::string entry =
      "  x = f32[4000] parameter(1)\n  t = (s32[], f32[4000]) tuple(i, x)\n"
      "  ROOT w = (s32[], f32[4000]) while(t), condition=condition, body=body\n";
  const Work known =
      root_work("  i = s32[] constant(0)\n  x = f32[4000] parameter(0)\n" + entry.substr(entry.find("  t =")), kLoop);
  EXPECT_NEAR(known.sum(), 900, 1);
  EXPECT_TRUE(known.exact);
  const Work unknown = root_work("  i = s32[] parameter(0)\n" + entry, kLoop);
  EXPECT_NEAR(unknown.sum(), 100, 1);
  EXPECT_FALSE(unknown.exact);
}

TEST(WorkAnalysis, FactorizationsCountTheirOperations) {
  expect_only(root_work("  x = f32[5,30,30] parameter(0)\n  ROOT y = f32[5,30,30] cholesky(x), lower=true\n"),
              WorkKind::kFactorizations, 5 * 30.0 * 30 * 30 / 3 / 40);
}

}  // namespace
}  // namespace hilo
