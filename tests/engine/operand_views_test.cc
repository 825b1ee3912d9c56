// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/operand_views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hilo/engine/lifetimes.h"
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// A target that reads every operand of a dot in place and writes its result anywhere.
class ViewTarget final : public TestTarget {
 public:
  bool reads_view(const hlo::Instruction& instruction, size_t, std::span<const Shape>,
                  const OperandView&) const override {
    return instruction.opcode == hlo::Opcode::kDot;
  }
  bool writes_view(const hlo::Instruction& instruction, std::span<const Shape>, const OperandView&) const override {
    return instruction.opcode == hlo::Opcode::kDot;
  }
};

/// "v2 = v0 + 5 [60 1]; 1 region": values that are views, and the number of remaining regions.
std::string views(const std::string& body) {
  const hlo::Module module = parsed("HloModule m\n\nENTRY main {\n" + body + "}\n");
  const StatusOr<Graph> graph = build_graph(*module.entry);
  EXPECT_TRUE(graph.ok());
  RegionGraph regions = *form_regions(*graph, kTestCosts);
  const ValueViews views = take_views(*graph, regions, ViewTarget());
  std::string out;
  for (ValueId v = 0; v < graph->values.size(); ++v) {
    const auto found = views.find(v);
    if (found == views.end()) continue;
    const auto& [of, how] = found->second;
    out += fmt::format("v{} = v{} + {} [{}]; ", v, of, how.offset, fmt::join(how.strides, " "));
  }
  return out + fmt::format("{} regions", regions.regions.size());
}

constexpr const char* kMatrix = " y = f32[60,80] parameter(1)\n";
constexpr const char* kProduct = " ROOT z = f32[70,80] dot(s, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

TEST(OperandViews, ASliceOfColumnsIsReadAtAnOffset) {
  EXPECT_EQ(views(std::string(" x = f32[70,130] parameter(0)\n") + kMatrix +
                  " s = f32[70,60] slice(x), slice={[0:70], [5:65]}\n" + kProduct),
            "v2 = v0 + 5 [130 1]; 0 regions");
}

TEST(OperandViews, ASliceOfRowsIsReadAtAnOffset) {
  EXPECT_EQ(views(std::string(" x = f32[90,60] parameter(0)\n") + kMatrix +
                  " s = f32[70,60] slice(x), slice={[3:73], [0:60]}\n" + kProduct),
            "v2 = v0 + 180 [60 1]; 0 regions");
}

TEST(OperandViews, EverySecondRowIsAStride) {
  EXPECT_EQ(views(std::string(" x = f32[140,60] parameter(0)\n") + kMatrix +
                  " s = f32[70,60] slice(x), slice={[0:140:2], [0:60]}\n" + kProduct),
            "v2 = v0 + 0 [120 1]; 0 regions");
}

TEST(OperandViews, ATransposedSliceHasTheStridesOfItsSource) {
  EXPECT_EQ(views(std::string(" x = f32[60,100] parameter(0)\n") + kMatrix +
                  " r = f32[60,70] slice(x), slice={[0:60], [9:79]}\n s = f32[70,60] transpose(r), dimensions={1,0}\n" +
                  kProduct),
            "v3 = v0 + 9 [1 100]; 0 regions");
}

TEST(OperandViews, HeadsOfASliceAreOneDimensionMore) {
  EXPECT_EQ(views(" x = f32[2,70,360] parameter(0)\n y = f32[2,3,40,80] parameter(1)\n"
                  " r = f32[2,70,120] slice(x), slice={[0:2], [0:70], [120:240]}\n"
                  " h = f32[2,70,3,40] reshape(r)\n s = f32[2,3,70,40] transpose(h), dimensions={0,2,1,3}\n"
                  " ROOT z = f32[2,3,70,80] dot(s, y), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, "
                  "rhs_batch_dims={0,1}, rhs_contracting_dims={2}\n"),
            "v4 = v0 + 120 [25200 40 360 1]; 0 regions");
}

TEST(OperandViews, WhatNoStridesCanSayIsCopied) {
  // Two rows of x form one row of s: columns 0 to 29 of the first, then 0 to 29 of the second.
  EXPECT_EQ(views(std::string(" x = f32[140,40] parameter(0)\n") + kMatrix +
                  " r = f32[140,30] slice(x), slice={[0:140], [0:30]}\n s = f32[70,60] reshape(r)\n" + kProduct),
            "1 regions");
}

TEST(OperandViews, WhatRunsBackwardIsCopied) {
  EXPECT_EQ(views(std::string(" x = f32[70,60] parameter(0)\n") + kMatrix +
                  " s = f32[70,60] reverse(x), dimensions={0}\n" + kProduct),
            "1 regions");
}

TEST(OperandViews, WhatRepeatsElementsIsCopied) {
  EXPECT_EQ(views(std::string(" x = f32[60] parameter(0)\n") + kMatrix +
                  " s = f32[70,60] broadcast(x), dimensions={1}\n" + kProduct),
            "1 regions");
}

TEST(OperandViews, APartOfMuchMemoryIsCopied) {
  EXPECT_EQ(views(std::string(" x = f32[70,600] parameter(0)\n") + kMatrix +
                  " s = f32[70,60] slice(x), slice={[0:70], [5:65]}\n" + kProduct),
            "1 regions");
}

TEST(OperandViews, AResultIsCopied) {
  EXPECT_EQ(views(std::string(" x = f32[70,130] parameter(0)\n") + kMatrix +
                  " s = f32[70,60] slice(x), slice={[0:70], [5:65]}\n"
                  " z = f32[70,80] dot(s, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                  " ROOT t = (f32[70,60], f32[70,80]) tuple(s, z)\n"),
            "1 regions");
}

TEST(OperandViews, WhatAnotherCallReadsIsCopied) {
  EXPECT_EQ(views(std::string(" x = f32[70,130] parameter(0)\n") + kMatrix +
                  " s = f32[70,60] slice(x), slice={[0:70], [5:65]}\n"
                  " z = f32[70,80] dot(s, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                  " c = f32[70,60] custom-call(s), custom_call_target=\"f\"\n"
                  " ROOT t = (f32[70,60], f32[70,80]) tuple(c, z)\n"),
            "1 regions");
}

constexpr const char* kHeads =
    " x = f32[2,3,70,40] parameter(0)\n y = f32[2,3,40,80] parameter(1)\n"
    " z = f32[2,3,70,80] dot(x, y), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, "
    "rhs_contracting_dims={2}\n";

TEST(OperandViews, ATransposedResultIsWrittenWhereItIsToLie) {
  EXPECT_EQ(views(std::string(kHeads) + " ROOT t = f32[2,70,3,80] transpose(z), dimensions={0,2,1,3}\n"),
            "v2 = v3 + 0 [16800 80 240 1]; 0 regions");
}

TEST(OperandViews, AResultThatIsReadAsItIsAndTransposedIsCopied) {
  EXPECT_EQ(views(std::string(kHeads) + " t = f32[2,70,3,80] transpose(z), dimensions={0,2,1,3}\n"
                                        " ROOT r = (f32[2,70,3,80], f32[2,3,70,80]) tuple(t, z)\n"),
            "1 regions");
}

TEST(OperandViews, APartOfAResultIsCopied) {
  EXPECT_EQ(views(std::string(kHeads) + " ROOT t = f32[2,3,70,50] slice(z), slice={[0:2], [0:3], [0:70], [9:59]}\n"),
            "1 regions");
}

TEST(OperandViews, AResultOfWhichOnePartIsRepeatedIsCopied) {
  EXPECT_EQ(views(std::string(kHeads) + " s = f32[2,3,70,1] slice(z), slice={[0:2], [0:3], [0:70], [9:10]}\n"
                                        " r = f32[2,3,70] reshape(s)\n"
                                        " ROOT t = f32[2,3,70,80] broadcast(r), dimensions={0,1,2}\n"),
            "1 regions");
}

TEST(OperandViews, PartsOfAConcatenationAreCopied) {
  EXPECT_EQ(views(" x = f32[70,40] parameter(0)\n u = f32[70,30] parameter(1)\n y = f32[70,80] parameter(2)\n"
                  " s = f32[70,70] concatenate(x, u), dimensions={1}\n"
                  " ROOT z = f32[70,80] dot(s, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"),
            "2 regions");
}

TEST(OperandViews, TheSourceLivesUntilTheProductIsMade) {
  const hlo::Module module = parsed(std::string("HloModule m\n\nENTRY main {\n x = f32[70,130] parameter(0)\n") +
                                    kMatrix + " s = f32[70,60] slice(x), slice={[0:70], [5:65]}\n" + kProduct + "}\n");
  const StatusOr<Graph> graph = build_graph(*module.entry);
  ASSERT_TRUE(graph.ok());
  RegionGraph regions = *form_regions(*graph, kTestCosts);
  const ValueViews views = take_views(*graph, regions, ViewTarget());
  const Lifetimes lifetimes = lifetimes_of(*graph, regions, views);
  ASSERT_EQ(lifetimes.items.size(), 1u);
  EXPECT_EQ(lifetimes.last_use[graph->parameters[0]], 0);
  EXPECT_EQ(lifetimes.last_use[2], kNeverRead);
}

}  // namespace
}  // namespace hilo::engine
