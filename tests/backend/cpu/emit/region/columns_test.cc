// SPDX-License-Identifier: Apache-2.0
// Maps and reductions of narrow rows, with one vector for each column.
#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

/// Rows of 3 elements turned by one: three loads, shuffles, three stores, and neither a mask nor a gather.
TEST(RegionColumns, StacksAreInterleavedInRegisters) {
  const std::string text = R"(ENTRY main {
  x = f32[1024,3] parameter(0)
  a = f32[1024,1] slice(x), slice={[0:1024],[0:1]}
  b = f32[1024,1] slice(x), slice={[0:1024],[1:2]}
  c = f32[1024,1] slice(x), slice={[0:1024],[2:3]}
  n = f32[1024,1] negate(b)
  ROOT z = f32[1024,3] concatenate(c, a, n), dimensions={1}
}
)";
  EXPECT_EQ(code_of(text), "3 load <16 x float>, 3 store <16 x float>, 1 turn");
  EXPECT_EQ(code_of(text, Isa::kAvx2), "3 load <8 x float>, 3 store <8 x float>, 1 turn");
}

/// Every second element: two loads and a shuffle. The last load ends at the last element that is needed.
TEST(RegionColumns, StridedReadsAreShuffles) {
  EXPECT_EQ(code_of(R"(ENTRY main {
  x = f32[2047] parameter(0)
  a = f32[1024] slice(x), slice={[0:2047:2]}
  ROOT n = f32[1024] negate(a)
}
)"),
            "2 load <16 x float>, 1 store <16 x float>, 1 turn");
}

TEST(RegionColumns, ReduceStacks) {
  for (const std::string_view type : {"f32", "f64", "s32", "bf16", "u8"}) {
    for (const int64_t rows : {64, 67, 1031}) {
      for (const std::string_view reducer : {"add", "maximum", "multiply"}) {
        check_text(fmt::format(R"(HloModule reduced
reducer {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT c = {0}[] {2}(a, b)
}}
ENTRY main {{
  x = {0}[{1}] parameter(0)
  y = {0}[{1}] parameter(1)
  one = {0}[] constant(1)
  a = {0}[{1},1] broadcast(x), dimensions={{0}}
  b = {0}[{1},1] broadcast(y), dimensions={{0}}
  d = {0}[{1}] add(x, y)
  c = {0}[{1},1] broadcast(d), dimensions={{0}}
  s = {0}[{1},3] concatenate(a, b, c), dimensions={{1}}
  r = {0}[{1}] reduce(s, one), dimensions={{1}}, to_apply=reducer
  w = {0}[{1},3] broadcast(r), dimensions={{0}}
  z = {0}[{1},3] add(s, w)
  ROOT t = ({0}[{1}], {0}[{1},3]) tuple(r, z)
}}
)",
                               type, rows, reducer),
                   type == "bf16" ? 2e-2 : 1e-5);
      }
    }
  }
}

/// Every width, with all types of columns.
TEST(RegionColumns, StackAnyWidth) {
  for (const std::string_view type : {"pred", "u8", "bf16", "f16", "f32", "s64", "c64", "c128"}) {
    for (int64_t width = 2; width <= 17; ++width) {
      std::string text = fmt::format("HloModule stacked\nENTRY main {{\n x = {0}[71,{1}] parameter(0)\n", type, width);
      std::string columns;
      for (int64_t c = 0; c < width; ++c) {
        text += fmt::format(" c{2} = {0}[71,1] slice(x), slice={{[0:71],[{2}:{3}]}}\n", type, width, c, c + 1);
        columns = fmt::format("c{}{}{}", c, columns.empty() ? "" : ", ", columns);
      }
      check_text(text +
                 fmt::format(" ROOT z = {}[71,{}] concatenate({}), dimensions={{1}}\n}}\n", type, width, columns));
    }
  }
}

/// Eight rows at once: their terms are transposed in registers, and no sum goes along a vector.
TEST(RegionColumns, ProductsOfFewTermsAreComputedAcrossRows) {
  EXPECT_EQ(code_of(R"(ENTRY main {
  a = f32[512,8,8] parameter(0)
  x = f32[512,8] parameter(1)
  ROOT y = f32[512,8] dot(a, x), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
}
)",
                    Isa::kAvx2),
            "8 llvm.fma.v8f32, 8 load <8 x float>, 8 load float, 1 store <8 x float>, 1 turn");
}

TEST(RegionColumns, ProductsOfFewTerms) {
  for (const std::string_view type : {"f32", "f64", "s32", "s64", "c64", "bf16"}) {
    for (const int64_t n : {2, 3, 4, 5, 8, 12}) {
      for (const int64_t contracted : {1, 2}) {
        check_text(fmt::format(R"(HloModule products
ENTRY main {{
  a = {0}[131,{1},{1}] parameter(0)
  x = {0}[131,{1}] parameter(1)
  y = {0}[131,{1}] dot(a, x), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{{2}}}, rhs_contracting_dims={{1}}
  ROOT z = {0}[131,{1}] subtract(y, x)
}}
)",
                               type, n, contracted),
                   type == "bf16" ? 2e-2 : 1e-5);
      }
    }
  }
}

TEST(RegionColumns, RowsTimesASmallMatrix) {
  for (const std::string_view type : {"f32", "f64", "s32", "f16"}) {
    for (const int64_t rows : {64, 131}) {
      for (const int64_t terms : {1, 2, 3, 5, 12}) {
        for (const int64_t columns : {1, 2, 3, 4, 8, 17}) {
          for (const int transposed : {0, 1, 2, 3}) {
            const bool left = transposed & 1, right = transposed & 2;
            check_text(fmt::format(
                           R"(HloModule product
ENTRY main {{
  a = {0}[{1}] parameter(0)
  b = {0}[{2}] parameter(1)
  y = {0}[{3},{4}] dot(a, b), lhs_contracting_dims={{{5}}}, rhs_contracting_dims={{{6}}}
  ROOT z = {0}[{3},{4}] add(y, y)
}}
)",
                           type, left ? fmt::format("{},{}", terms, rows) : fmt::format("{},{}", rows, terms),
                           right ? fmt::format("{},{}", columns, terms) : fmt::format("{},{}", terms, columns), rows,
                           columns, left ? 0 : 1, right ? 1 : 0),
                       type == "f16" ? 2e-2 : 1e-5);
          }
        }
      }
    }
  }
}

/// The pad of JAX's mode "reflect" along a dimension of many rows, of which one is cut.
TEST(RegionColumns, ReflectedRowsThatAreCut) {
  for (const std::string_view type : {"f32", "f64", "s8", "c64"}) {
    for (const int64_t width : {2, 3, 5}) {
      for (const int64_t cut : {0, 1, 3}) {
        check_text(fmt::format(R"(HloModule reflected
ENTRY main {{
  x = {0}[5,40,{1}] parameter(0)
  a = {0}[5,4,{1}] slice(x), slice={{[0:5], [1:5], [0:{1}]}}
  b = {0}[5,4,{1}] slice(x), slice={{[0:5], [35:39], [0:{1}]}}
  first = {0}[5,4,{1}] reverse(a), dimensions={{1}}
  last = {0}[5,4,{1}] reverse(b), dimensions={{1}}
  whole = {0}[5,48,{1}] concatenate(first, x, last), dimensions={{1}}
  part = {0}[5,{3},{1}] slice(whole), slice={{[0:5], [{2}:48], [0:{1}]}}
  ROOT y = {0}[5,{3},{1}] add(part, part)
}}
)",
                               type, width, cut, 48 - cut));
      }
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
