// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/control_flow.h"

#include <fmt/format.h>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/stablehlo/translate/attribute_setter.h"
#include "hilo/stablehlo/translate/manual.h"
#include "hilo/stablehlo/translate/probes.h"

namespace hilo::stablehlo {

using hlo::ComputationPtr;
using hlo::InstructionId;
using hlo::Opcode;

namespace {

const Region& region_of(const OpContext& op, uint32_t i) { return op.tree().regions[op.operation.regions.begin + i]; }

/// Returns the operands, then the values that the regions capture.
StatusOr<std::vector<InstructionId>> with_captures(const OpContext& op, uint32_t first, const Captures& captures) {
  std::vector<InstructionId> values;
  for (uint32_t i = first; i < op.operation.operands.count; ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId value, op.operand(i));
    values.push_back(value);
  }
  for (ValueId value : captures.others) {
    const InstructionId id = op.translator.ids[value];
    if (id == hlo::kNoInstruction) return invalid_argument("a region uses a value that isn't defined before it");
    values.push_back(id);
  }
  return values;
}

/// Defines the operation's results from one instruction: itself, or the first elements of its tuple.
Status define_results(const OpContext& op, InstructionId id, size_t elements) {
  if (elements == 1) {
    op.define(0, id);
    return ok_status();
  }
  for (uint32_t i = 0; i < op.operation.results.count; ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId element, op.builder.get_tuple_element(id, i));
    op.define(i, element);
  }
  return ok_status();
}

/// Translates branches. Each takes one operand with all values that any of them captures.
Status translate_branches(const OpContext& op, bool predicated) {
  HILO_ASSIGN_OR_RETURN(const InstructionId selector, op.operand(0));
  if (op.operation.regions.count == 0) return invalid_argument("got no branches");
  std::vector<InstructionId> operands = {selector};
  auto attributes = std::make_shared<hlo::ConditionalAttributes>();
  attributes->predicated = predicated;
  for (uint32_t i = 0; i < op.operation.regions.count; ++i) {
    const Region& region = region_of(op, i);
    const Captures captures = op.translator.captures_of({&region});
    HILO_ASSIGN_OR_RETURN(const std::vector<InstructionId> values, with_captures(op, 1, captures));
    const std::string name = fmt::format("{}.branch_{}", op.row.name, i);
    HILO_ASSIGN_OR_RETURN(ComputationPtr branch, op.translator.region(name, region, Parameters::kTuple, captures));
    attributes->branches.push_back(std::move(branch));
    operands.push_back(packed(op.builder, values));
  }
  if (!predicated && attributes->branches.size() == 1) {  // nothing to choose
    auto call = std::make_shared<hlo::CallAttributes>();
    call->to_apply = attributes->branches[0];
    HILO_ASSIGN_OR_RETURN(const InstructionId id, op.builder.add(Opcode::kCall, {operands[1]}, std::move(call)));
    return define_results(op, id, op.operation.results.count);
  }
  HILO_ASSIGN_OR_RETURN(const InstructionId id, op.builder.add(Opcode::kConditional, operands, std::move(attributes)));
  return define_results(op, id, op.operation.results.count);
}

}  // namespace

Status translate_while(const OpContext& op) {
  if (op.operation.regions.count != 2 || op.operation.operands.count != op.operation.results.count)
    return invalid_argument("wanted a condition, a body, and as many results as operands");
  const Region &condition = region_of(op, 0), &body = region_of(op, 1);
  if (condition.arguments.count != op.operation.operands.count || body.arguments.count != op.operation.operands.count)
    return invalid_argument("the arguments of condition and body don't match the operands");
  Captures captures = op.translator.captures_of({&condition, &body});
  HILO_ASSIGN_OR_RETURN(std::vector<InstructionId> carry, with_captures(op, 0, captures));
  std::vector<Shape> shapes;
  for (uint32_t i = 0; i < op.operation.operands.count; ++i) shapes.push_back(op.builder.shape(carry[i]));
  HILO_ASSIGN_OR_RETURN(std::vector<Recording> recordings, recordings_of(op, body));
  int64_t place = carry.size();
  HILO_ASSIGN_OR_RETURN(const std::vector<InstructionId> first, first_recorded(op.builder, recordings));
  carry.insert(carry.end(), first.begin(), first.end());
  auto attributes = std::make_shared<hlo::WhileAttributes>();
  HILO_ASSIGN_OR_RETURN(attributes->condition, op.translator.region("while.condition", condition, Parameters::kTuple,
                                                                    captures, /*carry=*/false, shapes, &recordings));
  HILO_ASSIGN_OR_RETURN(attributes->body, op.translator.region("while.body", body, Parameters::kTuple, captures,
                                                               /*carry=*/true, shapes, &recordings));
  const InstructionId packed_carry = packed(op.builder, carry);
  HILO_ASSIGN_OR_RETURN(const InstructionId id, op.builder.add(Opcode::kWhile, {packed_carry}, std::move(attributes)));
  for (const Recording& r : recordings) {
    for (int64_t pass = 1; pass <= r.passes; ++pass) {
      HILO_ASSIGN_OR_RETURN(const InstructionId seen, op.builder.get_tuple_element(id, place + pass));
      op.translator.probes[r.probe].push_back(seen);
    }
    place += 1 + r.passes;
  }
  return define_results(op, id, carry.size());
}

Status translate_case(const OpContext& op) { return translate_branches(op, false); }

Status translate_if(const OpContext& op) {
  if (op.operation.regions.count != 2) return invalid_argument("wanted two branches");
  return translate_branches(op, true);
}

Status translate_barrier(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  const InstructionId all = packed(op.builder, operands);
  HILO_ASSIGN_OR_RETURN(const InstructionId id, op.builder.add(Opcode::kOptimizationBarrier, {all}));
  return define_results(op, id, operands.size());
}

/// Asynchronous operations run synchronously where they start. A future is represented by its result.
Status translate_async_start(const OpContext& op) {
  if (op.operation.regions.count != 1) return invalid_argument("wanted a body");
  const Region& region = region_of(op, 0);
  const bool captures_all = region.arguments.count == 0;
  if (!captures_all && region.arguments.count != op.operation.operands.count)
    return invalid_argument("the body's arguments don't match the operands");
  for (uint32_t i = 0; i < region.arguments.count; ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(i));
    op.translator.set(op.builder, region.arguments.begin + i, operand);
  }
  std::vector<InstructionId> results;
  HILO_RETURN_IF_ERROR(op.translator.translate_block(op.builder, region, results));
  if (results.empty()) return invalid_argument("the body has no results");
  op.define(0, packed(op.builder, results));
  return ok_status();
}

Status translate_async_done(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId future, op.operand(0));
  return define_results(op, future, op.operation.results.count);
}

/// Translates the body on whole arrays, because each of its operations is elementwise or a broadcast constant.
Status translate_map(const OpContext& op) {
  if (op.operation.regions.count != 1) return invalid_argument("wanted a body");
  const Region& region = region_of(op, 0);
  const Captures captures = op.translator.captures_of({&region});
  AttributeSetter attributes(Opcode::kMap);
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions, op.integers("dimensions"));
  HILO_RETURN_IF_ERROR(attributes.set_list("dimensions", dimensions));
  HILO_ASSIGN_OR_RETURN(const ComputationPtr body,
                        op.translator.region("map.body", region, Parameters::kEach, captures));
  HILO_RETURN_IF_ERROR(attributes.set_computation("to_apply", body));
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  return op.add(Opcode::kMap, operands, attributes.take());
}

}  // namespace hilo::stablehlo
