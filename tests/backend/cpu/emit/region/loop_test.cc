// SPDX-License-Identifier: Apache-2.0
// The loop over one dimension, and which loop polls the stop flag.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

/// Whether a loop over rows and columns polls the stop flag. Each row of x plus one element needs two loops.
bool looks(int64_t rows, int64_t columns) {
  const RegionCase c(fmt::format(R"(ENTRY main {{
  x = f32[{0},{1}] parameter(0)
  r = f32[{0}] parameter(1)
  y = f32[{0},{1}] broadcast(r), dimensions={{0}}
  ROOT z = f32[{0},{1}] add(x, y)
}}
)",
                                 rows, columns));
  return code_of(c, Isa::kAvx2).find("hilo_stop_requested") != std::string::npos;
}

/// The caller of a kernel polls between iterations of the kernel's outermost loop.
TEST(RegionLoop, LongLoopsWithinTheOutermostOneLook) {
  EXPECT_TRUE(looks(2, int64_t{1} << 30));
  EXPECT_FALSE(looks(int64_t{1} << 20, 1024));
  EXPECT_FALSE(looks(2, 1024));
}

}  // namespace
}  // namespace hilo::cpu
