// SPDX-License-Identifier: Apache-2.0
// Ops that need elements of other devices: what each device sends, and that the results equal those of the whole op.
#include "hilo/hlo/partition/own_form.h"

#include <gtest/gtest.h>

#include "tests/support/cut_program.h"

namespace hilo::hlo {
namespace {

using tests::sent_by;

constexpr int64_t kNone = -1;
constexpr const char* kAdd =
    "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";
constexpr const char* kMost =
    "most {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] maximum(a, b)\n}\n";

std::string main(const std::string& body) { return "ENTRY main {\n" + body + "\n}"; }

TEST(OwnForms, ConvolutionsGetTheirRims) {
  const auto convolved = [](const std::string& window, int64_t height) {
    return sent_by(
        main("  x = f32[1,16,5,2] parameter(0)\n  k = f32[3,3,2,4] parameter(1)\n  ROOT r = f32[1," +
             std::to_string(height) + ",5,4] convolution(x, k), window={" + window + "}, dim_labels=b01f_01io->b01f"),
        {1, kNone}, {1});
  };
  EXPECT_EQ(convolved("size=3x3 pad=1_1x1_1", 16), "collective-permute 40, collective-permute 40");
  EXPECT_EQ(convolved("size=3x3 stride=2x1 pad=1_0x1_1", 8), "collective-permute 40");
  EXPECT_EQ(convolved("size=3x3 pad=2_2x1_1 rhs_dilate=2x1", 16), "collective-permute 80, collective-permute 80");
}

TEST(OwnForms, GradientsOfConvolutionsAddUpWhatTheirTapsMeet) {
  const std::string sent =
      sent_by(main("  x = f32[2,16,3] parameter(0)\n  g = f32[2,16,4] parameter(1)\n"
                   "  ROOT r = f32[3,3,4] convolution(x, g), window={size=16 pad=1_1}, dim_labels=f0b_i0o->0bf"),
              {1, 1}, {kNone});
  EXPECT_NE(sent.find("all-reduce 144"), std::string::npos) << sent;
  EXPECT_EQ(sent.find("all-gather"), std::string::npos) << sent;
}

TEST(OwnForms, WindowsReachOverBorders) {
  EXPECT_EQ(
      sent_by(kMost + main("  x = f32[16,3] parameter(0)\n  low = f32[] constant(-inf)\n"
                           "  ROOT r = f32[16,3] reduce-window(x, low), window={size=3x1 pad=1_1x0_0}, to_apply=most"),
              {0}, {0}),
      "collective-permute 12, collective-permute 12");
  EXPECT_EQ(
      sent_by(kAdd + main("  x = f32[16,3] parameter(0)\n  zero = f32[] constant(0)\n"
                          "  ROOT r = f32[8,3] reduce-window(x, zero), window={size=2x1 stride=2x1}, to_apply=add"),
              {0}, {0}),
      "");
}

TEST(OwnForms, SumsThatRunSendTheirTotals) {
  for (const std::string op : {"cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"}) {
    for (const std::string reverse : {"false", "true"}) {
      const std::string sent = sent_by(
          main("  x = f32[16,3] parameter(0)\n  ROOT r = f32[16,3] hilo." + op + "(x), axis=0, reverse=" + reverse),
          {0}, {0});
      EXPECT_EQ(sent, "all-gather 48") << op << " " << reverse;
    }
  }
  EXPECT_EQ(
      sent_by(kAdd + main("  x = f32[16,3] parameter(0)\n  zero = f32[] constant(0)\n"
                          "  ROOT r = f32[16,3] reduce-window(x, zero), window={size=16x1 pad=15_0x0_0}, to_apply=add"),
              {0}, {0}),
      "all-gather 48");
}

TEST(OwnForms, AReverseSendsPartsAcross) {
  EXPECT_EQ(sent_by(main("  x = s32[16,3] parameter(0)\n  ROOT r = s32[16,3] reverse(x), dimensions={0,1}"), {0}, {0}),
            "collective-permute 48");
}

TEST(OwnForms, StridedSlicesFetchWhatFallsIntoTheirPart) {
  EXPECT_EQ(
      sent_by(main("  x = f32[16,3] parameter(0)\n  ROOT r = f32[8,3] slice(x), slice={[1:16:2], [0:3]}"), {0}, {0}),
      "");
  EXPECT_EQ(
      sent_by(main("  x = f32[16,3] parameter(0)\n  ROOT r = f32[4,3] slice(x), slice={[0:16:4], [0:3]}"), {0}, {0}),
      "");
}

TEST(OwnForms, SlicesAtPlacesOfTheRunAreJoined) {
  // Starts out of bounds are clamped. Random s32 are small non-negative numbers; the shifts -3 and 40 move them out of
  // bounds.
  for (const std::string shift : {"0", "-3", "7", "40"}) {
    EXPECT_EQ(sent_by(main("  x = f32[16,3] parameter(0)\n  i = s32[] parameter(1)\n  more = s32[] constant(" + shift +
                           ")\n  at = s32[] add(i, more)\n  zero = s32[] constant(0)\n"
                           "  ROOT r = f32[5,3] dynamic-slice(x, at, zero), dynamic_slice_sizes={5,3}"),
                      {0, kNone}, {kNone}),
              "all-reduce 60");
  }
}

TEST(OwnForms, UpdatesFallWhereTheyBelong) {
  for (const std::string shift : {"0", "-3", "6", "40"}) {
    EXPECT_EQ(sent_by(main("  x = f32[16,3] parameter(0)\n  u = f32[6,3] parameter(1)\n  i = s32[] parameter(2)\n"
                           "  more = s32[] constant(" +
                           shift +
                           ")\n  at = s32[] add(i, more)\n  zero = s32[] constant(0)\n"
                           "  ROOT r = f32[16,3] dynamic-update-slice(x, u, at, zero)"),
                      {0, kNone, kNone}, {0}),
              "");
  }
}

TEST(OwnForms, RowsAreGivenByThoseWhoHaveThem) {
  EXPECT_EQ(
      sent_by(main("  x = f32[16,3] parameter(0)\n  i = s32[5,1] parameter(1)\n"
                   "  ROOT r = f32[5,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                   "index_vector_dim=1, slice_sizes={1,3}"),
              {0, kNone}, {kNone}),
      "all-reduce 60");
  EXPECT_EQ(
      sent_by(main("  x = f32[16,3] parameter(0)\n  i = s32[8,1] parameter(1)\n"
                   "  ROOT r = f32[8,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                   "index_vector_dim=1, slice_sizes={1,3}"),
              {kNone, 0}, {0}),
      "");
}

TEST(OwnForms, ScattersWriteWhatFallsIntoTheirPart) {
  const std::string scatter =
      kAdd + main(
                 "  x = f32[16,3] parameter(0)\n  i = s32[64,1] parameter(1)\n  u = f32[64,3] parameter(2)\n"
                 "  ROOT r = f32[16,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
                 "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add");
  EXPECT_EQ(sent_by(scatter, {0, kNone, kNone}, {0}), "");
  EXPECT_EQ(sent_by(scatter, {kNone, 0, 0}, {kNone}), "all-reduce 192");
}

TEST(OwnForms, TheGreatestAreChosenAmongCandidates) {
  EXPECT_EQ(sent_by(main("  x = f32[3,16] parameter(0)\n  ROOT r = (f32[3,2], s32[3,2]) topk(x), k=2, largest=true"),
                    {1}, {kNone, kNone}),
            "all-gather 96, all-gather 96");
}

}  // namespace
}  // namespace hilo::hlo
