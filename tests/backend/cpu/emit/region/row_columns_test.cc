// SPDX-License-Identifier: Apache-2.0
// Short rows, with vectors across rows.
#include <fmt/format.h>

#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

constexpr std::pair<int64_t, int64_t> kRows[] = {{63, 3},  {64, 3},   {65, 3},    {100, 2}, {71, 4}, {130, 5},
                                                 {97, 10}, {128, 15}, {1001, 16}, {70, 17}, {3, 10}};

std::string softmax_of(std::string_view type, int64_t rows, int64_t length) {
  return fmt::format(R"(HloModule softmax
most {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT m = {0}[] maximum(a, b) }}
sum {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT s = {0}[] add(a, b) }}
ENTRY main {{
  x = {0}[{1},{2}] parameter(0)
  least = {0}[] constant(-inf)
  zero = {0}[] constant(0)
  m = {0}[{1}] reduce(x, least), dimensions={{1}}, to_apply=most
  wide = {0}[{1},{2}] broadcast(m), dimensions={{0}}
  d = {0}[{1},{2}] subtract(x, wide)
  e = {0}[{1},{2}] exponential(d)
  t = {0}[{1}] reduce(e, zero), dimensions={{1}}, to_apply=sum
  all = {0}[{1},{2}] broadcast(t), dimensions={{0}}
  ROOT y = {0}[{1},{2}] divide(e, all)
}}
)",
                     type, rows, length);
}

TEST(RegionShortRows, SoftmaxIsTheReferences) {
  for (const auto& [rows, length] : kRows) {
    check_text(softmax_of("f32", rows, length), 1e-6);
    check_text(softmax_of("f64", rows, length), 1e-14);
  }
  for (int64_t length : {3, 10}) {
    check_text(softmax_of("bf16", 100, length), 1e-2);
    check_text(softmax_of("f16", 100, length), 1e-3);
  }
}

/// The index of the first maximum along `dimension` of `shape`. NaN takes precedence, as in JAX.
hlo::Module arg_max_of(std::string_view type, const std::string& shape, const std::string& result, int dimension) {
  const bool is_float = type[0] == 'f' || type[0] == 'b';
  const StatusOr<hlo::Module> module = hlo::parse_module(fmt::format(
      R"(HloModule arg
body {{
  a = {0}[] parameter(0)
  i = s32[] parameter(1)
  b = {0}[] parameter(2)
  j = s32[] parameter(3)
  more = pred[] compare(a, b), direction=GT
  nan = pred[] compare(a, a), direction=NE
  keeps = pred[] or(more, nan)
  equal = pred[] compare(a, b), direction=EQ
  before = pred[] compare(i, j), direction=LT
  first = pred[] and(equal, before)
  takes = pred[] or(keeps, first)
  value = {0}[] select(keeps, a, b)
  index = s32[] select(takes, i, j)
  ROOT t = ({0}[], s32[]) tuple(value, index)
}}
ENTRY main {{
  x = {0}[{1}] parameter(0)
  n = s32[{1}] iota(), iota_dimension={3}
  least = {0}[] constant({4})
  zero = s32[] constant(0)
  r = ({0}[{2}], s32[{2}]) reduce(x, n, least, zero), dimensions={{{3}}}, to_apply=body
  ROOT k = s32[{2}] get-tuple-element(r), index=1
}}
)",
      type, shape, result, dimension,
      is_float         ? "-inf"
      : type[0] == 's' ? "-128"
                       : "0"));
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return *module;
}

TEST(RegionShortRows, ArgumentsOfMaximaAreTheReferencesForTiesAndNan) {
  for (const char* type : {"f32", "f64", "bf16", "s8", "u8", "s32"}) {
    for (const auto& [rows, length] : kRows) {
      const hlo::Module module = arg_max_of(type, fmt::format("{},{}", rows, length), std::to_string(rows), 1);
      std::vector<Literal> arguments = samples(module);
      visit_element_type(
          arguments[0].shape().element_type(),
          [&]<typename T>() {
            if constexpr (is_floating(element_type_of<T>)) {
              const std::span<T> x = arguments[0].data<T>();
              for (size_t k = 0; k < x.size(); k += 5)
                x[k] = static_cast<T>(k % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : -0.0);
            }
          },
          [] {});
      check(module, arguments, 0);
    }
    check(arg_max_of(type, "70,3,5", "70,5", 1), 0);
    check(arg_max_of(type, "2,70,3", "2,70", 2), 0);
  }
}

/// Rows of two dimensions, parts of rows, permuted rows: operands that aren't dense are loaded by element.
TEST(RegionShortRows, RowsThatArentDenseAreTheReferences) {
  check_text(R"(HloModule parts
most { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT m = f32[] maximum(a, b) }
ENTRY main {
  x = f32[90,4,3] parameter(0)
  least = f32[] constant(-inf)
  planes = f32[90] reduce(x, least), dimensions={1,2}, to_apply=most
  part = f32[90,4,2] slice(x), slice={[0:90], [0:4], [1:3]}
  some = f32[90] reduce(part, least), dimensions={1,2}, to_apply=most
  back = f32[90,4,3] reverse(x), dimensions={2}
  e = f32[90,4,3] exponential(back)
  others = f32[90] reduce(e, least), dimensions={1,2}, to_apply=most
  turned = f32[90,3,4] transpose(x), dimensions={0,2,1}
  s = f32[90,3,4] sine(turned)
  last = f32[90,3] reduce(s, least), dimensions={2}, to_apply=most
  ROOT t = (f32[90], f32[90], f32[90], f32[90,3]) tuple(planes, some, others, last)
}
)");
}

/// Three elements per row: 16 rows are three loads, without scalar loads. Their columns are in registers.
TEST(RegionShortRows, RowsAreLoadedAsVectors) {
  EXPECT_EQ(
      code_of(R"(most { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT m = f32[] maximum(a, b) }
ENTRY main {
  x = f32[160,3] parameter(0)
  least = f32[] constant(-inf)
  ROOT y = f32[160] reduce(x, least), dimensions={1}, to_apply=most
}
)"),
      "1 llvm.maximum.v16f32, 2 llvm.x86.avx512.mask.range.ps.512, 3 load <16 x float>, 1 store <16 x float>, 1 turn");
}

}  // namespace
}  // namespace hilo::cpu
