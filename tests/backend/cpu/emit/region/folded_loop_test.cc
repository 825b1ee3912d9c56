// SPDX-License-Identifier: Apache-2.0
// Maps whose last dimension is narrower than a vector.
#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

constexpr const char* kTypes[] = {"pred", "u8", "s16", "bf16", "f16", "s32", "f32", "s64", "f64", "c64"};
constexpr int64_t kRows[] = {1, 2, 7, 33, 64, 1031};

TEST(RegionFold, PadsNarrowRows) {
  for (const std::string_view type : kTypes) {
    for (const int64_t rows : kRows) {
      for (const int64_t width : {1, 2, 3, 4, 6, 9}) {
        check_text(fmt::format(R"(HloModule padded
ENTRY main {{
  x = {0}[{1},{2}] parameter(0)
  zero = {0}[] parameter(1)
  ROOT y = {0}[{3},{4}] pad(x, zero), padding=1_2x1_1
}}
)",
                               type, rows, width, rows + 3, width + 2));
      }
    }
  }
}

TEST(RegionFold, CutsAndTurnsNarrowRows) {
  for (const std::string_view type : kTypes) {
    for (const int64_t width : {2, 3, 5, 6, 7}) {
      check_text(fmt::format(R"(HloModule cut
ENTRY main {{
  x = {0}[41,{1}] parameter(0)
  row = {0}[{2}] parameter(1)
  column = {0}[41] parameter(2)
  some = {0}[41,{2}] slice(x), slice={{[0:41],[1:{3}]}}
  turned = {0}[41,{2}] reverse(some), dimensions={{0,1}}
  rows = {0}[41,{2}] broadcast(row), dimensions={{1}}
  columns = {0}[41,{2}] broadcast(column), dimensions={{0}}
  sum = {0}[41,{2}] {4}(turned, rows)
  ROOT y = {0}[41,{2}] {4}(sum, columns)
}}
)",
                             type, width + 3, width, width + 1, std::string_view(type) == "pred" ? "xor" : "add"));
    }
  }
}

/// The form of jax.numpy.repeat: the reshape joins the dimensions that the broadcast created.
TEST(RegionFold, RepeatsElements) {
  for (const std::string_view type : kTypes) {
    for (const int64_t times : {2, 3, 4, 5, 8}) {
      for (const int64_t rows : {1, 3, 12}) {
        check_text(fmt::format(R"(HloModule repeated
ENTRY main {{
  x = {0}[{1},63] parameter(0)
  scale = {0}[] parameter(1)
  turned = {0}[{1},63] reverse(x), dimensions={{0}}
  each = {0}[{1},63,{2}] broadcast(turned), dimensions={{0,1}}
  joined = {0}[{1},{3}] reshape(each)
  scales = {0}[{1},{3}] broadcast(scale), dimensions={{}}
  ROOT y = {0}[{1},{3}] {4}(joined, scales)
}}
)",
                               type, rows, times, 63 * times, std::string_view(type) == "pred" ? "and" : "multiply"));
      }
    }
  }
}

/// Fewer rows than vectors need to end at the end of a row. The map is between sorts, so that it may reuse its
/// operand's memory. There an element must not be computed twice.
TEST(RegionFold, TakesFewRowsWhole) {
  for (const std::string_view type : {"f16", "f32", "f64"}) {
    for (const int64_t rows : {2, 3, 4, 7}) {
      for (const int64_t width : {2, 3, 5, 6, 7}) {
        check_text(fmt::format(R"(HloModule few
less {{
  a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}}
ENTRY main {{
  x = {0}[61,{1},{2}] parameter(0)
  by = {0}[61,{1}] parameter(1)
  sorted = {0}[61,{1},{2}] sort(x), dimensions={{0}}, to_apply=less
  columns = {0}[61,{1},{2}] broadcast(by), dimensions={{0,1}}
  sum = {0}[61,{1},{2}] add(sorted, columns)
  size = {0}[61,{1},{2}] abs(sum)
  root = {0}[61,{1},{2}] sqrt(size)
  ROOT y = {0}[61,{1},{2}] sort(root), dimensions={{0}}, to_apply=less
}}
)",
                               type, rows, width));
      }
    }
  }
}

/// Rows of half a vector, with an elementary function.
TEST(RegionFold, JoinsRowsOfHalfAVector) {
  for (const std::string_view type : {"bf16", "f32", "f64"}) {
    for (const int64_t rows : kRows) {
      for (const int64_t width : {2, 4, 8}) {
        check_text(fmt::format(R"(HloModule halves
ENTRY main {{
  x = {0}[{1},{2}] parameter(0)
  last = {0}[{1},1] slice(x), slice={{[0:{1}],[{3}:{2}]}}
  rest = {0}[{1},{3}] slice(x), slice={{[0:{1}],[0:{3}]}}
  rolled = {0}[{1},{2}] concatenate(last, rest), dimensions={{1}}
  ROOT y = {0}[{1},{2}] tanh(rolled)
}}
)",
                               type, rows, width, width - 1),
                   type == std::string_view("bf16") ? 1e-2 : 1e-5);
      }
    }
  }
}

TEST(RegionFold, CountsAndGathers) {
  for (const int64_t width : {2, 3, 6}) {
    check_text(fmt::format(R"(HloModule counted
ENTRY main {{
  table = f32[50,{0}] parameter(0)
  places = s32[77,1] parameter(1)
  numbers = f32[77,{0}] iota(), iota_dimension=0
  columns = f32[77,{0}] iota(), iota_dimension=1
  rows = f32[77,{0}] gather(table, places), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,{0}}}
  sum = f32[77,{0}] add(numbers, rows)
  ROOT y = f32[77,{0}] multiply(sum, columns)
}}
)",
                           width));
  }
}

/// A column is a vector of 16 rows, which is computed once for both columns: no gather and no scalar load.
TEST(RegionFold, RepeatedElementsAreOneLoad) {
  EXPECT_EQ(code_of(R"(ENTRY main {
  x = s32[1000] parameter(0)
  y = s32[1000,2] broadcast(x), dimensions={0}
  ROOT z = s32[1000,2] negate(y)
}
)"),
            "1 load <16 x i32>, 2 store <16 x i32>, 1 turn");
}

}  // namespace
}  // namespace hilo::cpu
