// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/loop_carry.h"

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {
namespace {

/// Marks what `start` needs, and calls found(element) for the carry elements that this reads.
void mark(const Computation& c, InstructionId start, std::vector<bool>& needed,
          const std::function<void(int64_t)>& found) {
  std::vector<InstructionId> stack;
  const auto push = [&](InstructionId id) {
    if (needed[id]) return;
    needed[id] = true;
    stack.push_back(id);
  };
  push(start);
  while (!stack.empty()) {
    const Instruction& i = c.instruction(stack.back());
    stack.pop_back();
    if (const auto element = carry_element_read(c, i)) found(*element);
    for (InstructionId operand : i.operands) push(operand);
  }
}

void mark_effects(const Computation& c, std::vector<bool>& needed, const std::function<void(int64_t)>& found) {
  for (const Instruction& i : c.instructions()) {
    if (i.opcode != Opcode::kParameter && is_kept_when_unused(i.opcode, i.attributes)) mark(c, i.id, needed, found);
  }
}

}  // namespace

std::optional<int64_t> carry_element_read(const Computation& c, const Instruction& i) {
  if (i.opcode != Opcode::kGetTupleElement || c.instruction(i.operands[0]).opcode != Opcode::kParameter)
    return std::nullopt;
  return attributes_of<GetTupleElementAttributes>(i).index;
}

bool reads_carry_by_element(const Computation& c) {
  if (c.parameter_count() != 1 || !c.parameter(0).shape.is_tuple() || c.root().opcode == Opcode::kParameter)
    return false;
  for (const Instruction& i : c.instructions()) {
    if (i.opcode == Opcode::kGetTupleElement) continue;
    for (InstructionId operand : i.operands) {
      if (operand == c.parameters()[0]) return false;
    }
  }
  return true;
}

std::vector<bool> invariant_elements(const Computation& body) {
  std::vector<bool> invariant(body.root().operands.size());
  for (size_t i = 0; i < invariant.size(); ++i) {
    invariant[i] = carry_element_read(body, body.instruction(body.root().operands[i])) == static_cast<int64_t>(i);
  }
  return invariant;
}

std::vector<bool> live_elements(const WhileAttributes& loop, const std::function<bool(size_t)>& read_outside) {
  const Computation& body = *loop.body;
  std::vector<bool> live(body.root().operands.size());
  std::vector<size_t> stack;
  const auto found = [&](size_t i) {
    if (live[i]) return;
    live[i] = true;
    stack.push_back(i);
  };
  for (size_t i = 0; i < live.size(); ++i) {
    if (read_outside(i)) found(i);
  }
  std::vector<bool> in_condition(loop.condition->size()), in_body(body.size());
  mark(*loop.condition, loop.condition->root_id(), in_condition, found);
  mark_effects(*loop.condition, in_condition, found);
  mark_effects(body, in_body, found);
  while (!stack.empty()) {
    const InstructionId next = body.root().operands[stack.back()];
    stack.pop_back();
    mark(body, next, in_body, found);
  }
  return live;
}

std::vector<bool> needed_for(const Computation& c, const std::function<bool(size_t)>& wants, bool is_body) {
  std::vector<bool> needed(c.size());
  const auto ignore = [](int64_t) {};
  if (!is_body) mark(c, c.root_id(), needed, ignore);
  for (size_t i = 0; is_body && i < c.root().operands.size(); ++i) {
    if (wants(i)) mark(c, c.root().operands[i], needed, ignore);
  }
  mark_effects(c, needed, ignore);
  return needed;
}

StatusOr<ComputationPtr> condition_over(const ComputationPtr& condition, const Shape& carry) {
  RewriteBuilder b(condition, {.share = false});
  b.at(condition->parameter(0));
  const InstructionId parameter = b.add(Opcode::kParameter, {}, std::make_shared<ParameterAttributes>(), carry);
  for (const Instruction& i : condition->instructions()) {
    if (i.opcode == Opcode::kParameter) continue;
    b.at(i);
    if (const auto element = carry_element_read(*condition, i)) {
      b.replace(i.id, b.get_tuple_element(parameter, *element));
    } else {
      b.copy(i);
    }
  }
  return b.finish();
}

}  // namespace hilo::hlo
