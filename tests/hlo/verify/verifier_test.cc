// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/verify/verifier.h"

#include <gtest/gtest.h>

#include "hilo/hlo/ops/control_flow.h"

namespace hilo::hlo {
namespace {

const Shape kScalar = Shape::scalar(ElementType::kF32);

AttributesPtr parameter_number(int64_t number) {
  auto attributes = std::make_shared<ParameterAttributes>();
  attributes->number = number;
  return attributes;
}

/// A draft with the parameter x: f32[].
ComputationDraft draft_with_parameter() {
  ComputationDraft draft("main");
  draft.append(Opcode::kParameter, kScalar, {}, parameter_number(0), "x");
  return draft;
}

std::string verified(ComputationDraft draft, InstructionId root) {
  Module module;
  module.name = "m";
  module.entry = *std::move(draft).finish(root);
  return verify(module).to_string();
}

TEST(Verifier, AcceptsWhatTheRulesGive) {
  ComputationDraft draft = draft_with_parameter();
  const InstructionId operands[] = {0, 0};
  draft.append(Opcode::kAdd, kScalar, operands, nullptr, "sum");
  EXPECT_EQ(verified(std::move(draft), 1), "OK");
}

TEST(Verifier, RefusesAModuleWithoutEntry) {
  Module module;
  module.name = "m";
  EXPECT_EQ(verify(module).to_string(), "INVALID_ARGUMENT: module 'm' has no entry computation");
}

TEST(Verifier, RefusesAShapeThatTheRuleDoesNotGive) {
  ComputationDraft draft = draft_with_parameter();
  const InstructionId operands[] = {0, 0};
  draft.append(Opcode::kAdd, Shape::array(ElementType::kF32, {2}), operands, nullptr, "sum");
  EXPECT_EQ(verified(std::move(draft), 1),
            "INVALID_ARGUMENT: computation 'main': add 'sum': declared shape is f32[2]; the operands imply f32[]");
}

TEST(Verifier, RefusesAnOperandThatComesLater) {
  ComputationDraft draft = draft_with_parameter();
  const InstructionId operands[] = {1};
  draft.append(Opcode::kNegate, kScalar, operands, nullptr, "n");
  EXPECT_EQ(verified(std::move(draft), 1),
            "INVALID_ARGUMENT: computation 'main': negate 'n': operand id 1 is not before instruction 1");
}

TEST(Verifier, RefusesACallOfNothing) {
  ComputationDraft draft = draft_with_parameter();
  const InstructionId operands[] = {0};
  draft.append(Opcode::kCall, kScalar, operands, std::make_shared<CallAttributes>(), "c");
  EXPECT_EQ(verified(std::move(draft), 1),
            "INVALID_ARGUMENT: computation 'main': call 'c': the computation of 'to_apply' is missing");
}

TEST(Verifier, LooksIntoCalledComputations) {
  ComputationDraft bad("bad");
  bad.append(Opcode::kParameter, kScalar, {}, parameter_number(0), "x");
  const InstructionId operands[] = {0};
  bad.append(Opcode::kNegate, Shape::scalar(ElementType::kS32), operands, nullptr, "n");
  auto call = std::make_shared<CallAttributes>();
  call->to_apply = *std::move(bad).finish(1);
  ComputationDraft draft = draft_with_parameter();
  draft.append(Opcode::kCall, Shape::scalar(ElementType::kS32), operands, std::move(call), "c");
  EXPECT_EQ(verified(std::move(draft), 1),
            "INVALID_ARGUMENT: computation 'bad': negate 'n': declared shape is s32[]; the operands imply f32[]");
}

TEST(Verifier, RefusesAliasesOfParametersThatAreNotThere) {
  Module module;
  module.name = "m";
  module.entry = *draft_with_parameter().finish(0);
  module.aliases.push_back({.result_index = {}, .parameter_number = 1, .parameter_index = {}, .must_alias = false});
  EXPECT_EQ(verify(module).to_string(), "INVALID_ARGUMENT: module 'm': input_output_alias: 'main' has no parameter 1");
}

}  // namespace
}  // namespace hilo::hlo
