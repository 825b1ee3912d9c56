// SPDX-License-Identifier: Apache-2.0
// The instructions that load the elements of a vector.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

/// y = negate(`moved`), where `moved` is an op on x with that shape.
std::string moved(std::string_view from, std::string_view shape, std::string_view op) {
  return fmt::format("ENTRY main {{ x = {0} parameter(0)  m = {1} {2}  ROOT y = {1} negate(m) }}\n", from, shape, op);
}

TEST(RegionLoad, ConsecutiveElementsAreOneLoad) {
  EXPECT_EQ(code_of(moved("f32[300]", "f32[256]", "slice(x), slice={[7:263]}")),
            "1 load <16 x float>, 1 store <16 x float>, 1 turn");
}

TEST(RegionLoad, ReversedElementsAreOneLoad) {
  EXPECT_EQ(code_of(moved("f32[256]", "f32[256]", "reverse(x), dimensions={0}")),
            "1 load <16 x float>, 1 store <16 x float>, 1 turn");
}

TEST(RegionLoad, ElementsFarApartAreLoadedOneByOne) {
  EXPECT_EQ(code_of(moved("f32[16384]", "f32[256]", "slice(x), slice={[0:16384:64]}")),
            "16 load float, 1 store <16 x float>, 1 turn");
}

TEST(RegionLoad, StridedElementsAreShuffled) {
  EXPECT_EQ(code_of(moved("f32[512]", "f32[256]", "slice(x), slice={[0:512:2]}")),
            "2 load <16 x float>, 1 store <16 x float>, 1 turn");
}

TEST(RegionLoad, OneElementForAllLanesIsLoadedOnce) {
  EXPECT_EQ(code_of(moved("f32[]", "f32[256]", "broadcast(x), dimensions={}")),
            "1 load float, 1 store <16 x float>, 1 turn");
}

TEST(RegionLoad, AnOperandOfTwoReadersIsLoadedOnce) {
  EXPECT_EQ(code_of("ENTRY main { x = f32[256] parameter(0)  e = f32[256] abs(x)  ROOT y = f32[256] add(e, x) }\n"),
            "1 llvm.fabs.v16f32, 1 load <16 x float>, 1 store <16 x float>, 1 turn");
}

/// Only rows that are far apart, of arrays beyond the caches: the processor follows the others.
TEST(RegionLoad, StripsOfFarRowsArePrefetched) {
  const auto prefetches = [](int64_t rows, int64_t columns) {
    const RegionCase c(sum_of("f32") +
                       fmt::format("ENTRY main {{\n x = f32[{0},{1}] parameter(0)\n zero = f32[] constant(0)\n"
                                   " ROOT y = f32[{1}] reduce(x, zero), dimensions={{0}}, to_apply=sum\n}}\n",
                                   rows, columns));
    return region_text(c.region, Isa::kAvx2)->find("llvm.prefetch") != std::string::npos;
  };
  EXPECT_TRUE(prefetches(1024, 1024));
  EXPECT_FALSE(prefetches(128, 1024));
  EXPECT_FALSE(prefetches(65536, 256));
}

}  // namespace
}  // namespace hilo::cpu
