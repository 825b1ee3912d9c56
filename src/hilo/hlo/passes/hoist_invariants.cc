// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/passes/loop_carry.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/rewrite_loops.h"
#include "hilo/hlo/passes/simplify/rules.h"
#include "hilo/types/checked.h"

namespace hilo::hlo {
namespace {

/// Instructions that move out of a loop body.
struct Hoist {
  std::vector<bool> moves;              ///< by instruction: computed before the loop
  std::vector<InstructionId> frontier;  ///< moved instructions that remaining ones read: the new carries
};

bool is_cheap_leaf(const Instruction& i) {
  return i.opcode == Opcode::kConstant || i.opcode == Opcode::kIota || i.opcode == Opcode::kBroadcast;
}

/// Returns whether the result is no larger than its operands, so that hoisting doesn't cost memory.
bool shrinks_or_keeps(const Computation& c, const Instruction& i) {
  int64_t bytes = 0;
  for (InstructionId operand : i.operands)
    bytes = checked_add(bytes, c.instruction(operand).shape.byte_size()).value_or(INT64_MAX);
  return i.shape.byte_size() <= bytes;
}

/// Copies of data are free inside a loop, because their users read through them. Calls and loops stay in place.
bool is_worth_moving(const Computation& c, const Instruction& i) {
  if (!i.shape.is_array() || i.operands.empty() || has_trait(i.opcode, kEffect | kBarrier) ||
      i.def().cost == CostClass::kFree)
    return false;
  return (called_computations(i).empty() || i.opcode == Opcode::kReduce) && shrinks_or_keeps(c, i);
}

Hoist find_invariants(const Computation& body) {
  const std::vector<bool> invariant = invariant_elements(body);
  Hoist hoist{std::vector<bool>(body.size()), {}};
  std::vector<bool> fixed(body.size());  // by instruction: equal in every iteration, whether moved or not
  for (const Instruction& i : body.instructions()) {
    if (i.opcode == Opcode::kParameter) continue;
    if (const auto element = carry_element_read(body, i)) {
      fixed[i.id] = invariant[*element];
      continue;
    }
    const bool operands_fixed = std::ranges::all_of(i.operands, [&](InstructionId operand) { return fixed[operand]; });
    if (!operands_fixed || has_trait(i.opcode, kEffect | kBarrier)) continue;
    const bool moves = is_worth_moving(body, i);
    // Leaves and views of fixed values stay. They are duplicated outside if a moved instruction reads them.
    fixed[i.id] = moves || is_cheap_leaf(i) ||
                  (i.def().cost == CostClass::kFree && i.shape.is_array() && called_computations(i).empty());
    hoist.moves[i.id] = moves;
  }
  std::vector<bool> in_frontier(body.size());
  for (const Instruction& i : body.instructions()) {
    if (hoist.moves[i.id]) continue;
    for (InstructionId operand : i.operands) {
      if (hoist.moves[operand] && !in_frontier[operand]) hoist.frontier.push_back(operand);
      if (hoist.moves[operand]) in_frontier[operand] = true;
    }
  }
  std::ranges::sort(hoist.frontier);
  return hoist;
}

/// Returns the values of the frontier, computed outside from the initial carry.
std::vector<InstructionId> compute_outside(RewriteBuilder& b, const Computation& body, const Hoist& hoist,
                                           InstructionId init) {
  std::vector<bool> needed(body.size());
  for (InstructionId id : hoist.frontier) needed[id] = true;
  for (InstructionId id = body.size(); id-- > 0;) {
    if (!needed[id]) continue;
    for (InstructionId operand : body.instruction(id).operands) needed[operand] = true;
  }
  std::vector<InstructionId> map(body.size(), kNoInstruction);
  map[body.parameters()[0]] = init;
  std::vector<InstructionId> operands;
  for (const Instruction& i : body.instructions()) {
    if (!needed[i.id] || i.opcode == Opcode::kParameter) continue;
    operands.clear();
    for (InstructionId operand : i.operands) operands.push_back(map[operand]);
    b.at(i);
    map[i.id] = b.add(i.opcode, operands, i.attributes, i.shape);
  }
  std::vector<InstructionId> values;
  for (InstructionId id : hoist.frontier) values.push_back(map[id]);
  return values;
}

/// Returns the body over a carry with the frontier at its end, without what moves.
StatusOr<ComputationPtr> body_over(const ComputationPtr& source, const Shape& carry, const Hoist& hoist) {
  RewriteBuilder b(source, {.share = false});
  b.at(source->parameter(0));
  const InstructionId parameter = b.add(Opcode::kParameter, {}, std::make_shared<ParameterAttributes>(), carry);
  const int64_t old_count = source->parameter(0).shape.tuple_size();
  std::vector<InstructionId> more;
  for (InstructionId id : hoist.frontier) {
    b.at(source->instruction(id));
    more.push_back(b.get_tuple_element(parameter, old_count + std::ssize(more)));
    b.replace(id, more.back());
  }
  for (const Instruction& i : source->instructions()) {
    if (i.opcode == Opcode::kParameter || hoist.moves[i.id] || i.id == source->root_id()) continue;
    b.at(i);
    if (const auto element = carry_element_read(*source, i)) b.replace(i.id, b.get_tuple_element(parameter, *element));
    else b.copy(i);
  }
  std::vector<InstructionId> elements = b.mapped(source->root().operands);
  elements.insert(elements.end(), more.begin(), more.end());
  b.at(source->root());
  return b.finish(b.tuple(elements));
}

StatusOr<bool> hoist_from(RewriteBuilder& b, const Instruction& loop) {
  const auto& attributes = attributes_of<WhileAttributes>(loop);
  const Computation& body = *attributes.body;
  if (!loop.shape.is_tuple() || body.root().opcode != Opcode::kTuple) return false;
  if (!reads_carry_by_element(body) || !reads_carry_by_element(*attributes.condition)) return false;
  const Hoist hoist = find_invariants(body);
  if (hoist.frontier.empty()) return false;
  const InstructionId init = b.mapped(loop.operands[0]);
  const std::vector<InstructionId> values = compute_outside(b, body, hoist, init);
  b.at(loop);
  std::vector<Shape> shapes(loop.shape.tuple_elements().begin(), loop.shape.tuple_elements().end());
  std::vector<InstructionId> initial;
  for (int64_t i = 0; i < loop.shape.tuple_size(); ++i) initial.push_back(b.get_tuple_element(init, i));
  for (InstructionId value : values) {
    initial.push_back(value);
    shapes.push_back(b.shape(value));
  }
  const Shape carry = Shape::tuple(shapes);
  auto larger = std::make_shared<WhileAttributes>(attributes);
  HILO_ASSIGN_OR_RETURN(larger->condition, condition_over(attributes.condition, carry));
  HILO_ASSIGN_OR_RETURN(larger->body, body_over(attributes.body, carry, hoist));
  const InstructionId result = b.add(Opcode::kWhile, {b.tuple(initial)}, std::move(larger));
  std::vector<InstructionId> elements;
  for (int64_t i = 0; i < loop.shape.tuple_size(); ++i) elements.push_back(b.get_tuple_element(result, i));
  b.replace(loop.id, b.tuple(elements));
  return true;
}

}  // namespace

StatusOr<bool> hoist_invariants(Module& module) {
  return rewrite_computations(module, [](const ComputationPtr& c) { return rewrite_loops(c, hoist_from); });
}

}  // namespace hilo::hlo
