// SPDX-License-Identifier: Apache-2.0
// Library calls of the target, and the memory that they write.
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

TEST(LibraryCalls, ALibraryCallThatUpdatesInPlaceTakesACopyOfAnArgument) {
  EXPECT_EQ(plan_of("sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
                    "ENTRY main {\n x = f32[8] parameter(0)\n i = s32[2,1] parameter(1)\n u = f32[2] parameter(2)\n"
                    " ROOT r = f32[8] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
                    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum\n}\n"),
            R"(target = "test"
max_arguments = 4
steps = [
  {kind = copy  a = 0  b = 3  bytes = 32}
  {kind = library  argument_count = 4}  // s0 s1 s2 s3
]
slots = [
  {source = argument}
  {source = argument  index = 1}
  {source = argument  index = 2}
  {source = result}
]
argument_slots = [0 1 2 3]
donations = [
  {}
]
)");
}

}  // namespace
}  // namespace hilo::engine
