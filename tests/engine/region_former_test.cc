// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include <algorithm>

#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/slice.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

using cpu::check, cpu::must, cpu::module_of, hlo::Builder, hlo::InstructionId, hlo::Opcode;

/// x . w . w ... : each dot reads the previous result, and all read w.
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

/// CPU time of this thread, so that other load on the machine doesn't count.
double processor_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The minimum of several measurements.
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
  // 50 times the instructions take 50 times as long. If each instruction searched all earlier ones, it would be 300
  // times.
  EXPECT_LT(seconds_to_form(*large, 3), 150 * seconds_to_form(*small, 5));
}

TEST(RegionFormer, AMapIsOneLoopOverItsDomain) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[4,8] parameter(0)\n t = f32[8,4] transpose(x), dimensions={1,0}\n"
                       " y = f32[8,4] sine(t)\n ROOT z = f32[8,4] add(y, t)\n}\n"),
            "[4,8] row 2: load 8i0+1i1 sine add -> 1i0+4i1\n0 others\n");
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
