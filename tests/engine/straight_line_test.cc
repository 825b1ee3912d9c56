// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/straight_line.h"

#include <map>

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

std::optional<StraightLine> line_of(std::string_view text, const StraightLineOptions& options = {}) {
  const hlo::Module module = parsed(fmt::format("HloModule m\n{}", text));
  return module.entry == nullptr ? std::nullopt : straight_line(module.entry, options);
}

/// Counts the operations: "add 2, multiply 3"; "none" without a line. Parameters and constants don't count.
std::string operations_of(const std::optional<StraightLine>& line) {
  if (!line) return "none";
  std::map<std::string, int> counts;
  for (const hlo::Instruction& i : line->computation->instructions()) {
    if (!i.operands.empty() && i.opcode != hlo::Opcode::kTuple) ++counts[std::string(i.def().name)];
  }
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("{}{}", fmt::join(parts, ", "), line->has_guard ? ", guarded" : "");
}

std::string operations(std::string_view text, const StraightLineOptions& options = {}) {
  return operations_of(line_of(text, options));
}

TEST(StraightLine, UnrollsContractionsAndDropsMoves) {
  EXPECT_EQ(operations(R"(ENTRY e {
    a = f64[2,3] parameter(0)
    b = f64[2,3] parameter(1)
    t = f64[3,2] transpose(b), dimensions={1,0}
    ROOT d = f64[2,2] dot(a, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  })"),
            "hilo.fma 8, multiply 4");
  EXPECT_EQ(operations(R"(ENTRY e {
    a = f64[2,3] parameter(0)
    b = f64[3,2] parameter(1)
    ROOT d = f64[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  })",
                       {.fused = false}),
            "add 8, multiply 12");
}

/// A rotation about z times a matrix: the products with its zeros and its one cost nothing.
TEST(StraightLine, KnowsZerosAndOnes) {
  EXPECT_EQ(operations(R"(ENTRY e {
    c = f64[] parameter(0)
    s = f64[] parameter(1)
    x = f64[3] parameter(2)
    n = f64[] negate(s)
    c1 = f64[1,1] reshape(c)
    s1 = f64[1,1] reshape(s)
    n1 = f64[1,1] reshape(n)
    upper = f64[1,2] concatenate(c1, n1), dimensions={1}
    lower = f64[1,2] concatenate(s1, c1), dimensions={1}
    both = f64[2,2] concatenate(upper, lower), dimensions={0}
    zero = f64[] constant(0)
    corner = f64[3,3] pad(both, zero), padding=0_1x0_1
    axis = f64[3,3] constant({{0,0,0},{0,0,0},{0,0,1}})
    r = f64[3,3] add(corner, axis)
    ROOT d = f64[3] dot(r, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  })"),
            "add 2, and 1, compare 1, hilo.fma 2, multiply 5, negate 1, guarded");
}

TEST(StraightLine, WithoutAGuardProductsWithZeroStay) {
  constexpr const char* kText = R"(ENTRY e {
    m = f64[2,2] constant({{0,1},{2,0}})
    x = f64[2] parameter(0)
    ROOT d = f64[2] dot(m, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  })";
  EXPECT_EQ(operations(kText), "add 1, and 1, compare 1, multiply 3, guarded");
  EXPECT_EQ(operations(kText, {.guarded = false}), "add 2, multiply 3");
}

TEST(StraightLine, UnrollsLoopsWhoseTripsAreKnown) {
  constexpr std::string_view kLoop = R"(
body {{
  p = (s32[], f64[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f64[2] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f64[2] sine(x)
  ROOT t = (s32[], f64[2]) tuple(next, y)
}}
condition {{
  p = (s32[], f64[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant({})
  ROOT c = pred[] compare(i, n), direction=LT
}}
ENTRY e {{
  x = f64[2] parameter(0)
  start = s32[] {}
  init = (s32[], f64[2]) tuple(start, x)
  w = (s32[], f64[2]) while(init), condition=condition, body=body
  ROOT r = f64[2] get-tuple-element(w), index=1
}})";
  EXPECT_EQ(operations(fmt::format(kLoop, 5, "constant(0)")), "sine 10");
  EXPECT_EQ(operations(fmt::format(kLoop, 0, "constant(0)")), "");
  EXPECT_EQ(operations(fmt::format(kLoop, 5, "parameter(1)")), "none");
  EXPECT_EQ(operations(fmt::format(kLoop, 5000, "constant(0)")), "none");
}

TEST(StraightLine, SelectsAmongFewPlaces) {
  EXPECT_EQ(operations(R"(ENTRY e {
    x = f32[4,2] parameter(0)
    i = s32[] parameter(1)
    z = s32[] constant(0)
    ROOT s = f32[1,2] dynamic-slice(x, i, z), dynamic_slice_sizes={1,2}
  })"),
            "compare 3, select 6");
  EXPECT_EQ(operations(R"(ENTRY e {
    x = f32[4,2] parameter(0)
    i = s32[] constant(2)
    z = s32[] constant(0)
    ROOT s = f32[1,2] dynamic-slice(x, i, z), dynamic_slice_sizes={1,2}
  })"),
            "");
  EXPECT_EQ(operations(R"(ENTRY e {
    x = f32[40] parameter(0)
    i = s32[] parameter(1)
    ROOT s = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
  })"),
            "none");
}

constexpr std::string_view kReplace = "put { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }\n";

TEST(StraightLine, GathersAndScattersAtKnownIndices) {
  constexpr std::string_view kGather = R"(ENTRY e {{
    x = f32[4,2] parameter(0)
    i = s32[3] {}
    ROOT g = f32[3,2] gather(x, i), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,2}}
  }})";
  EXPECT_EQ(operations(fmt::format(kGather, "constant({3, -1, 9})")), "");
  EXPECT_EQ(operations(fmt::format(kGather, "parameter(1)")), "none");
  constexpr std::string_view kScatter = R"({}ENTRY e {{
    x = f32[4] parameter(0)
    i = s32[3,1] {}
    u = f32[3] parameter({})
    ROOT s = f32[4] scatter(x, i, u), update_window_dims={{}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply={}
  }})";
  constexpr std::string_view kAdd =
      "sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }\n";
  EXPECT_EQ(operations(fmt::format(kScatter, kReplace, "constant({{3}, {0}, {9}})", 1, "put")), "");
  EXPECT_EQ(operations(fmt::format(kScatter, kAdd, "constant({{3}, {3}, {9}})", 1, "sum")), "add 2");  // one is dropped
  EXPECT_EQ(operations(fmt::format(kScatter, kAdd, "parameter(1)", 2, "sum")), "none");
}

TEST(StraightLine, HasTablesOfConstantsThatDiffer) {
  const hlo::Module module = parsed(
      "HloModule m\nENTRY e { x = f64[4,2] parameter(0)  "
      "c = f64[4,2] constant({{1, 2}, {1, 4}, {1, 6}, {1, 8}})  ROOT r = f64[4,2] multiply(x, c) }");
  const std::optional<LaneProgram> lanes = lane_program(module.entry);
  ASSERT_TRUE(lanes);
  const std::optional<StraightLine> line = straight_line(*lanes);
  EXPECT_EQ(operations_of(line), "multiply 1");  // the first column is one
  const std::vector<ElementPlace> parameters = {{0, 0, 2}, {0, 1, 2}, {ElementPlace::kLaneIndex, 0, 0}, {1, 4, 1}};
  EXPECT_EQ(line->parameters, parameters);
  ASSERT_EQ(line->tables.size(), 1u);
  EXPECT_EQ(line->tables[0].shape().to_string(), "f64[2,4]");
}

TEST(StraightLine, IsNoneForLargeArraysAndWholeArrayOps) {
  EXPECT_EQ(operations("ENTRY e { x = f32[8193] parameter(0)  ROOT r = f32[8193] negate(x) }"), "none");
  EXPECT_EQ(operations("ENTRY e { x = f32[100] parameter(0)  ROOT r = f32[100] negate(x) }", {.max_operations = 50}),
            "none");
  EXPECT_EQ(operations("ENTRY e { ROOT i = u32[] replica-id() }"), "none");
  EXPECT_EQ(operations("ENTRY e { x = c64[4] parameter(0)  ROOT r = c64[4] negate(x) }"), "none");
  EXPECT_EQ(operations(R"(ENTRY e { x = f64[3,3] parameter(0)  ROOT r = f64[3,3] cholesky(x), lower=true })"), "none");
}

TEST(StraightLine, HasPlacesForTheBatch) {
  const hlo::Module module = parsed(R"(HloModule m
ENTRY e {
  x = f64[64,3] parameter(0)
  y = f64[3] parameter(1)
  z = f64[64,3] broadcast(y), dimensions={1}
  s = f64[64,3] add(x, z)
  ROOT t = f64[3,64] transpose(s), dimensions={1,0}
})");
  const std::optional<LaneProgram> lanes = lane_program(module.entry);
  ASSERT_TRUE(lanes);
  const std::optional<StraightLine> line = straight_line(*lanes);
  ASSERT_TRUE(line);
  EXPECT_EQ(operations_of(line), "add 3");
  const std::vector<ElementPlace> parameters = {{0, 0, 3}, {0, 1, 3}, {0, 2, 3}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}};
  const std::vector<ElementPlace> results = {{0, 0, 1}, {0, 64, 1}, {0, 128, 1}};
  EXPECT_EQ(line->parameters, parameters);
  EXPECT_EQ(line->results, results);
  EXPECT_EQ(lane_count(*line, 64), 8);
  const std::vector<bool> in_lanes = depends_on_batch(*line);
  EXPECT_EQ(std::ranges::count(in_lanes, true), 3 + 3 + 1);  // parameters of x, sums, the root
}

}  // namespace
}  // namespace hilo::engine
