// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/lane_program.h"

#include <algorithm>

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

constexpr std::string_view kSum = "sum { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT c = f64[] add(a, b) }\n";

/// "64: 0 1 - -> 1" is a batch of 64, the batch dimensions of three parameters (the last has none) and of the result;
/// "none".
std::string lanes_of(std::string_view others, std::string_view entry) {
  const hlo::Module module = parsed(fmt::format("HloModule m\n{}{}ENTRY e {{\n{}\n}}\n", kSum, others, entry));
  if (module.entry == nullptr) return "";
  const std::optional<LaneProgram> program = lane_program(module.entry);
  if (!program) return "none";
  const auto places = [](const std::vector<LaneLeaf>& leaves) {
    std::string text;
    for (const LaneLeaf& leaf : leaves)
      text += leaf.batch_dimension ? fmt::format(" {}", *leaf.batch_dimension) : std::string(" -");
    return text;
  };
  return fmt::format("{}:{} ->{}", program->batch, places(program->parameters), places(program->results));
}

TEST(LaneProgram, FollowsTheBatchThroughMoves) {
  EXPECT_EQ(lanes_of("", R"(
    x = f64[64,3] parameter(0)
    y = f64[3] parameter(1)
    z = f64[64,3] broadcast(y), dimensions={1}
    w = f64[64,3] multiply(x, z)
    t = f64[3,64] transpose(w), dimensions={1,0}
    s = f64[1,64] slice(t), slice={[1:2], [0:64]}
    ROOT r = f64[64] reshape(s))"),
            "64: 0 - -> 0");
  EXPECT_EQ(lanes_of("", R"(
    x = f64[2,64,3] parameter(0)
    y = f64[64,3] parameter(1)
    ROOT d = f64[64,2] dot(y, x), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={1}, rhs_contracting_dims={2})"),
            "64: 1 0 -> 0");
}

TEST(LaneProgram, FollowsTheBatchThroughLoopsAndBranches) {
  EXPECT_EQ(lanes_of(R"(
body {
  p = (s32[], f64[32,2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f64[32,2] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f64[32,2] sine(x)
  ROOT t = (s32[], f64[32,2]) tuple(next, y)
}
condition {
  p = (s32[], f64[32,2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}
)",
                     R"(
    x = f64[32,2] parameter(0)
    zero = s32[] constant(0)
    init = (s32[], f64[32,2]) tuple(zero, x)
    w = (s32[], f64[32,2]) while(init), condition=condition, body=body
    ROOT r = f64[32,2] get-tuple-element(w), index=1)"),
            "32: 0 -> 0");
  EXPECT_EQ(
      lanes_of("yes { x = f64[8] parameter(0)  ROOT r = f64[8] sine(x) }\nno { ROOT x = f64[8] parameter(0) }\n", R"(
    p = pred[] parameter(0)
    x = f64[8] parameter(1)
    ROOT c = f64[8] conditional(p, x, x), true_computation=yes, false_computation=no)"),
      "8: - 0 -> 0");
}

TEST(LaneProgram, IsNoneWhereIndicesMix) {
  EXPECT_EQ(lanes_of("", "x = f64[64] parameter(0)  ROOT r = f64[64] reverse(x), dimensions={0}"), "none");
  EXPECT_EQ(lanes_of("",
                     "x = f64[64] parameter(0)  z = f64[] constant(0)  "
                     "ROOT r = f64[] reduce(x, z), dimensions={0}, to_apply=sum"),
            "none");
  EXPECT_EQ(lanes_of("", "x = f64[64] parameter(0)  ROOT r = f64[63] slice(x), slice={[0:63]}"), "none");
  EXPECT_EQ(lanes_of("", R"(
    x = f64[9,9] parameter(0)
    t = f64[9,9] transpose(x), dimensions={1,0}
    ROOT r = f64[9,9] add(x, t))"),
            "none");
  EXPECT_EQ(lanes_of("", R"(
    x = f64[9] parameter(0)
    a = f64[9,9] broadcast(x), dimensions={0}
    b = f64[9,9] broadcast(x), dimensions={1}
    ROOT r = f64[9,9] multiply(a, b))"),
            "none");
  EXPECT_EQ(lanes_of("",
                     "x = u32[8] parameter(0)  i = u32[] replica-id()  b = u32[8] broadcast(i), dimensions={}  "
                     "ROOT r = u32[8] add(x, b)"),
            "none");
}

TEST(LaneProgram, TakesRowsOfConstants) {
  const hlo::Module module = parsed(
      "HloModule m\nENTRY e { x = f64[4,2] parameter(0)  "
      "c = f64[4,2] constant({{1, 2}, {3, 4}, {5, 6}, {7, 8}})  ROOT r = f64[4,2] add(x, c) }");
  const std::optional<LaneProgram> program = lane_program(module.entry);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->batch, 4);
  EXPECT_TRUE(std::ranges::any_of(program->computation->instructions(), [](const hlo::Instruction& i) {
    return i.opcode == hlo::Opcode::kDynamicSlice && i.shape.to_string() == "f64[1,2]";
  }));
}

TEST(LaneProgram, HasTheIndexOfAnIota) {
  const hlo::Module module = parsed(R"(HloModule m
ENTRY e {
  x = f32[16,2] parameter(0)
  i = f32[16,2] iota(), iota_dimension=0
  ROOT r = f32[16,2] add(x, i)
})");
  const std::optional<LaneProgram> program = lane_program(module.entry);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->batch, 16);
  EXPECT_EQ(program->computation->result_shape().to_string(), "f32[1,2]");
  EXPECT_TRUE(std::ranges::any_of(program->computation->instructions(),
                                  [](const hlo::Instruction& i) { return i.opcode == hlo::Opcode::kReplicaId; }));
}

TEST(LaneProgram, PrefersTheBatchWithTheMostElements) {
  EXPECT_EQ(lanes_of("", R"(
    x = f64[8,100] parameter(0)
    y = f64[100] parameter(1)
    z = f64[8,100] broadcast(y), dimensions={1}
    ROOT r = f64[8,100] multiply(x, z))"),
            "100: 1 0 -> 1");
}

/// Parts that don't meet are computed together. The batch is the first dimension of z, not the second.
TEST(LaneProgram, JoinsPartsOfOneExtent) {
  EXPECT_EQ(lanes_of("", R"(
    x = f64[16,3] parameter(0)
    y = f64[16] parameter(1)
    z = f64[16,16] parameter(2)
    s = f64[16,3] sine(x)
    c = f64[16] sine(y)
    n = f64[16,16] sine(z)
    ROOT t = (f64[16,3], f64[16], f64[16,16]) tuple(s, c, n))"),
            "16: 0 0 0 -> 0 0 0");
}

}  // namespace
}  // namespace hilo::engine
