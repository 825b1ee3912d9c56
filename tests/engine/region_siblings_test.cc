// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// Number of loops of a program with parameters x, y and z.
int64_t loops_of(const std::string& body, const std::string& type = "f32[8]") {
  return std::ranges::count(regions_of(fmt::format("add {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                                                   " ROOT c = f32[] add(a, b)\n}}\n"
                                                   "less {{\n p = f32[] parameter(0)\n q = f32[] parameter(1)\n"
                                                   " ROOT r = pred[] compare(p, q), direction=LT\n}}\n"
                                                   "ENTRY main {{\n x = {0} parameter(0)\n y = {0} parameter(1)\n"
                                                   " z = {0} parameter(2)\n zero = f32[] constant(0)\n{1}}}\n",
                                                   type, body)),
                            '[');
}

TEST(RegionSiblings, ResultsOfTheSameArraysAreOneLoop) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n a = f32[8] add(x, y)\n"
                       " b = f32[8] multiply(x, y)\n ROOT t = (f32[8], f32[8]) tuple(a, b)\n}\n"),
            "[8] row 1: load 1i0 load 1i0 multiply add -> 1i0 -> 1i0\n0 others\n");
  EXPECT_EQ(loops_of(" a = f32[8] sine(x)\n b = f32[8] add(a, y)\n c = f32[8] multiply(a, z)\n"
                     " ROOT t = (f32[8], f32[8]) tuple(b, c)\n"),
            1)
      << "an expensive value that both need stays in a register";
}

TEST(RegionSiblings, ResultsOfOtherArraysAreLoopsOfTheirOwn) {
  EXPECT_EQ(loops_of(" a = f32[8] sine(x)\n b = f32[8] cosine(y)\n ROOT t = (f32[8], f32[8]) tuple(a, b)\n"), 2);
  EXPECT_EQ(loops_of(" a = f32[8] sine(x)\n b = f32[2,4] reshape(x)\n c = f32[2,4] cosine(b)\n"
                     " ROOT t = (f32[8], f32[2,4]) tuple(a, c)\n"),
            2)
      << "other dimensions";
}

TEST(RegionSiblings, AValueThatIsReadBeforeTheLoopIsNotPartOfIt) {
  EXPECT_EQ(loops_of(" a = f32[8] sine(x)\n s = f32[8] sort(a), dimensions={0}, to_apply=less\n"
                     " b = f32[8] add(s, x)\n ROOT t = (f32[8], f32[8]) tuple(a, b)\n"),
            2);
}

TEST(RegionSiblings, ShortSumsOfTheSameArraysAreOneLoop) {
  const std::string sums =
      " p = {0} multiply(x, y)\n a = f32[] reduce(p, zero), dimensions={{0}}, to_apply=add\n"
      " q = {0} multiply(x, z)\n b = f32[] reduce(q, zero), dimensions={{0}}, to_apply=add\n"
      " ROOT t = (f32[], f32[]) tuple(a, b)\n";
  EXPECT_EQ(loops_of(fmt::format(fmt::runtime(sums), "f32[8]")), 1);
  EXPECT_EQ(loops_of(fmt::format(fmt::runtime(sums), "f32[100000]"), "f32[100000]"), 2) << "in parts for threads";
}

TEST(RegionSiblings, AMapAndShortSumsOfTheSameArraysAreOneLoop) {
  const std::string map_and_sum =
      " p = {0} multiply(x, y)\n a = f32[] reduce(p, zero), dimensions={{0}}, to_apply=add\n b = {0} add(x, y)\n"
      " ROOT t = (f32[], {0}) tuple(a, b)\n";
  EXPECT_EQ(loops_of(fmt::format(fmt::runtime(map_and_sum), "f32[8]")), 1);
  EXPECT_EQ(loops_of(fmt::format(fmt::runtime(map_and_sum), "f32[100000]"), "f32[100000]"), 2);
  EXPECT_EQ(
      loops_of(" b = f32[8] add(x, y)\n p = f32[8] multiply(x, y)\n"
               " a = f32[] reduce(p, zero), dimensions={0}, to_apply=add\n ROOT t = (f32[], f32[8]) tuple(a, b)\n"),
      1)
      << "the sum is last";
  EXPECT_EQ(loops_of(" p = f32[8] multiply(x, y)\n a = f32[] reduce(p, zero), dimensions={0}, to_apply=add\n"
                     " w = f32[8] broadcast(a), dimensions={}\n b = f32[8] add(x, w)\n c = f32[8] multiply(b, b)\n"
                     " d = f32[] reduce(c, zero), dimensions={0}, to_apply=add\n"
                     " ROOT t = (f32[8], f32[]) tuple(b, d)\n"),
            1)
      << "a row of two stages";
}

TEST(RegionSiblings, ASumThatANumberReadsIsComputedWithTheMap) {
  const std::string text = regions_of(
      "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n zero = f32[] constant(0)\n"
      " p = f32[8] multiply(x, y)\n"
      " a = f32[] reduce(p, zero), dimensions={0}, to_apply=add\n b = f32[8] add(x, y)\n c = f32[] cosine(a)\n"
      " ROOT t = (f32[], f32[8]) tuple(c, b)\n}\n");
  EXPECT_EQ(text.find("[8]"), text.rfind("[8]")) << text;
}

TEST(RegionSiblings, SumsAreNoArraysThatALoopWrites) {
  std::string body, results = " ROOT t = (f32[8]", names = "b";
  for (int k = 0; k < 10; ++k) {
    body += fmt::format(
        " c{0} = f32[] constant({0})\n w{0} = f32[8] broadcast(c{0}), dimensions={{}}\n"
        " p{0} = f32[8] power(x, w{0})\n"
        " s{0} = f32[] reduce(p{0}, zero), dimensions={{0}}, to_apply=add\n",
        k);
    results += ", f32[]";
    names += fmt::format(", s{}", k);
  }
  EXPECT_EQ(loops_of(body + " b = f32[8] add(x, y)\n" + results + ") tuple(" + names + ")\n"), 1);
}

TEST(RegionSiblings, AnUpdateAndAMapOfTheSameArraysAreOneLoop) {
  EXPECT_EQ(
      std::ranges::count(regions_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n"
                                    " all = f32[4,8] parameter(2)\n i = s32[] parameter(3)\n zero = s32[] constant(0)\n"
                                    " a = f32[8] add(x, y)\n row = f32[1,8] reshape(x)\n"
                                    " u = f32[4,8] dynamic-update-slice(all, row, i, zero)\n"
                                    " ROOT t = (f32[8], f32[4,8]) tuple(a, u)\n}\n"),
                         '['),
      1);
}

TEST(RegionSiblings, ProductsAreLoopsOfTheirOwn) {
  EXPECT_EQ(loops_of(" a = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
                     " b = f32[] dot(x, z), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
                     " ROOT t = (f32[], f32[]) tuple(a, b)\n"),
            2);
  EXPECT_EQ(loops_of(" a = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
                     " b = f32[] reduce(x, zero), dimensions={0}, to_apply=add\n"
                     " ROOT t = (f32[], f32[]) tuple(a, b)\n"),
            2);
}

TEST(RegionSiblings, RowsOfAMatrixAreLoopsOfTheirOwn) {
  EXPECT_EQ(loops_of(" a = f32[8] reduce(x, zero), dimensions={1}, to_apply=add\n"
                     " b = f32[8] reduce(x, zero), dimensions={0}, to_apply=add\n"
                     " ROOT t = (f32[8], f32[8]) tuple(a, b)\n",
                     "f32[8,8]"),
            2);
}

}  // namespace
}  // namespace hilo::engine
