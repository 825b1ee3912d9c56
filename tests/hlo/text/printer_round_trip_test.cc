// SPDX-License-Identifier: Apache-2.0
// Text that prints back byte for byte: one case for each opcode with a special form.
#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {
namespace {

std::string round_trip(const std::string& text) {
  const StatusOr<Module> module = parse_module(text);
  return module.ok() ? print_module(*module) : module.status().to_string();
}

void expect_same(const std::string& text) { EXPECT_EQ(round_trip(text), text); }

/// An entry computation with this header and these lines.
std::string entry(const std::string& head, const std::string& lines) {
  return "HloModule m\n\nENTRY %main " + head + " {\n" + lines + "}\n";
}

constexpr const char* kAdd =
    "%add (x: f32[], y: f32[]) -> f32[] {\n"
    "  %x = f32[] parameter(0)\n"
    "  %y = f32[] parameter(1)\n"
    "  ROOT %sum = f32[] add(%x, %y)\n"
    "}\n\n";

TEST(RoundTrip, ElementwiseOps) {
  expect_same(entry("(x: f32[4], n: s32[4]) -> pred[4]",
                    "  %x = f32[4]{0} parameter(0)\n"
                    "  %n = s32[4]{0} parameter(1)\n"
                    "  %exp = f32[4]{0} exponential(%x)\n"
                    "  %power = f32[4]{0} power(%exp, %x)\n"
                    "  %clamp = f32[4]{0} clamp(%x, %power, %exp)\n"
                    "  %convert = f32[4]{0} convert(%n)\n"
                    "  %rounded = f32[4]{0} reduce-precision(%clamp), exponent_bits=5, mantissa_bits=10\n"
                    "  %less = pred[4]{0} compare(%rounded, %convert), direction=LT\n"
                    "  %total = pred[4]{0} compare(%x, %convert), direction=GE, type=TOTALORDER\n"
                    "  ROOT %both = pred[4]{0} and(%less, %total)\n"));
}

TEST(RoundTrip, OpsThatMoveData) {
  expect_same(entry("(x: f32[2,3]) -> f32[5,9]",
                    "  %x = f32[2,3]{1,0} parameter(0)\n"
                    "  %zero = f32[] constant(0)\n"
                    "  %i = s32[] constant(1)\n"
                    "  %broadcast = f32[2,3]{1,0} broadcast(%zero), dimensions={}\n"
                    "  %reshape = f32[3,2]{1,0} reshape(%x)\n"
                    "  %transpose = f32[2,3]{1,0} transpose(%reshape), dimensions={1,0}\n"
                    "  %reverse = f32[2,3]{1,0} reverse(%transpose), dimensions={0,1}\n"
                    "  %slice = f32[2,1]{1,0} slice(%reverse), slice={[0:2], [1:2]}\n"
                    "  %strided = f32[1,2]{1,0} slice(%reverse), slice={[0:2:2], [0:3:2]}\n"
                    "  %dynamic-slice = f32[1,3]{1,0} dynamic-slice(%x, %i, %i), dynamic_slice_sizes={1,3}\n"
                    "  %updated = f32[2,3]{1,0} dynamic-update-slice(%x, %dynamic-slice, %i, %i)\n"
                    "  %iota = s32[4,2]{1,0} iota(), iota_dimension=1\n"
                    "  %bits = s32[2,3]{1,0} bitcast-convert(%x)\n"
                    "  %joined = f32[2,6]{1,0} concatenate(%x, %updated), dimensions={1}\n"
                    "  ROOT %pad = f32[5,9]{1,0} pad(%joined, %zero), padding=1_2_0x-1_-1_1\n"));
}

TEST(RoundTrip, PaddingWithoutInterior) {
  expect_same(entry("(x: f32[2]) -> f32[5]",
                    "  %x = f32[2]{0} parameter(0)\n"
                    "  %zero = f32[] constant(0)\n"
                    "  ROOT %pad = f32[5]{0} pad(%x, %zero), padding=1_2\n"));
}

TEST(RoundTrip, Dot) {
  expect_same(entry("(x: f32[5,2,3], y: f32[5,3,4]) -> f32[5,2,4]",
                    "  %x = f32[5,2,3]{2,1,0} parameter(0)\n"
                    "  %y = f32[5,3,4]{2,1,0} parameter(1)\n"
                    "  ROOT %dot = f32[5,2,4]{2,1,0} dot(%x, %y), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
                    "rhs_batch_dims={0}, rhs_contracting_dims={1}, operand_precision={highest,default}\n"));
}

TEST(RoundTrip, ReduceAndSort) {
  expect_same(std::string("HloModule m\n\n") + kAdd +
              "%less (a: f32[], b: f32[]) -> pred[] {\n"
              "  %a = f32[] parameter(0)\n"
              "  %b = f32[] parameter(1)\n"
              "  ROOT %lt = pred[] compare(%a, %b), direction=LT, type=TOTALORDER\n"
              "}\n\n"
              "ENTRY %main (x: f32[4,3]) -> f32[4] {\n"
              "  %x = f32[4,3]{1,0} parameter(0)\n"
              "  %zero = f32[] constant(0)\n"
              "  %reduce = f32[4]{0} reduce(%x, %zero), dimensions={1}, to_apply=%add\n"
              "  ROOT %sort = f32[4]{0} sort(%reduce), dimensions={0}, is_stable=true, to_apply=%less\n"
              "}\n");
}

TEST(RoundTrip, GatherAndScatter) {
  expect_same(
      std::string("HloModule m\n\n") + kAdd +
      "ENTRY %main (x: f32[4,3], i: s32[2,1]) -> f32[4,3] {\n"
      "  %x = f32[4,3]{1,0} parameter(0)\n"
      "  %i = s32[2,1]{1,0} parameter(1)\n"
      "  %gather = f32[2,3]{1,0} gather(%x, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,3}, indices_are_sorted=true\n"
      "  ROOT %scatter = f32[4,3]{1,0} scatter(%x, %i, %gather), update_window_dims={1}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=%add\n"
      "}\n");
}

TEST(RoundTrip, LoopsBranchesCallsAndTuples) {
  expect_same(
      "HloModule loops\n\n"
      "%twice (v: f32[2]) -> f32[2] {\n"
      "  %v = f32[2]{0} parameter(0)\n"
      "  ROOT %double = f32[2]{0} add(%v, %v)\n"
      "}\n\n"
      "%body (b: (s32[], f32[2])) -> (s32[], f32[2]) {\n"
      "  %b = (s32[], f32[2]{0}) parameter(0)\n"
      "  %m = s32[] get-tuple-element(%b), index=0\n"
      "  %x = f32[2]{0} get-tuple-element(%b), index=1\n"
      "  %called = f32[2]{0} call(%x), to_apply=%twice\n"
      "  %barrier = f32[2]{0} opt-barrier(%called)\n"
      "  ROOT %next = (s32[], f32[2]{0}) tuple(%m, %barrier)\n"
      "}\n\n"
      "%condition (c: (s32[], f32[2])) -> pred[] {\n"
      "  %c = (s32[], f32[2]{0}) parameter(0)\n"
      "  %n = s32[] get-tuple-element(%c), index=0\n"
      "  %limit = s32[] constant(10)\n"
      "  ROOT %go = pred[] compare(%n, %limit), direction=LT\n"
      "}\n\n"
      "%negated (w: f32[2]) -> f32[2] {\n"
      "  %w = f32[2]{0} parameter(0)\n"
      "  ROOT %minus = f32[2]{0} negate(%w)\n"
      "}\n\n"
      "ENTRY %main (start: (s32[], f32[2]), p: pred[], k: s32[]) -> f32[2] {\n"
      "  %start = (s32[], f32[2]{0}) parameter(0)\n"
      "  %p = pred[] parameter(1)\n"
      "  %k = s32[] parameter(2)\n"
      "  %while = (s32[], f32[2]{0}) while(%start), condition=%condition, body=%body\n"
      "  %result = f32[2]{0} get-tuple-element(%while), index=1\n"
      "  %if = f32[2]{0} conditional(%p, %result, %result), true_computation=%twice, false_computation=%negated\n"
      "  ROOT %switch = f32[2]{0} conditional(%k, %if, %result, %if), branch_computations={%twice, %negated, %twice}\n"
      "}\n");
}

TEST(RoundTrip, RandomBits) {
  expect_same(entry("(s: u64[2]) -> (u64[2], u32[3])",
                    "  %s = u64[2]{0} parameter(0)\n"
                    "  ROOT %r = (u64[2]{0}, u32[3]{0}) rng-bit-generator(%s), algorithm=rng_three_fry\n"));
}

TEST(RoundTrip, OpsThatOnlyParse) {
  expect_same(
      std::string("HloModule m, is_scheduled=true, replica_count=2\n\n") + kAdd +
      "ENTRY %main (x: f32[8,8,8,3], k: f32[3,3,3,4]) -> (f32[4], token[]) {\n"
      "  %x = f32[8,8,8,3]{3,2,1,0} parameter(0)\n"
      "  %k = f32[3,3,3,4]{3,2,1,0} parameter(1)\n"
      "  %conv = f32[8,6,6,4]{3,2,1,0} convolution(%x, %k), window={size=3x3}, dim_labels=b01f_01io->b01f\n"
      "  %zero = f32[] constant(0)\n"
      "  %pool = f32[8,3,3,4]{3,2,1,0} reduce-window(%conv, %zero), window={size=1x2x2x1 stride=1x2x2x1}, "
      "to_apply=%add\n"
      "  %all = f32[8,3,3,4]{3,2,1,0} all-reduce(%pool), channel_id=1, replica_groups={{0,1}}, to_apply=%add\n"
      "  %nothing = token[] after-all()\n"
      "  %custom = f32[4]{0} custom-call(%all), custom_call_target=\"a, \\\"b\\\"\", called_computations={%add, %add}, "
      "backend_config={\"k\":[1,2]}\n"
      "  %map = f32[4]{0} map(%custom, %custom), dimensions={0}, to_apply=%add\n"
      "  %fft = c64[3]{0} fft(%map), fft_type=RFFT, fft_length={4}\n"
      "  %id = u32[] replica-id()\n"
      "  ROOT %out = (f32[4]{0}, token[]) tuple(%map, %nothing)\n"
      "}\n");
}

TEST(RoundTrip, Collectives) {
  expect_same(std::string("HloModule m, replica_count=2\n\n") + kAdd +
              "ENTRY %main (x: f32[4,2]) -> (f32[8,2], f32[4,2], f32[4,2]) {\n"
              "  %x = f32[4,2]{1,0} parameter(0)\n"
              "  %sum = f32[4,2]{1,0} all-reduce(%x), channel_id=1, replica_groups={{0,1}}, constrain_layout=true, "
              "use_global_device_ids=true, to_apply=%add\n"
              "  %pair = (f32[4,2]{1,0}, f32[4,2]{1,0}) all-reduce(%x, %sum), replica_groups={}, to_apply=%add\n"
              "  %part = f32[2,2]{1,0} reduce-scatter(%sum), replica_groups={{1,0}}, dimensions={0}, to_apply=%add\n"
              "  %gather = f32[8,2]{1,0} all-gather(%x), replica_groups={{0,1}}, dimensions={0}\n"
              "  %blocks = f32[4,2]{1,0} all-to-all(%x), replica_groups={{0,1}}, dimensions={1}\n"
              "  %swap = (f32[4,2]{1,0}, f32[4,2]{1,0}) all-to-all(%x, %blocks), replica_groups={{0,1}}\n"
              "  %from = f32[4,2]{1,0} collective-permute(%x), channel_id=2, source_target_pairs={{0,1},{1,0}}\n"
              "  %copy = f32[4,2]{1,0} collective-broadcast(%x), replica_groups={{1,0}}\n"
              "  %id = u32[] replica-id()\n"
              "  %partition = u32[] partition-id()\n"
              "  ROOT %out = (f32[8,2]{1,0}, f32[4,2]{1,0}, f32[4,2]{1,0}) tuple(%gather, %from, %copy)\n"
              "}\n");
}

/// The groups of an all-to-all with `groups`, printed as a list.
std::string groups_of(const std::string& groups) {
  const std::string text = round_trip(
      "HloModule m\nENTRY main {\n  x = f32[8,8] parameter(0)\n  ROOT r = f32[8,8] all-to-all(x), replica_groups=" +
      groups + ", dimensions={0}\n}\n");
  const size_t begin = text.find("replica_groups="), end = text.find(", dimensions", begin);
  return begin == std::string::npos ? text : text.substr(begin + 15, end - begin - 15);
}

TEST(RoundTrip, GroupsReadFromAnIotaPrintAsLists) {
  EXPECT_EQ(groups_of("[2,4]<=[8]"), "{{0,1,2,3},{4,5,6,7}}");
  EXPECT_EQ(groups_of("[4,2]<=[2,4]T(1,0)"), "{{0,4},{1,5},{2,6},{3,7}}");
  EXPECT_EQ(groups_of("[2,4]<=[2,2,2]T(2,0,1)"), "{{0,2,4,6},{1,3,5,7}}");
  EXPECT_EQ(groups_of("[1,8]<=[8]"), "{{0,1,2,3,4,5,6,7}}");
  EXPECT_EQ(groups_of("{}"), "{}");
}

TEST(RoundTrip, GroupsThatAreNoIotaAreRefused) {
  for (const char* groups : {"[2,4]<=[9]", "[8]<=[8]", "[2,4]<=[2,4]T(0,0)", "[2,4]<=[2,4]T(0)", "[0,4]<=[0]",
                             "[99999999999,99999999999]<=[99999999999,99999999999]", "[2,4]=[8]", "[2,4]<=8"}) {
    EXPECT_TRUE(groups_of(groups).starts_with("INVALID_ARGUMENT")) << groups << ": " << groups_of(groups);
  }
}

TEST(RoundTrip, NamedAxisOps) {
  expect_same(entry("(x: f32[4]) -> f32[4,8]",
                    "  %x = f32[4]{0} parameter(0)\n"
                    "  %sum = f32[4]{0} hilo.psum(%x), axis_name=i, axis_size=8\n"
                    "  %most = f32[4]{0} hilo.pmax(%sum), axis_name=i, axis_size=8\n"
                    "  %least = f32[4]{0} hilo.pmin(%most), axis_name=\"a b\", axis_size=8\n"
                    "  %next = f32[4]{0} hilo.ppermute(%least), axis_name=i, axis_size=8, permutation={{0,1},{1,0}}\n"
                    "  %me = s32[] hilo.axis_index(), axis_name=i, axis_size=8\n"
                    "  ROOT %all = f32[4,8]{1,0} hilo.all_gather(%next), axis_name=i, axis_size=8, dimension=1\n"));
}

TEST(RoundTrip, AsynchronousForms) {
  expect_same(std::string("HloModule m\n\n") + kAdd +
              "ENTRY %main (x: f32[]) -> f32[] {\n"
              "  %x = f32[] parameter(0)\n"
              "  %start = ((f32[], f32[]), f32[], s32[]) call-start(%x, %x), to_apply=%add\n"
              "  %update = ((f32[], f32[]), f32[], s32[]) call-update(%start)\n"
              "  ROOT %done = f32[] call-done(%update)\n"
              "}\n");
}

TEST(RoundTrip, AnnotationsAndHeader) {
  expect_same(
      "HloModule jit_f, is_scheduled=true, input_output_alias={ {0}: (1, {}, may-alias), {1}: (0, {}, must-alias) }, "
      "entry_computation_layout={(f32[2]{0}, f32[])->(f32[], f32[2]{0})}, replica_count=4, "
      "frontend_attributes={a=\"b\"}\n\n"
      "FileNames\n1 \"a.py\"\n2 \"b.py\"\n\n"
      "FileLocations\n1 {file_name_id=2 line=3}\n\n"
      "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n"
      "ENTRY %main.1 (x: f32[2], y: f32[]) -> (f32[], f32[2]) {\n"
      "  %x = f32[2]{0} parameter(0), sharding={devices=[2]0,1}, metadata={op_name=\"x\"}\n"
      "  %y = f32[] parameter(1), frontend_attributes={k=\"v\",l=\"w\"}\n"
      "  %sine.3 = f32[] sine(%y), metadata={op_type=\"sin\" op_name=\"jit(f)/\\\"sin\\\"\" source_file=\"f.py\" "
      "source_line=3 stack_frame_id=1}\n"
      "  %cosine.4 = f32[] cosine(%sine.3), result_accuracy={mode=highest}, control-predecessors={%x, %sine.3}\n"
      "  ROOT %t = (f32[], f32[2]{0}) tuple(%cosine.4, %x), backend_config={\"a\":{\"b\":\"c,d\"}}\n"
      "}\n");
}

TEST(RoundTrip, WideTuplesCountTheirElements) {
  expect_same(
      entry("(t: (f32[], f32[], f32[], f32[], f32[], /*index=5*/s32[])) -> (f32[], f32[], f32[], f32[], f32[], "
            "/*index=5*/s32[])",
            "  ROOT %t = (f32[], f32[], f32[], f32[], f32[], /*index=5*/s32[]) parameter(0)\n"));
}

TEST(RoundTrip, LayoutsOfColumnMajorArrays) {
  expect_same(entry("(x: f32[2,3]) -> f32[2,3]",
                    "  %x = f32[2,3]{0,1} parameter(0)\n"
                    "  ROOT %y = f32[2,3]{0,1} negate(%x)\n"));
}

TEST(RoundTrip, ComputationsKeepTheOrderOfTheText) {
  const std::string second_first =
      "HloModule m\n\n"
      "%second (b: f32[]) -> f32[] {\n  %b = f32[] parameter(0)\n  ROOT %tanh = f32[] tanh(%b)\n}\n\n"
      "%first (a: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  ROOT %sine = f32[] sine(%a)\n}\n\n"
      "ENTRY %main (x: f32[]) -> (f32[], f32[]) {\n"
      "  %x = f32[] parameter(0)\n"
      "  %f = f32[] call(%x), to_apply=%first\n"
      "  %s = f32[] call(%x), to_apply=%second\n"
      "  ROOT %t = (f32[], f32[]) tuple(%f, %s)\n}\n";
  expect_same(second_first);
}

}  // namespace
}  // namespace hilo::hlo
