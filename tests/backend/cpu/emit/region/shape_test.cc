// SPDX-License-Identifier: Apache-2.0
// The vector dimension of a region, and its number of lanes.
#include <functional>

#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

/// The shapes on SSE2, AVX2 and AVX-512.
std::vector<std::string> shapes_of(const std::string& text) {
  const RegionCase c(text);
  std::vector<std::string> shapes;
  for (const Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512})
    shapes.push_back(shape_text(shape_of_region(c.region, isa)));
  return shapes;
}
using Shapes = std::vector<std::string>;

std::string unary(std::string_view shape, std::string_view op) {
  return fmt::format("ENTRY main {{ x = {0} parameter(0)  ROOT y = {0} {1}(x) }}\n", shape, op);
}

TEST(RegionShape, MapsFillARegisterWithTheirWidestType) {
  EXPECT_EQ(shapes_of(unary("f32[1024]", "negate")),
            (Shapes{"dimension 0, 4 lanes", "dimension 0, 8 lanes", "dimension 0, 16 lanes"}));
  EXPECT_EQ(shapes_of(unary("f64[1024]", "negate")),
            (Shapes{"dimension 0, 2 lanes", "dimension 0, 4 lanes", "dimension 0, 8 lanes"}));
  EXPECT_EQ(shapes_of(unary("s8[1024]", "negate")),
            (Shapes{"dimension 0, 16 lanes", "dimension 0, 32 lanes", "dimension 0, 64 lanes"}));
  EXPECT_EQ(shapes_of(unary("bf16[1024]", "negate")),
            (Shapes{"dimension 0, 4 lanes", "dimension 0, 8 lanes", "dimension 0, 16 lanes"}));
  EXPECT_EQ(shapes_of(unary("c64[1024]", "negate")),
            (Shapes{"dimension 0, 2 lanes", "dimension 0, 4 lanes", "dimension 0, 8 lanes"}));
}

TEST(RegionShape, ExpensiveMapsTakeSeveralRegisters) {
  EXPECT_EQ(shapes_of(unary("f32[1024]", "exponential")),
            (Shapes{"dimension 0, 16 lanes", "dimension 0, 32 lanes", "dimension 0, 64 lanes"}));
  EXPECT_EQ(shapes_of(unary("f32[1024]", "sine")),
            (Shapes{"dimension 0, 4 lanes", "dimension 0, 8 lanes", "dimension 0, 16 lanes"}));  // computed in f64
}

constexpr std::string_view kOneRegister = "dimension 0, 2 lanes; dimension 0, 4 lanes; dimension 0, 8 lanes";
constexpr std::string_view kTwoRegisters = "dimension 0, 4 lanes; dimension 0, 8 lanes; dimension 0, 16 lanes";
constexpr std::string_view kFourRegisters = "dimension 0, 8 lanes; dimension 0, 16 lanes; dimension 0, 32 lanes";

std::string joined_shapes_of(const std::string& text) { return fmt::format("{}", fmt::join(shapes_of(text), "; ")); }

/// A program over f64[1024] x and y0. y<count> is the result.
std::string program_of(int count, const std::function<std::string(int)>& op) {
  std::string text = "ENTRY main {\n x = f64[1024] parameter(0)\n y0 = f64[1024] parameter(1)\n";
  for (int k = 1; k <= count; ++k) text += fmt::format(" {}y{} = f64[1024] {}\n", k == count ? "ROOT " : "", k, op(k));
  return text + "}\n";
}

TEST(RegionShape, LongChainsTakeSeveralRegisters) {
  const auto chain = [](int count) {
    return program_of(count, [](int k) { return fmt::format("{}(y{}, x)", k % 2 == 0 ? "multiply" : "add", k - 1); });
  };
  EXPECT_EQ(joined_shapes_of(chain(20)), kOneRegister);
  EXPECT_EQ(joined_shapes_of(chain(40)), kTwoRegisters);
  EXPECT_EQ(joined_shapes_of(chain(60)), kFourRegisters);
}

/// The last 47 of 95 operations add pairs of the others, which are quotients and products of x and y0.
TEST(RegionShape, ManyIndependentNodesTakeOneRegister) {
  const std::string text = program_of(95, [](int k) {
    if (k > 48) return fmt::format("add(y{}, y{})", 2 * (k - 48) - 1, 2 * (k - 48));
    return fmt::format("{}({})", k % 16 == 0 ? "divide" : "multiply", k % 2 == 0 ? "x, y0" : "y0, x");
  });
  EXPECT_EQ(joined_shapes_of(text), kOneRegister);
}

/// Rows are read at indices that are known at run time. Along them elements are neighbours, across them they aren't.
TEST(RegionShape, SumsOfGatheredRowsHaveVectorsAlongTheRows) {
  const std::string text = sum_of("f32") + R"(ENTRY main {
  e = f32[100,64] parameter(0)
  i = s32[32,4,1] parameter(1)
  p = f32[32,4] parameter(2)
  r = f32[32,4,64] gather(e, i), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,64}
  w = f32[32,4,64] broadcast(p), dimensions={0,1}
  m = f32[32,4,64] multiply(r, w)
  z = f32[] constant(0)
  ROOT s = f32[32,64] reduce(m, z), dimensions={1}, to_apply=sum
}
)";
  EXPECT_EQ(shapes_of(text), (Shapes{"dimension 1, 32 lanes", "dimension 1, 64 lanes", "dimension 1, 64 lanes"}));
}

/// A maximum has three accumulators on AVX2 and AVX-512.
TEST(RegionShape, AccumulatorsOfStripsStayInRegisters) {
  const auto text = [](std::string_view op) {
    return fmt::format(
        "f {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] {}(a, b) }}\n"
        "ENTRY main {{ x = f32[100,1024] parameter(0)  z = f32[] constant(-inf)\n"
        "  ROOT y = f32[1024] reduce(x, z), dimensions={{0}}, to_apply=f }}\n",
        op);
  };
  EXPECT_EQ(shapes_of(text("add")),
            (Shapes{"dimension 0, 32 lanes", "dimension 0, 64 lanes", "dimension 0, 256 lanes"}));
  EXPECT_EQ(shapes_of(text("maximum")),
            (Shapes{"dimension 0, 32 lanes", "dimension 0, 32 lanes", "dimension 0, 128 lanes"}));
}

TEST(RegionShape, VectorsAreNoLongerThanTheDimension) {
  EXPECT_EQ(shapes_of(unary("f32[1]", "negate")),
            (Shapes{"dimension 0, 1 lanes", "dimension 0, 1 lanes", "dimension 0, 1 lanes"}));
  EXPECT_EQ(
      shapes_of(unary("f32[7]", "negate")),
      (Shapes{"dimension 0, 4 lanes, overlaps", "dimension 0, 4 lanes, overlaps", "dimension 0, 4 lanes, overlaps"}));
  EXPECT_EQ(
      shapes_of(unary("f32[17]", "negate")),
      (Shapes{"dimension 0, 4 lanes, overlaps", "dimension 0, 8 lanes, overlaps", "dimension 0, 16 lanes, overlaps"}));
}

std::string row_sum(std::string_view type, std::string_view shape, std::string_view result, int dimension) {
  return sum_of(type) + fmt::format(R"(ENTRY main {{
  x = {0}[{1}] parameter(0)
  zero = {0}[] constant(0)
  ROOT y = {0}[{2}] reduce(x, zero), dimensions={{{3}}}, to_apply=sum
}}
)",
                                    type, shape, result, dimension);
}

TEST(RegionShape, SumsRunAlongRowsOrAcrossThem) {
  EXPECT_EQ(shapes_of(row_sum("f32", "100,1000", "100", 1)),
            (Shapes{"dimension 1, 16 lanes, overlaps", "dimension 1, 32 lanes, overlaps",
                    "dimension 1, 64 lanes, overlaps"}));
  EXPECT_EQ(shapes_of(row_sum("f32", "1000,100", "100", 0)),
            (Shapes{"dimension 0, 16 lanes, overlaps", "dimension 0, 16 lanes, overlaps",
                    "dimension 0, 16 lanes, overlaps"}));
  EXPECT_EQ(shapes_of(row_sum("s8", "1000,1024", "1024", 0)),
            (Shapes{"dimension 0, 128 lanes", "dimension 0, 256 lanes", "dimension 0, 1024 lanes"}));
}

TEST(RegionShape, SmallProductsAreBlocksOfRows) {
  const std::string text = R"(ENTRY main {
  a = f32[64,48] parameter(0)
  b = f32[48,32] parameter(1)
  ROOT c = f32[64,32] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";
  EXPECT_EQ(shapes_of(text),
            (Shapes{"dimension 1, 8 lanes, 4 rows", "dimension 1, 16 lanes, 4 rows", "dimension 1, 32 lanes, 8 rows"}));
}

TEST(RegionShape, VectorsGoAcrossShortRowsOfMaxima) {
  const std::string text = R"(most { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT m = f32[] maximum(a, b) }
ENTRY main {
  x = f32[100,3] parameter(0)
  least = f32[] constant(-inf)
  ROOT y = f32[100] reduce(x, least), dimensions={1}, to_apply=most
}
)";
  EXPECT_EQ(shapes_of(text),
            (Shapes{"dimension 0, 4 lanes", "dimension 0, 8 lanes, overlaps", "dimension 0, 16 lanes, overlaps"}));
}

TEST(RegionShape, LengthOfCodeGrowsWithRegistersAndFunctions) {
  const RegionCase cheap(unary("f32[1024]", "negate")), sum(row_sum("f32", "100,1000", "100", 1));
  EXPECT_EQ(code_length(cheap.region, Isa::kSse2), 2);
  EXPECT_EQ(code_length(sum.region, Isa::kSse2), 16);  // four nodes on four registers each
  EXPECT_EQ(code_length(RegionCase(unary("f32[1024]", "exponential")).region, Isa::kSse2), 68);
}

}  // namespace
}  // namespace hilo::cpu
