// SPDX-License-Identifier: Apache-2.0
// Rounding to bf16: ties, overflow, and quiet and signaling NaN.
#include <bit>
#include <cstring>

#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

TEST(SimdMemory, RoundsToBfloat16) {
  const std::vector<std::uint32_t> values = {0x3f800000, 0x3f808000, 0x3f818000, 0x3f808001, 0x3f807fff, 0x7f7fffff,
                                             0xff7f8000, 0x7f800000, 0xff800000, 0x7f800001, 0x7f80ffff, 0xffc00001,
                                             0x7fffffff, 0xffffffff, 0x80000000, 0x00008000, 0x00008001, 0x807fffff};
  Literal x(Shape::array(ElementType::kF32, {static_cast<int64_t>(values.size())}));
  for (size_t k = 0; k < values.size(); ++k) x.data<float>()[k] = std::bit_cast<float>(values[k]);
  const StatusOr<hlo::Module> module = hlo::parse_module(fmt::format(R"(HloModule narrow
ENTRY main {{
  x = f32[{0}] parameter(0)
  narrow = bf16[{0}] convert(x)
  turned = bf16[{0}] negate(narrow)
  both = bf16[{0}] add(narrow, narrow)
  ROOT all = (bf16[{0}], bf16[{0}], bf16[{0}]) tuple(narrow, turned, both)
}}
)",
                                                                     values.size()));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  check(*module, {x}, 0);
}

}  // namespace
}  // namespace hilo::cpu
