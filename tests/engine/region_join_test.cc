// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

TEST(RegionJoin, AnExpensiveValueThatTwoShapesReadIsMadeOnce) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n"
                       " b = f32[8,5] broadcast(y), dimensions={0}\n c = f32[5,8] broadcast(y), dimensions={1}\n"
                       " ROOT t = (f32[8,5], f32[5,8]) tuple(b, c)\n}\n"),
            "[8] row 1: load 1i0 sine -> 1i0\n[8,5] row 2: load 1i0 -> 5i0+1i1\n[5,8] row 2: load 1i1 -> 8i0+1i1\n"
            "0 others\n");
}

/// A function is fused if few elements are padded. It is not fused if many are, or if rows are short.
TEST(RegionJoin, AFunctionOfWhatIsPaddedIsComputedFewTimesMore) {
  const auto padded = [](int64_t rows, int64_t columns, int64_t by) {
    return regions_of(fmt::format(
        "ENTRY main {{\n x = f32[{0},{1}] parameter(0)\n zero = f32[] constant(0)\n t = f32[{0},{1}] tanh(x)\n"
        " ROOT y = f32[{0},{2}] pad(t, zero), padding=0_0x{3}_0\n}}\n",
        rows, columns, columns + by, by));
  };
  const auto is_one = [](const std::string& regions) { return std::ranges::count(regions, '[') == 1; };
  EXPECT_TRUE(is_one(padded(3, 80, 10))) << padded(3, 80, 10);
  EXPECT_FALSE(is_one(padded(3, 80, 11))) << padded(3, 80, 11);
  EXPECT_FALSE(is_one(padded(3, 32, 1))) << padded(3, 32, 1);
  EXPECT_TRUE(is_one(padded(10000, 80, 40))) << padded(10000, 80, 40);
  EXPECT_FALSE(is_one(padded(10000, 80, 41))) << padded(10000, 80, 41);
}

/// A stencil reads the padded array where it is: the loops are cut at the edges. With 36 neighbours, or along rows of
/// few elements, the parts would be too many or too short.
TEST(RegionJoin, AStencilReadsWhatItPadsInPlace) {
  const auto stencil = [](int64_t size, int64_t columns) {
    std::string text = fmt::format(
        "ENTRY main {{\n x = f32[100,{0}] parameter(0)\n zero = f32[] constant(0)\n"
        " p = f32[{1},{2}] pad(x, zero), padding=1_{3}x1_{3}\n",
        columns, 99 + size, columns + size - 1, size - 2);
    std::string sum;
    for (int64_t k = 0; k < size * size; ++k) {
      const int64_t i = k / size, j = k % size;
      text += fmt::format(" s{0} = f32[100,{1}] slice(p), slice={{[{2}:{3}], [{4}:{5}]}}\n", k, columns, i, i + 100, j,
                          j + columns);
      if (k > 0)
        text += fmt::format(" {3}t{0} = f32[100,{1}] add({2}, s{0})\n", k, columns,
                            k == 1 ? "s0" : fmt::format("t{}", k - 1), k + 1 == size * size ? "ROOT " : "");
    }
    return regions_of(text + "}\n");
  };
  const auto count = [](const std::string& regions) { return std::ranges::count(regions, '['); };
  EXPECT_EQ(count(stencil(3, 200)), 1) << stencil(3, 200);
  EXPECT_EQ(count(stencil(6, 200)), 2) << stencil(6, 200);
  EXPECT_EQ(count(stencil(3, 8)), 2) << stencil(3, 8);
}

/// A roll is two regions. Each computes its part of the function, unless a part is a few elements of each row.
TEST(RegionJoin, PartsOfAFunctionAreComputedWhereTheyAreRead) {
  const auto rolled = [](int64_t columns, int axis) {
    const int64_t sizes[] = {100, columns};
    std::string text =
        fmt::format("ENTRY main {{\n x = f32[100,{0}] parameter(0)\n e = f32[100,{0}] exponential(x)\n", columns);
    const std::string last = fmt::format("[{}:100], [{}:{}]", axis == 0 ? 97 : 0, axis == 1 ? columns - 3 : 0, columns);
    const std::string first = fmt::format("[0:{}], [0:{}]", axis == 0 ? 97 : 100, axis == 1 ? columns - 3 : columns);
    text += fmt::format(" a = f32[{},{}] slice(e), slice={{{}}}\n", axis == 0 ? 3 : 100, axis == 1 ? 3 : columns, last);
    text += fmt::format(" b = f32[{},{}] slice(e), slice={{{}}}\n", axis == 0 ? 97 : 100,
                        axis == 1 ? columns - 3 : columns, first);
    text += fmt::format(" ROOT y = f32[{},{}] concatenate(a, b), dimensions={{{}}}\n}}\n", sizes[0], sizes[1], axis);
    return regions_of(text);
  };
  const auto count = [](const std::string& regions) { return std::ranges::count(regions, '['); };
  EXPECT_EQ(count(rolled(1000, 0)), 2) << rolled(1000, 0);
  EXPECT_EQ(count(rolled(1000, 1)), 2) << rolled(1000, 1);
  EXPECT_EQ(count(rolled(64, 1)), 3) << rolled(64, 1);
}

/// The exponential of a long row would be computed by the loop of the sum, and again by that of the quotient.
TEST(RegionJoin, AFunctionThatSeveralLoopsOverALongRowNeedIsMadeOnce) {
  const auto normalized = [](int64_t columns) {
    return regions_of(
        fmt::format("add {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}}\n"
                    "ENTRY main {{\n x = f32[8,{0}] parameter(0)\n zero = f32[] constant(0)\n"
                    " e = f32[8,{0}] exponential(x)\n"
                    " s = f32[8] reduce(e, zero), dimensions={{1}}, to_apply=add\n"
                    " w = f32[8,{0}] broadcast(s), dimensions={{0}}\n ROOT y = f32[8,{0}] divide(e, w)\n}}\n",
                    columns));
  };
  const auto count = [](const std::string& regions) { return std::ranges::count(regions, '['); };
  EXPECT_EQ(count(normalized(8192)), 1) << normalized(8192);
  EXPECT_EQ(count(normalized(8193)), 2) << normalized(8193);
}

TEST(RegionJoin, ACheapValueOfOneArrayIsComputedByAllWhoReadIt) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[8,8] parameter(0)\n y = f32[8,8] negate(x)\n"
                       " a = f32[8,8] reverse(y), dimensions={0}\n b = f32[8,8] reverse(y), dimensions={1}\n"
                       " ROOT t = (f32[8,8], f32[8,8]) tuple(a, b)\n}\n"),
            "[8,8] row 2: load 56+-8i0+1i1 negate -> 8i0+1i1\n[8,8] row 2: load 7+8i0+-1i1 negate -> 8i0+1i1\n"
            "0 others\n");
}

TEST(RegionJoin, TheFirstReaderWritesAValueThatIsAResultToo) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n z = f32[8] negate(y)\n"
                       " ROOT t = (f32[8], f32[8]) tuple(y, z)\n}\n"),
            "[8] row 1: load 1i0 sine negate -> 1i0 -> 1i0\n0 others\n");
}

/// A program of more operations than a region computes is several regions. None of them only writes a constant for the
/// others, or the elements of an array in another order.
TEST(RegionJoin, MovesJoinARegionWithoutRoom) {
  std::string text =
      "ENTRY main {\n y0 = f32[512] parameter(0)\n x = f32[512] parameter(1)\n r = f32[512] reverse(x), "
      "dimensions={0}\n";
  constexpr int kConstants = 7, kOps = 600;
  for (int k = 0; k < kConstants; ++k)
    text += fmt::format(" s{0} = f32[] constant({0}.5)\n c{0} = f32[512] broadcast(s{0}), dimensions={{}}\n", k);
  for (int k = 0; k < kOps; ++k)
    text += fmt::format(" {3}y{0} = f32[512] {4}(y{1}, {2})\n", k + 1, k,
                        k % 8 == 7 ? "r" : fmt::format("c{}", k % kConstants), k + 1 == kOps ? "ROOT " : "",
                        k % 2 == 0 ? "multiply" : "add");
  const std::string regions = regions_of(text + "}\n");
  EXPECT_GE(std::ranges::count(regions, '['), 3) << regions;
  for (const char* copy : {"row 1: ->", "row 1: load 511+-1i0 ->"})
    EXPECT_EQ(regions.find(copy), std::string::npos) << regions;
}

}  // namespace
}  // namespace hilo::engine
