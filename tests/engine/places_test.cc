// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

TEST(Places, AnotherShapeOfWhatNobodyReadsAnyMoreIsItsMemory) {
  const std::string sorted = " y = f32[8] reshape(x)\n s = f32[8] sort(y), dimensions={0}, to_apply=less\n";
  EXPECT_EQ(
      steps_of(kLess + ("ENTRY main {\n x = f32[2,4] parameter(0)\n" + sorted + " ROOT r = f32[8] negate(s)\n}\n")),
      R"(steps = [
  {kind = library  argument_count = 2}  // s0 s2
  {kind = kernel  arguments = 2  argument_count = 2  units = 8}  // s2 s1
]
)");
  // The argument is read again but its memory may be reused, so the call receives a copy.
  EXPECT_EQ(steps_of(kLess + ("ENTRY main {\n x = f32[2,4] parameter(0)\n" + sorted +
                              " z = f32[2,4] reshape(s)\n ROOT r = f32[2,4] add(x, z)\n}\n")),
            R"(steps = [
  {kind = kernel  argument_count = 2  units = 8}  // s0 s2
  {kind = library  arguments = 2  argument_count = 2}  // s2 s3
  {kind = kernel  index = 1  arguments = 4  argument_count = 3  units = 8}  // s3 s0 s1
]
)");
  EXPECT_EQ(steps_of("ENTRY main {\n x = f32[2,4] parameter(0)\n ROOT y = f32[8] reshape(x)\n}\n"), R"(steps = [
  {kind = kernel  argument_count = 2  units = 8}  // s0 s1
]
)") << "a result has memory of its own";
}

/// Nothing is copied: the value that is updated in place starts in the result's memory.
TEST(Places, AValueThatIsUpdatedToTheResultIsMadeInItsMemory) {
  const std::string sum = "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n";
  const std::string update =
      "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=sum\n";
  EXPECT_EQ(plan_of(sum +
                    "ENTRY main {\n x = f32[8] parameter(0)\n i = s32[2,1] parameter(1)\n u = f32[2] parameter(2)\n"
                    " y = f32[8] sine(x)\n z = f32[8] scatter(y, i, u), " +
                    update + " ROOT r = f32[8] scatter(z, i, u), " + update + "}\n"),
            R"(target = "test"
max_arguments = 4
steps = [
  {kind = kernel  argument_count = 2  units = 8}  // s0 s4
  {kind = library  arguments = 2  argument_count = 4}  // s4 s1 s2 s4
  {kind = library  index = 1  arguments = 6  argument_count = 4}  // s4 s1 s2 s3
]
slots = [
  {source = argument}
  {source = argument  index = 1}
  {source = argument  index = 2}
  {source = result}
  {source = result}
]
argument_slots = [0 4 4 1 2 4 4 1 2 3]
donations = [
  {}
]
)");
  // The value is read again after the update, so a copy is updated.
  const std::string kept =
      plan_of(sum +
              "ENTRY main {\n x = f32[8] parameter(0)\n i = s32[2,1] parameter(1)\n u = f32[2] parameter(2)\n"
              " y = f32[8] sine(x)\n z = f32[8] scatter(y, i, u), " +
              update + " c = f32[8] cosine(y)\n ROOT t = (f32[8], f32[8]) tuple(z, c)\n}\n");
  EXPECT_NE(kept.find("kind = copy"), std::string::npos) << kept;
}

}  // namespace
}  // namespace hilo::engine
