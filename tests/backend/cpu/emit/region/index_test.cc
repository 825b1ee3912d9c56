// SPDX-License-Identifier: Apache-2.0
// Index expressions as values: iota, and indices of gathers.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

TEST(RegionIndex, IotaIsComputedWithoutLoads) {
  EXPECT_EQ(code_of("ENTRY main { ROOT x = s32[1024] iota(), iota_dimension=0 }\n"), "1 store <16 x i32>, 1 turn");
  EXPECT_EQ(code_of("ENTRY main { ROOT x = s8[1024] iota(), iota_dimension=0 }\n"), "1 store <64 x i8>, 1 turn");
  EXPECT_EQ(code_of("ENTRY main { ROOT x = f32[1024] iota(), iota_dimension=0 }\n"), "1 store <16 x float>, 1 turn");
}

/// Narrow integers are computed in their own type: no lane has 64 bits.
TEST(RegionIndex, IotaOfBytesHasNoWideLanes) {
  const RegionCase c("ENTRY main { ROOT x = s8[1024] iota(), iota_dimension=0 }\n");
  EXPECT_EQ(region_text(c.region, Isa::kAvx512)->find("x i64>"), std::string::npos);
}

TEST(RegionIndex, IndicesOfGathersHave32Bits) {
  const RegionCase c(R"(ENTRY main {
  x = f32[5000] parameter(0)
  i = s32[300,1] parameter(1)
  ROOT y = f32[300] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
}
)");
  EXPECT_EQ(region_text(c.region, Isa::kAvx512)->find("x i64>"), std::string::npos);
  EXPECT_EQ(code_of(c, Isa::kAvx512),
            "1 llvm.masked.gather.v16f32.v16p0, 1 llvm.smax.v16i32, 1 llvm.smin.v16i32, 1 load <16 x i32>, 1 store <16 "
            "x float>, 1 turn");
  EXPECT_EQ(code_of(c, Isa::kAvx2),
            "1 llvm.smax.v8i32, 1 llvm.smin.v8i32, 1 load <8 x i32>, 8 load float, 8 load i32, 1 store <8 x float>, 1 "
            "store <8 x i32>, 1 turn");
}

}  // namespace
}  // namespace hilo::cpu
