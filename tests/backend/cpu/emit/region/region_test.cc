// SPDX-License-Identifier: Apache-2.0
// The code of maps, and the forms of a region's loops.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

std::string sum_text(std::string_view shape) {
  return fmt::format("ENTRY main {{ x = {0} parameter(0)  y = {0} parameter(1)  ROOT z = {0} add(x, y) }}\n", shape);
}

TEST(RegionLoops, MapIsOneLoopOverVectors) {
  EXPECT_EQ(code_of(sum_text("f32[1024]"), Isa::kSse2), "2 load <4 x float>, 1 store <4 x float>, 1 turn");
  EXPECT_EQ(code_of(sum_text("f32[1024]"), Isa::kAvx2), "2 load <8 x float>, 1 store <8 x float>, 1 turn");
  EXPECT_EQ(code_of(sum_text("f32[1024]"), Isa::kAvx512), "2 load <16 x float>, 1 store <16 x float>, 1 turn");
  EXPECT_EQ(code_of(sum_text("bf16[1024]"), Isa::kAvx512), "2 load <16 x i16>, 1 store <16 x i16>, 1 turn");
}

/// The last vector overlaps the previous one, so there is no remainder loop.
TEST(RegionLoops, RemaindersAreNoCode) { EXPECT_EQ(code_of(sum_text("f32[1000]")), code_of(sum_text("f32[1024]"))); }

TEST(RegionLoops, DimensionsInStepAreOneLoop) {
  EXPECT_EQ(code_of(sum_text("f32[10,20,30]")), "2 load <16 x float>, 1 store <16 x float>, 1 turn");
}

TEST(RegionLoops, BroadcastAddsALoop) {
  EXPECT_EQ(code_of(R"(ENTRY main {
  x = f32[50,1024] parameter(0)
  r = f32[50] parameter(1)
  y = f32[50,1024] broadcast(r), dimensions={0}
  ROOT z = f32[50,1024] multiply(x, y)
}
)"),
            "1 load <16 x float>, 1 load float, 1 store <16 x float>, 2 turn");
}

TEST(RegionLoops, ScalarsHaveNoLoop) { EXPECT_EQ(code_of(sum_text("f32[]")), "2 load float, 1 store float"); }

}  // namespace
}  // namespace hilo::cpu
