// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/passes/growth.h"
#include "hilo/hlo/passes/loop_carry.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/rewrite_loops.h"
#include "hilo/hlo/passes/simplify/rules.h"
#include "hilo/hlo/passes/trip_count.h"

namespace hilo::hlo {
namespace {

/// Returns the shapes of a carry's elements: one per leaf of a flat tuple, or the array itself.
std::vector<Shape> elements_of(const Shape& carry) {
  if (!carry.is_tuple()) return {carry};
  const std::span<const Shape> elements = carry.tuple_elements();
  return {elements.begin(), elements.end()};
}

/// Returns whether the call can be replaced by its callee.
bool is_plain_call(const Instruction& i) {
  return i.opcode == Opcode::kCall && !attributes_of<CallAttributes>(i).is_composite;
}

/// Inlines calls in the body, level by level, until none remain or the budget is spent.
StatusOr<ComputationPtr> without_calls(ComputationPtr body, GrowthBudget& budget) {
  while (has_opcode(*body, Opcode::kCall)) {
    RewriteBuilder b(body, {.share = false, .rule = forward_tuples});
    bool inlined = false;
    for (const Instruction& i : body->instructions()) {
      if (!is_plain_call(i) || !budget.take(attributes_of<CallAttributes>(i).to_apply->size())) {
        b.copy(i);
        continue;
      }
      b.at(i);
      b.replace(i.id, b.splice(attributes_of<CallAttributes>(i).to_apply, b.mapped(i.operands)));
      inlined = true;
    }
    if (!inlined) break;
    HILO_ASSIGN_OR_RETURN(body, b.finish());
  }
  return body;
}

/// Returns by element whether the body passes it on unchanged.
std::vector<bool> unchanged_elements(const Computation& body, size_t count) {
  if (body.root().opcode != Opcode::kTuple || !reads_carry_by_element(body)) return std::vector<bool>(count, false);
  return invariant_elements(body);
}

/// Converts `body` to a scan's step: parameters are constants, then carries; the result is the tuple of carries.
StatusOr<ComputationPtr> step_of(const ComputationPtr& body, const std::vector<Shape>& elements,
                                 const std::vector<bool>& constant) {
  RewriteBuilder b(body, {.share = false, .rule = forward_tuples});
  const Instruction& carry = body->instruction(body->parameters()[0]);
  b.at(carry);
  std::vector<InstructionId> parameters(elements.size());
  int64_t number = 0;
  for (const bool constants : {true, false}) {
    for (size_t i = 0; i < elements.size(); ++i) {
      if (constant[i] != constants) continue;
      auto attributes = std::make_shared<ParameterAttributes>();
      attributes->number = number++;
      parameters[i] = b.add(Opcode::kParameter, {}, std::move(attributes), elements[i].with_default_layout());
    }
  }
  b.replace(carry.id, carry.shape.is_tuple() ? b.tuple(parameters) : parameters[0]);
  for (const Instruction& i : body->instructions()) {
    if (i.opcode != Opcode::kParameter) b.copy(i);
  }
  const InstructionId root = b.mapped(body->root_id());
  std::vector<InstructionId> results;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (constant[i]) continue;
    results.push_back(carry.shape.is_tuple() ? b.get_tuple_element(root, i) : root);
  }
  b.at(body->root());
  return b.finish(b.tuple(results));
}

/// Returns whether a scan can represent the loop.
bool is_raisable(const Instruction& loop) {
  const auto& attributes = attributes_of<WhileAttributes>(loop);
  if (attributes.condition->has_effect()) return false;
  for (const Shape& element : elements_of(loop.shape)) {
    if (!element.is_array()) return false;
  }
  return true;
}

/// Replaces the loop by a scan. Returns false if the loop stays.
StatusOr<bool> raise_loop(RewriteBuilder& b, const Instruction& loop, GrowthBudget& budget) {
  const std::optional<CountedLoop> counted = is_raisable(loop) ? counted_loop(loop, b.source()) : std::nullopt;
  if (!counted) return false;
  HILO_ASSIGN_OR_RETURN(const ComputationPtr body, without_calls(attributes_of<WhileAttributes>(loop).body, budget));
  const std::vector<Shape> elements = elements_of(loop.shape);
  const std::vector<bool> constant = unchanged_elements(*body, elements.size());
  auto scan = std::make_shared<ScanAttributes>();
  scan->length = counted->trip_count;
  HILO_ASSIGN_OR_RETURN(scan->step, step_of(body, elements, constant));
  b.at(loop);
  const InstructionId init = b.mapped(loop.operands[0]);
  std::vector<InstructionId> initial;
  for (size_t i = 0; i < elements.size(); ++i)
    initial.push_back(loop.shape.is_tuple() ? b.get_tuple_element(init, i) : init);
  std::vector<InstructionId> operands;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (constant[i]) operands.push_back(initial[i]);
  }
  scan->constant_count = std::ssize(operands);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!constant[i]) operands.push_back(initial[i]);
  }
  scan->carry_count = std::ssize(operands) - scan->constant_count;
  const InstructionId result = b.add(kExtScan, operands, std::move(scan));
  std::vector<InstructionId> results;
  for (size_t i = 0, next = 0; i < elements.size(); ++i)
    results.push_back(constant[i] ? initial[i] : b.get_tuple_element(result, next++));
  b.replace(loop.id, loop.shape.is_tuple() ? b.tuple(results) : results[0]);
  return true;
}

}  // namespace

StatusOr<bool> raise_while(Module& module) {
  GrowthBudget budget(module);
  return rewrite_computations(module, [&](const ComputationPtr& c) {
    return rewrite_loops(c, [&](RewriteBuilder& b, const Instruction& loop) { return raise_loop(b, loop, budget); });
  });
}

}  // namespace hilo::hlo
