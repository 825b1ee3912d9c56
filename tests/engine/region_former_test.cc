// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>

#include "hilo/engine/graph.h"
#include "hilo/engine/regions.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/slice.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

using cpu::check, cpu::must, cpu::module_of, hlo::Builder, hlo::InstructionId, hlo::Opcode;

/// x . w . w ... : each dot reads the result of the one before, and all read w.
hlo::Module chain_of_dots(int64_t length) {
  Builder b("main");
  const Shape shape = Shape::array(ElementType::kF32, {4, 4});
  InstructionId x = b.parameter(shape);
  const InstructionId w = b.parameter(shape);
  auto attributes = std::make_shared<hlo::DotAttributes>();
  attributes->lhs_contracting_dimensions = {1};
  attributes->rhs_contracting_dimensions = {0};
  for (int64_t i = 0; i < length; ++i) x = must(b.add(Opcode::kDot, {x, w}, attributes));
  return module_of(std::move(b), x, "chain");
}

/// Of this thread: what else the machine does isn't counted.
double processor_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least of several times.
double seconds_to_form(const Graph& graph, int turns) {
  double least = 1e9;
  for (int turn = 0; turn < turns; ++turn) {
    const double began = processor_seconds();
    EXPECT_TRUE(form_regions(graph, kTestCosts).ok());
    least = std::min(least, processor_seconds() - began);
  }
  return least;
}

TEST(RegionFormer, ValueThatManyRegionsReadCostsEachTheSame) {
  const hlo::Module few = chain_of_dots(2000), many = chain_of_dots(100000);
  const StatusOr<Graph> small = build_graph(*few.entry), large = build_graph(*many.entry);
  ASSERT_TRUE(small.ok() && large.ok());
  // 50 times as many take 50 times as long; 300 times where each looks through all that was asked before.
  EXPECT_LT(seconds_to_form(*large, 3), 150 * seconds_to_form(*small, 5));
}

/// "8i0+1i1"
std::string shown(const IndexExpr& index) {
  std::string text = index.constant == 0 ? "" : std::to_string(index.constant);
  for (size_t k = 0; k < index.coefficients.size(); ++k) {
    if (index.coefficient(k) != 0) text += fmt::format("{}{}i{}", text.empty() ? "" : "+", index.coefficient(k), k);
  }
  return text.empty() ? "0" : text;
}

/// "[4,8] row 1: load 8i0+1i1, exponential, reduce, divide -> 8i0+1i1": the domain, from where on it is a row, what is
/// computed, and where it goes. A line a region, then how many nodes run by themselves.
std::string regions_of(const std::string& text) {
  const hlo::Module module = parsed("HloModule m\n\n" + text);
  const StatusOr<Graph> graph = build_graph(*module.entry);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  const RegionGraph formed = *form_regions(*graph, kTestCosts);
  std::string out;
  for (const Region& region : formed.regions) {
    out += fmt::format("[{}] row {}:", fmt::join(region.extents, ","), region.row_begin);
    for (const RegionNode& node : region.nodes) {
      if (node.kind == NodeKind::kLoad) out += " load " + shown(node.index);
      if (node.instruction != nullptr) out += " " + std::string(node.instruction->def().name);
    }
    for (const RegionOutput& output : region.outputs) out += " -> " + shown(output.index);
    out += "\n";
  }
  return out + std::to_string(formed.other_nodes.size()) + " others\n";
}

TEST(RegionFormer, AMapIsOneLoopOverItsDomain) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[4,8] parameter(0)\n t = f32[8,4] transpose(x), dimensions={1,0}\n"
                       " y = f32[8,4] sine(t)\n ROOT z = f32[8,4] add(y, t)\n}\n"),
            "[4,8] row 2: load 8i0+1i1 sine add -> 1i0+4i1\n0 others\n");
}

TEST(RegionFormer, ASoftmaxIsOneRegionWithARow) {
  EXPECT_EQ(
      regions_of("sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
                 "ENTRY main {\n x = f32[4,8] parameter(0)\n e = f32[4,8] exponential(x)\n zero = f32[] constant(0)\n"
                 " s = f32[4] reduce(e, zero), dimensions={1}, to_apply=sum\n"
                 " b = f32[4,8] broadcast(s), dimensions={0}\n ROOT y = f32[4,8] divide(e, b)\n}\n"),
      "[4,8] row 1: load 8i0+1i1 exponential reduce divide -> 8i0+1i1\n0 others\n");
}

TEST(RegionFormer, AnExpensiveValueThatTwoShapesReadIsMadeOnce) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n"
                       " b = f32[8,5] broadcast(y), dimensions={0}\n c = f32[5,8] broadcast(y), dimensions={1}\n"
                       " ROOT t = (f32[8,5], f32[5,8]) tuple(b, c)\n}\n"),
            "[8] row 1: load 1i0 sine -> 1i0\n[8,5] row 2: load 1i0 -> 5i0+1i1\n[5,8] row 2: load 1i1 -> 8i0+1i1\n"
            "0 others\n");
}

TEST(RegionFormer, ANumberIsTheSameUnderALinearIndex) {
  EXPECT_EQ(
      regions_of(
          "ENTRY main {\n x = f16[3,5,7] parameter(0)\n k = f16[] parameter(1)\n"
          " b = f16[3,5,7] broadcast(k), dimensions={}\n m = f16[3,5,7] multiply(x, b)\n r = f16[3,35] reshape(m)\n"
          " n = f16[3,35] negate(r)\n z = f16[5,21] reshape(n)\n ROOT y = f16[5,21] sine(z)\n}\n"),
      "[105] row 1: load 0 load 1i0 multiply negate sine -> 1i0\n0 others\n");
}

TEST(RegionFormer, AReshapeLoopsOverWhatItReshapes) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = s32[100,2048] parameter(0)\n zero = s32[] constant(0)\n"
                       " p = s32[102,2040] pad(x, zero), padding=2_0x0_-8\n n = s32[102,2040] negate(p)\n"
                       " a = s32[51,4080] reshape(n)\n ROOT y = s32[208080] reshape(a)\n}\n"),
            "[102,2040] row 2: load -4096+2048i0+1i1 negate -> 2040i0+1i1\n0 others\n");
}

/// As jax.numpy.repeat writes it.
TEST(RegionFormer, RepeatedElementsHaveADimensionOfTheirOwn) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = s32[12,63] parameter(0)\n w = s32[12,126] parameter(1)\n"
                       " b = s32[12,63,2] broadcast(x), dimensions={0,1}\n r = s32[12,126] reshape(b)\n"
                       " ROOT y = s32[12,126] add(r, w)\n}\n"),
            "[756,2] row 2: load 2i0+1i1 load 1i0 add -> 2i0+1i1\n0 others\n");
}

/// A function is computed where few elements are padded, and not where many are, or to short rows.
TEST(RegionFormer, AFunctionOfWhatIsPaddedIsComputedFewTimesMore) {
  const auto padded = [](int64_t rows, int64_t columns, int64_t by) {
    return regions_of(fmt::format(
        "ENTRY main {{\n x = f32[{0},{1}] parameter(0)\n zero = f32[] constant(0)\n t = f32[{0},{1}] tanh(x)\n"
        " ROOT y = f32[{0},{2}] pad(t, zero), padding=0_0x{3}_0\n}}\n",
        rows, columns, columns + by, by));
  };
  const auto is_one = [](const std::string& regions) { return std::ranges::count(regions, '[') == 1; };
  EXPECT_TRUE(is_one(padded(3, 80, 10))) << padded(3, 80, 10);
  EXPECT_FALSE(is_one(padded(3, 80, 11))) << padded(3, 80, 11);
  EXPECT_FALSE(is_one(padded(3, 32, 1))) << padded(3, 32, 1);
  EXPECT_TRUE(is_one(padded(10000, 80, 40))) << padded(10000, 80, 40);
  EXPECT_FALSE(is_one(padded(10000, 80, 41))) << padded(10000, 80, 41);
}

/// Rows are read backwards, which a linear index doesn't say.
TEST(RegionFormer, MovedElementsKeepTheirDimensionsBehindAReshape) {
  EXPECT_EQ(
      regions_of("ENTRY main {\n x = f64[12,63] parameter(0)\n row = f64[63] parameter(1)\n w = f64[756] parameter(2)\n"
                 " f = f64[12,63] reverse(x), dimensions={0}\n b = f64[12,63] broadcast(row), dimensions={1}\n"
                 " s = f64[12,63] subtract(f, b)\n r = f64[756] reshape(s)\n ROOT y = f64[756] subtract(r, w)\n}\n"),
      "[12,63] row 2: load 63i0+1i1 load 1i1 load 693+-63i0+1i1 subtract subtract -> 63i0+1i1\n0 others\n");
}

/// A reduction wants the dimensions as they are.
TEST(RegionFormer, RepeatedElementsBesideAReduction) {
  EXPECT_EQ(
      regions_of(
          "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
          "ENTRY main {\n x = f32[12,63] parameter(0)\n w = f32[12,126,9] parameter(1)\n"
          " b = f32[12,63,2] broadcast(x), dimensions={0,1}\n r = f32[12,126] reshape(b)\n zero = f32[] constant(0)\n"
          " s = f32[12,126] reduce(w, zero), dimensions={2}, to_apply=sum\n ROOT y = f32[12,126] add(r, s)\n}\n"),
      "[756,2] row 2: load 1i0 -> 2i0+1i1\n[1512,9] row 1: load 9i0+1i1 reduce load 1i0 add -> 1i0\n0 others\n");
}

TEST(RegionFormer, RegionReadsAValueOnceHoweverOftenItAsks) {
  Builder b("main");
  const Shape shape = Shape::array(ElementType::kF32, {4});
  const InstructionId x = b.parameter(shape);
  const InstructionId y = must(b.add(Opcode::kAdd, {x, x}));
  const InstructionId root = must(b.add(Opcode::kMultiply, {y, x}));
  const hlo::Module module = module_of(std::move(b), root);
  const Graph graph = *build_graph(*module.entry);
  const RegionGraph regions = *form_regions(graph, kTestCosts);
  ASSERT_EQ(regions.regions.size(), 1u);
  EXPECT_EQ(regions.regions[0].inputs.size(), 1u);
  const auto loads = std::ranges::count(regions.regions[0].nodes, NodeKind::kLoad, &RegionNode::kind);
  EXPECT_EQ(loads, 1);
}

TEST(RegionFormer, ConcatenationOfManyIsOneNodeAndNoRegionForEach) {
  for (const int64_t count : {3, 2000}) {
    Builder b("main");
    const InstructionId x = b.parameter(Shape::array(ElementType::kF32, {2, 3}));
    const std::vector<InstructionId> operands(static_cast<size_t>(count), x);
    auto attributes = std::make_shared<hlo::ConcatenateAttributes>();
    attributes->dimension = 1;
    const InstructionId all = must(b.add(Opcode::kConcatenate, operands, attributes));
    const hlo::Module module = module_of(std::move(b), all);
    const RegionGraph regions = *form_regions(*build_graph(*module.entry), kTestCosts);
    EXPECT_EQ(regions.other_nodes.size(), count == 3 ? 0u : 1u);
    EXPECT_EQ(regions.regions.size(), count == 3 ? 3u : 0u);
    check(module);
  }
}

}  // namespace
}  // namespace hilo::engine
