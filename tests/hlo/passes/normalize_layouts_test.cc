// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ir/entry_shapes.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {
namespace {

Module normalized(const std::string& text) {
  StatusOr<Module> module = parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  const StatusOr<bool> changed = normalize_layouts(*module);
  EXPECT_TRUE(changed.ok() && *changed) << changed.status().to_string();
  EXPECT_FALSE(*normalize_layouts(*module)) << print_module(*module);
  return *std::move(module);
}

std::string value_of(const Module& module, const Literal& x) {
  const StatusOr<Literal> value = evaluate(module, {x});
  return value.ok() ? value->to_string() : value.status().to_string();
}

const Literal kRows = Literal::array<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});

std::string fused(const std::string& header, const std::string& body) {
  return "HloModule m" + header + "\nfused {\n" + body +
         "}\nENTRY e {\n  x = s32[2,3] parameter(0)\n  ROOT r = s32[3,2] fusion(x), kind=kLoop, calls=fused\n}\n";
}

TEST(NormalizeLayouts, AFusionTakesItsArraysAsItsCallDoes) {
  const std::string root = "  x = s32[2,3] parameter(0)\n  ROOT r = s32[3,2]{0,1} bitcast(x)\n";
  EXPECT_EQ(value_of(normalized(fused("", root)), kRows), "s32[3,2] {{1, 2}, {3, 4}, {5, 6}}");
  const std::string parameter = "  x = s32[2,3]{0,1} parameter(0)\n  ROOT r = s32[3,2]{1,0} bitcast(x)\n";
  EXPECT_EQ(value_of(normalized(fused("", parameter)), kRows), "s32[3,2] {{1, 2}, {3, 4}, {5, 6}}");
}

TEST(NormalizeLayouts, WhatAFusionLaysOutInsideIsMeant) {
  EXPECT_EQ(value_of(normalized(fused("",
                                      "  x = s32[2,3] parameter(0)\n  y = s32[2,3]{0,1} copy(x)\n"
                                      "  ROOT r = s32[3,2]{1,0} bitcast(y)\n")),
                     kRows),
            "s32[3,2] {{1, 4}, {2, 5}, {3, 6}}");
}

TEST(NormalizeLayouts, AFusionOfAScheduledProgramMeansWhatItStates) {
  const std::string root = "  x = s32[2,3] parameter(0)\n  ROOT r = s32[3,2]{0,1} bitcast(x)\n";
  EXPECT_EQ(value_of(normalized(fused(", is_scheduled=true", root)), kRows), "s32[3,2] {{1, 4}, {2, 5}, {3, 6}}");
}

TEST(NormalizeLayouts, LeavesTheEdgeToTheEntryLayouts) {
  const Module module = normalized(
      "HloModule m\nENTRY e {\n  x = (f32[2,3]{0,1}, f32[4]) parameter(0)\n"
      "  a = f32[2,3]{0,1} get-tuple-element(x), index=0\n  ROOT r = f32[2,3]{0,1} negate(a)\n}\n");
  EXPECT_TRUE(module.entry->parameter(0).shape.has_default_layout());
  EXPECT_EQ(entry_parameter_shapes(module)[0].to_string_with_layout(), "(f32[2,3]{0,1}, f32[4]{0})");
  EXPECT_EQ(entry_result_shape(module).to_string_with_layout(), "f32[2,3]{0,1}");
}

TEST(NormalizeLayouts, ACustomCallKeepsTheLayoutsThatItHandsOver) {
  StatusOr<Module> module = parse_module(
      "HloModule m\nENTRY e {\n  x = f32[2,3]{0,1} parameter(0)\n"
      "  ROOT r = f32[2,3] custom-call(x), custom_call_target=\"t\", operand_layout_constraints={f32[2,3]{0,1}}\n}\n");
  ASSERT_TRUE(module.ok());
  ComputationDraft draft("e");
  for (const Instruction& i : module->entry->instructions()) draft.append_copy(i, i.operands);
  Instruction& call = draft.mutable_instruction(1);
  call.shape = call.shape.with_layout(std::vector<int64_t>{0, 1});
  module->entry = *std::move(draft).finish(1);
  ASSERT_TRUE(*normalize_layouts(*module));
  EXPECT_TRUE(module->entry->root().shape.has_default_layout());
  const std::string text = print_module(*module);
  EXPECT_NE(text.find("f32[2,3]{0,1} custom-call"), std::string::npos) << text;
  EXPECT_NE(text.find("operand_layout_constraints={f32[2,3]{0,1}}"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo::hlo
