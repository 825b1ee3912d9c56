// SPDX-License-Identifier: Apache-2.0
// Nodes are computed in the outermost loop on which they depend.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

/// The number of loads before the first loop, in the outer loop, and in the inner loop.
std::vector<int> loads_by_loop(const std::string& text) {
  const RegionCase c(text);
  std::istringstream lines(*region_text(c.region, Isa::kAvx512));
  std::vector<int> loads(1, 0);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("turn")) loads.push_back(0);
    loads.back() += line.find(" = load float") != std::string::npos || line.find(" = load <") != std::string::npos;
  }
  return loads;
}

TEST(RegionNodes, AreComputedInTheOutermostLoopThatTheyChangeWith) {
  EXPECT_EQ(loads_by_loop(R"(ENTRY main {
  x = f32[50,1024] parameter(0)
  r = f32[50] parameter(1)
  c = f32[] parameter(2)
  y = f32[50,1024] broadcast(r), dimensions={0}
  d = f32[50,1024] broadcast(c), dimensions={}
  m = f32[50,1024] multiply(x, y)
  ROOT z = f32[50,1024] add(m, d)
}
)"),
            (std::vector<int>{1, 1, 1}));
}

/// Constants need no load, and neither does a value whose guard never holds.
TEST(RegionNodes, ConstantsAreNotLoaded) {
  EXPECT_EQ(code_of(R"(ENTRY main {
  two = f32[] constant(2)
  y = f32[1024] broadcast(two), dimensions={}
  ROOT z = f32[1024] copy(y)
}
)"),
            "1 store <16 x float>, 1 turn");
}

}  // namespace
}  // namespace hilo::cpu
