// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

TEST(RegionReductions, ASoftmaxIsOneRegionWithARow) {
  EXPECT_EQ(
      regions_of("sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
                 "ENTRY main {\n x = f32[4,8] parameter(0)\n e = f32[4,8] exponential(x)\n zero = f32[] constant(0)\n"
                 " s = f32[4] reduce(e, zero), dimensions={1}, to_apply=sum\n"
                 " b = f32[4,8] broadcast(s), dimensions={0}\n ROOT y = f32[4,8] divide(e, b)\n}\n"),
      "[4,8] row 1: load 8i0+1i1 exponential reduce divide -> 8i0+1i1\n0 others\n");
}

TEST(RegionReductions, ALongReductionToFewNumbersIsARegionOfItsOwn) {
  const auto centred = [](int64_t rows, int64_t columns) {
    return regions_of(kSum + fmt::format("ENTRY main {{\n x = f32[{0},{1}] parameter(0)\n zero = f32[] constant(0)\n"
                                         " s = f32[{0}] reduce(x, zero), dimensions={{1}}, to_apply=sum\n"
                                         " b = f32[{0},{1}] broadcast(s), dimensions={{0}}\n"
                                         " ROOT y = f32[{0},{1}] subtract(x, b)\n}}\n",
                                         rows, columns));
  };
  EXPECT_EQ(std::ranges::count(centred(2, 4096), '['), 1);
  EXPECT_EQ(std::ranges::count(centred(2, 4097), '['), 2) << "threads share its parts";
  EXPECT_EQ(std::ranges::count(centred(4, 4097), '['), 1);
}

TEST(RegionReductions, ASmallProductJoinsTheOpsBehindIt) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[4,8] parameter(0)\n w = f32[8,16] parameter(1)\n"
                       " y = f32[4,16] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                       " ROOT z = f32[4,16] tanh(y)\n}\n"),
            "[4,16,8] row 2: load 1i1+16i2 load 8i0+1i2 dot tanh -> 16i0+1i1\n0 others\n");
}

}  // namespace
}  // namespace hilo::engine
