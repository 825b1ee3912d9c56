// SPDX-License-Identifier: Apache-2.0
// The instructions that write the outputs of a region.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

TEST(RegionStore, VectorsAreWrittenWhole) {
  EXPECT_EQ(code_of("ENTRY main { x = f32[256] parameter(0)  ROOT y = f32[256] negate(x) }\n"),
            "1 load <16 x float>, 1 store <16 x float>, 1 turn");
  EXPECT_EQ(code_of("ENTRY main { x = f32[256] parameter(0)  ROOT y = pred[256] is-finite(x) }\n"),
            "1 llvm.fabs.v16f32, 1 load <16 x float>, 1 store <16 x i8>, 1 turn");
  EXPECT_EQ(code_of("ENTRY main { x = c64[256] parameter(0)  ROOT y = c64[256] negate(x) }\n"),
            "1 load <16 x float>, 1 store <16 x float>, 1 turn");
}

TEST(RegionStore, ResultsOfRowsAreScalars) {
  EXPECT_EQ(code_of(sum_of("f32") + R"(ENTRY main {
  x = f32[8,16] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[8] reduce(x, zero), dimensions={1}, to_apply=sum
}
)"),
            "1 load <16 x float>, 1 store float, 1 turn");
}

}  // namespace
}  // namespace hilo::cpu
