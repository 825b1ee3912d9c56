// SPDX-License-Identifier: Apache-2.0
// Gathers in maps: rows of any width, contiguous windows, indices out of bounds.
#include "tests/backend/cpu/emit/region/region_case.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

constexpr const char* kTypes[] = {"pred", "u8", "bf16", "f16", "s32", "f32", "f64", "c64"};

/// Indices into an array of `size`: in bounds, below and above, and the extreme values of the type.
template <typename T>
void fill_places(std::span<T> places, int64_t size) {
  std::mt19937 random(7);
  const int64_t odd[] = {-1, size, 0, size - 1, -size, size + 3, -size - 1, 1 - size};
  for (size_t k = 0; k < places.size(); ++k) {
    if (k % 11 == 4) places[k] = std::numeric_limits<T>::max();
    else if (k % 11 == 7) places[k] = std::numeric_limits<T>::min();
    else if (k % 3 == 0) places[k] = static_cast<T>(odd[k / 3 % std::size(odd)]);
    else places[k] = static_cast<T>(random() % static_cast<uint64_t>(size));
  }
}

Literal places_of(const Shape& shape, int64_t size) {
  Literal literal(shape);
  visit_element_type(
      shape.element_type(),
      [&]<typename T>() {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) fill_places(literal.data<T>(), size);
      },
      [] {});
  return literal;
}

/// Checks a program whose parameter 1 is indices into an array of `size`.
void check_places(const std::string& text, int64_t size) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  std::vector<Literal> arguments = samples(*module);
  arguments[1] = places_of(arguments[1].shape(), size);
  check(*module, arguments);
}

/// Windows as in jax.numpy's x[starts[:, None] + arange(width)], where a negative index counts from the end.
std::string windows_text(std::string_view type, int64_t size, int64_t count, int64_t width, std::string_view sign) {
  return fmt::format(R"(HloModule windows
ENTRY main {{
  x = {0}[{1}] parameter(0)
  starts = s32[{2}] parameter(1)
  each = s32[{2},{3}] broadcast(starts), dimensions={{0}}
  steps = s32[{2},{3}] iota(), iota_dimension=1
  places = s32[{2},{3}] {4}(each, steps)
  zero = s32[] constant(0)
  zeros = s32[{2},{3}] broadcast(zero), dimensions={{}}
  size = s32[] constant({1})
  sizes = s32[{2},{3}] broadcast(size), dimensions={{}}
  is_below = pred[{2},{3}] compare(places, zeros), direction=LT
  wrapped = s32[{2},{3}] add(places, sizes)
  chosen = s32[{2},{3}] select(is_below, wrapped, places)
  columns = s32[{2},{3},1] reshape(chosen)
  ROOT y = {0}[{2},{3}] gather(x, columns), offset_dims={{}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=2, slice_sizes={{1}}
}}
)",
                     type, size, count, width, sign);
}

TEST(RegionGather, WindowsFollowOneAnother) {
  for (const std::string_view type : kTypes) {
    for (const int64_t width : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33})
      check_places(windows_text(type, 101, 67, width, "add"), 101);
  }
}

TEST(RegionGather, WindowsGoBackwards) {
  for (const std::string_view type : kTypes) {
    for (const int64_t width : {2, 4, 9, 17}) check_places(windows_text(type, 101, 67, width, "subtract"), 101);
  }
}

TEST(RegionGather, WindowsOfOneElementAndOfNone) {
  check_places(windows_text("f32", 1, 35, 9, "add"), 1);
  check_places(windows_text("f32", 2, 35, 19, "subtract"), 2);
  check_places(windows_text("f32", 101, 0, 9, "add"), 101);
}

/// Steps of 1 to 9: windows that fit one or two loads, and wider ones.
TEST(RegionGather, WindowsWithSteps) {
  for (const int64_t step : {0, 1, 2, 3, 9}) {
    check_places(fmt::format(R"(HloModule steps
ENTRY main {{
  x = f32[40,{0}] parameter(0)
  starts = s64[67] parameter(1)
  each = s64[67,11] broadcast(starts), dimensions={{0}}
  steps = s64[67,11] iota(), iota_dimension=1
  places = s64[67,11] add(each, steps)
  zero = s64[] constant(0)
  zeros = s64[67,11] broadcast(zero), dimensions={{}}
  last = s64[] constant(39)
  lasts = s64[67,11] broadcast(last), dimensions={{}}
  within = s64[67,11] clamp(zeros, places, lasts)
  least = s64[67,11] maximum(within, zeros)
  greatest = s64[67,11] minimum(least, lasts)
  small = s32[67,11] convert(greatest)
  columns = s32[67,11,1] reshape(small)
  ROOT y = f32[67,11] gather(x, columns), offset_dims={{}}, collapsed_slice_dims={{0,1}}, start_index_map={{0}}, index_vector_dim=2, slice_sizes={{1,1}}
}}
)",
                             step + 1),
                 40);
  }
}

/// Windows of rows: vectors may run along a whole window.
TEST(RegionGather, WindowsOfRows) {
  for (const std::string_view type : {"u8", "bf16", "f32", "f64", "c64"}) {
    for (const int64_t width : {1, 2, 3, 5, 7}) {
      for (const int64_t rows : {2, 3, 4, 9}) {
        check_places(fmt::format(R"(HloModule rows
ENTRY main {{
  x = {0}[33,{1}] parameter(0)
  starts = s32[41] parameter(1)
  scale = {0}[41,{2}] parameter(2)
  each = s32[41,{2}] broadcast(starts), dimensions={{0}}
  steps = s32[41,{2}] iota(), iota_dimension=1
  places = s32[41,{2}] add(each, steps)
  columns = s32[41,{2},1] reshape(places)
  windows = {0}[41,{2},{1}] gather(x, columns), offset_dims={{2}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=2, slice_sizes={{1,{1}}}
  scales = {0}[41,{2},{1}] broadcast(scale), dimensions={{0,1}}
  ROOT y = {0}[41,{2},{1}] multiply(windows, scales)
}}
)",
                                 type, width, rows),
                     33);
      }
    }
  }
}

/// Unrelated rows, with indices of every type.
TEST(RegionGather, RowsByIndicesOfAllTypes) {
  for (const std::string_view index : {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}) {
    for (const std::string_view function : {"negate", "tanh"}) {
      for (const int64_t width : {1, 2, 3, 4, 5, 8, 17}) {
        check_places(fmt::format(R"(HloModule taken
ENTRY main {{
  x = f32[100,{0}] parameter(0)
  places = {1}[77,1] parameter(1)
  rows = f32[77,{0}] gather(x, places), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,{0}}}
  ROOT y = f32[77,{0}] {2}(rows)
}}
)",
                                 width, index, function),
                     100);
      }
    }
  }
}

/// Fill values for indices out of bounds; pads and rolls read under a mask.
TEST(RegionGather, FillsPadsAndRolls) {
  for (const int64_t count : {1, 5, 67, 1029}) {
    check_places(fmt::format(R"(HloModule filled
ENTRY main {{
  x = f32[50,2] parameter(0)
  places = s32[{0},1] parameter(1)
  flat = s32[{0}] reshape(places)
  size = s32[] constant(50)
  sizes = s32[{0}] broadcast(size), dimensions={{}}
  zero = s32[] constant(0)
  zeros = s32[{0}] broadcast(zero), dimensions={{}}
  is_above = pred[{0}] compare(flat, zeros), direction=GE
  is_below = pred[{0}] compare(flat, sizes), direction=LT
  is_inside = pred[{0}] and(is_above, is_below)
  taken = f32[{0}] gather(x, places), offset_dims={{}}, collapsed_slice_dims={{0,1}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,1}}
  nan = f32[] constant(nan)
  nans = f32[{0}] broadcast(nan), dimensions={{}}
  filled = f32[{0}] select(is_inside, taken, nans)
  one = f32[] constant(1)
  padded = f32[{1}] pad(filled, one), padding=3_2
  last = f32[1] slice(filled), slice={{[{2}:{0}]}}
  rest = f32[{2}] slice(filled), slice={{[0:{2}]}}
  rolled = f32[{0}] concatenate(last, rest), dimensions={{0}}
  ROOT both = (f32[{1}], f32[{0}]) tuple(padded, rolled)
}}
)",
                             count, count + 5, count - 1),
                 50);
  }
}

/// With an unnamed reducer the loop is elementwise, and each element selects its array.
// Two lanes of 32 bits: the indices fill 64 bits.
TEST(RegionGather, TwoLanesReadByPlacesThatAreRead) {
  check_places(R"(HloModule two_lanes
xor {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] xor(a, b)
}
ENTRY main {
  x = s32[3,129] parameter(0)
  places = u32[15] parameter(1)
  others = s32[3,1] parameter(2)
  zero = s32[] constant(0)
  columns = s32[3,15] gather(x, places), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={3,1}
  chosen = s32[3,3] gather(columns, others), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={3,1}
  ROOT y = s32[3] reduce(chosen, zero), dimensions={1}, to_apply=xor
}
)",
               129);
}

TEST(RegionGather, ReadsJoinedArraysOneByOne) {
  check_places(R"(HloModule joined
r { a = s32[] parameter(0)  b = s32[] parameter(1)  s = s32[] add(a, b)  p = s32[] multiply(a, b)  ROOT c = s32[] add(s, p) }
ENTRY main {
  x = s32[31] parameter(0)
  i = s32[127] parameter(1)
  y = s32[256] parameter(2)
  z = s32[] constant(0)
  both = s32[318] concatenate(x, x, y), dimensions={0}
  g = s32[127] gather(both, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
  ROOT s = s32[] reduce(g, z), dimensions={0}, to_apply=r
}
)",
               318);
}

/// Windows of 16 elements that start at an index. They need one load if no index is wrapped or clamped, else one per
/// lane.
TEST(RegionGather, IndicesThatFollowOneAnotherAreOneLoad) {
  constexpr const char* kText = R"(ENTRY main {
  x = f32[5000] parameter(0)
  i = s32[300] parameter(1)
  wide = s32[300,16] broadcast(i), dimensions={0}
  steps = s32[300,16] iota(), iota_dimension=1
  places = s32[300,16] add(wide, steps)
  indices = s32[300,16,1] reshape(places)
  ROOT y = f32[300,16] gather(x, indices), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1}
}
)";
  EXPECT_EQ(code_of(kText, Isa::kAvx512),
            "1 llvm.masked.gather.v16f32.v16p0, 1 llvm.smax.v16i32, 1 llvm.smin.v16i32, 1 "
            "llvm.vector.reduce.and.v16i1, 1 load <16 x float>, 1 load i32, 1 store <16 x float>, 1 then, 1 turn");
  EXPECT_EQ(code_of(kText, Isa::kAvx2),
            "1 llvm.smax.v8i32, 1 llvm.smin.v8i32, 1 llvm.vector.reduce.and.v8i1, 1 load <8 x float>, 8 load float, 9 "
            "load i32, 1 store <8 x float>, 1 store <8 x i32>, 1 then, 2 turn");
}

/// Weighted sums of rows at indices that are known at run time, over one list of them or many, and their maxima.
TEST(RegionGather, ReducesGatheredRows) {
  for (const char* type : {"f32", "f64", "s32", "bf16"}) {
    for (const auto& [rows, terms, width] : {std::array<int64_t, 3>{32, 4, 64}, {7, 2, 33}, {1, 19, 5}, {50, 3, 1}}) {
      for (const char* reducer : {"add", "maximum"}) {
        check_places(fmt::format(R"(HloModule bag
body {{ a = {0}[] parameter(0)  b = {0}[] parameter(1)  ROOT c = {0}[] {4}(a, b) }}
ENTRY main {{
  e = {0}[100,{3}] parameter(0)
  i = s32[{1},{2},1] parameter(1)
  p = {0}[{1},{2}] parameter(2)
  r = {0}[{1},{2},{3}] gather(e, i), offset_dims={{2}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=2, slice_sizes={{1,{3}}}
  w = {0}[{1},{2},{3}] broadcast(p), dimensions={{0,1}}
  m = {0}[{1},{2},{3}] multiply(r, w)
  z = {0}[] constant(0)
  ROOT s = {0}[{1},{3}] reduce(m, z), dimensions={{1}}, to_apply=body
}}
)",
                                 type, rows, terms, width, reducer),
                     100);
      }
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
