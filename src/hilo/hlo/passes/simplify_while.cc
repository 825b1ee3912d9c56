// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/passes/growth.h"
#include "hilo/hlo/passes/loop_carry.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/rewrite_loops.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"
#include "hilo/hlo/passes/trip_count.h"

namespace hilo::hlo {
namespace {

/// How the surrounding computation uses a loop's carry.
struct CarryUses {
  std::vector<bool> read;   ///< elements that get-tuple-elements read
  bool read_whole = false;  ///< the tuple itself is used
};

std::unordered_map<InstructionId, CarryUses> carry_uses_of(const Computation& c) {
  std::unordered_map<InstructionId, CarryUses> uses;
  for (const Instruction& i : c.instructions()) {
    if (i.opcode == Opcode::kWhile && i.shape.is_tuple()) uses[i.id].read.resize(i.shape.tuple_size());
    for (InstructionId operand : i.operands) {
      const auto it = uses.find(operand);
      if (it == uses.end()) continue;
      if (i.opcode == Opcode::kGetTupleElement)
        it->second.read[attributes_of<GetTupleElementAttributes>(i).index] = true;
      else it->second.read_whole = true;
    }
  }
  if (const auto it = uses.find(c.root_id()); it != uses.end()) it->second.read_whole = true;
  return uses;
}

/// Returns whether the value can be recreated in another computation: a constant, a broadcast scalar, an iota.
bool is_known(const RewriteBuilder& b, InstructionId id) {
  return b.opcode(id) == Opcode::kConstant || b.opcode(id) == Opcode::kIota || splat_value(b, id) != nullptr;
}

InstructionId make_known(const RewriteBuilder& from, InstructionId id, RewriteBuilder& to) {
  const RewriteNode& n = from.node(id);
  if (n.opcode == Opcode::kBroadcast) return to.splat(n.shape, *splat_value(from, id));
  return to.add(n.opcode, {}, n.attributes, n.shape);
}

/// The new position of each element of the carry.
struct Plan {
  std::vector<int64_t> place;        ///< index in the new carry, or -1
  std::vector<InstructionId> known;  ///< value outside the loop; kNoInstruction if unknown
  std::vector<Shape> shapes;         ///< of the new carry
};

/// Returns `source` (a body or a condition) over the new carry. If `is_body`, its root is the tuple of remaining
/// elements.
StatusOr<ComputationPtr> over_new_carry(const ComputationPtr& source, const Plan& plan, const RewriteBuilder& outside,
                                        bool is_body) {
  RewriteBuilder b(source, {.share = false, .rule = forward_tuples});
  const std::vector<bool> needed = needed_for(*source, [&](size_t i) { return plan.place[i] >= 0; }, is_body);
  b.at(source->parameter(0));
  const InstructionId carry =
      b.add(Opcode::kParameter, {}, std::make_shared<ParameterAttributes>(), Shape::tuple(plan.shapes));
  for (const Instruction& i : source->instructions()) {
    if (i.opcode == Opcode::kParameter || !needed[i.id] || (is_body && i.id == source->root_id())) continue;
    const std::optional<int64_t> element = carry_element_read(*source, i);
    if (!element) {
      b.copy(i);
      continue;
    }
    b.at(i);
    const size_t k = *element;
    b.replace(i.id,
              plan.place[k] >= 0 ? b.get_tuple_element(carry, plan.place[k]) : make_known(outside, plan.known[k], b));
  }
  if (!is_body) return b.finish();
  std::vector<InstructionId> elements;
  for (size_t i = 0; i < plan.place.size(); ++i) {
    if (plan.place[i] >= 0) elements.push_back(b.mapped(source->root().operands[i]));
  }
  b.at(source->root());
  return b.finish(b.tuple(elements));
}

/// Drops carries that are unused or constant, and forwards those that never change. Returns whether anything changed.
StatusOr<bool> shrink_carry(RewriteBuilder& b, const Instruction& loop, const CarryUses& uses) {
  const auto& attributes = attributes_of<WhileAttributes>(loop);
  if (!reads_carry_by_element(*attributes.condition) || !reads_carry_by_element(*attributes.body)) return false;
  if (attributes.body->root().opcode != Opcode::kTuple) return false;
  const InstructionId init = b.mapped(loop.operands[0]);
  const size_t count = uses.read.size();
  const std::vector<bool> invariant = invariant_elements(*attributes.body);
  std::vector<bool> live =
      live_elements(attributes, [&](size_t i) { return (uses.read_whole || uses.read[i]) && !invariant[i]; });
  Plan plan;
  std::vector<InstructionId> initial(count);
  bool forwards = false;
  for (size_t i = 0; i < count; ++i) {
    initial[i] = b.get_tuple_element(init, i);
    const bool known = invariant[i] && is_known(b, initial[i]);
    const bool stays = live[i] && !known;
    forwards |= invariant[i] && uses.read[i];
    plan.known.push_back(known ? initial[i] : kNoInstruction);
    plan.place.push_back(stays ? std::ssize(plan.shapes) : -1);
    if (stays) plan.shapes.push_back(loop.shape.tuple_element(i));
  }
  const bool shrinks = plan.shapes.size() < count && !plan.shapes.empty();
  if (!shrinks && !forwards) return false;
  InstructionId result;
  if (shrinks) {
    auto smaller = std::make_shared<WhileAttributes>(attributes);
    HILO_ASSIGN_OR_RETURN(smaller->condition, over_new_carry(attributes.condition, plan, b, false));
    HILO_ASSIGN_OR_RETURN(smaller->body, over_new_carry(attributes.body, plan, b, true));
    std::vector<InstructionId> remaining;
    for (size_t i = 0; i < count; ++i) {
      if (plan.place[i] >= 0) remaining.push_back(initial[i]);
    }
    b.at(loop);
    result = b.add(Opcode::kWhile, {b.tuple(remaining)}, std::move(smaller));
  } else {
    result = b.copy(loop);
    for (size_t i = 0; i < count; ++i) plan.place[i] = i;
  }
  // The old carry as a tuple, through which its get-tuple-elements read.
  std::vector<InstructionId> elements;
  for (size_t i = 0; i < count; ++i) {
    elements.push_back(plan.place[i] >= 0 && !invariant[i] ? b.get_tuple_element(result, plan.place[i]) : initial[i]);
  }
  b.replace(loop.id, b.tuple(elements));
  return true;
}

/// Removes a loop that runs never or once.
bool remove_loop(RewriteBuilder& b, const Instruction& loop, GrowthBudget& budget) {
  const auto& attributes = attributes_of<WhileAttributes>(loop);
  if (attributes.condition->has_effect()) return false;
  const std::optional<int64_t> count = trip_count(loop, b.source());
  if (!count || *count > 1) return false;
  b.at(loop);
  const std::vector<InstructionId> init = b.mapped(loop.operands);
  b.replace(loop.id, *count == 0 ? init[0] : splice_or_call(b, attributes.body, init, budget));
  return true;
}

StatusOr<ComputationPtr> simplify_while_in(const ComputationPtr& source, GrowthBudget& budget) {
  const std::unordered_map<InstructionId, CarryUses> uses =
      has_opcode(*source, Opcode::kWhile) ? carry_uses_of(*source) : std::unordered_map<InstructionId, CarryUses>();
  return rewrite_loops(source, [&](RewriteBuilder& b, const Instruction& loop) -> StatusOr<bool> {
    if (remove_loop(b, loop, budget)) return true;
    const auto it = uses.find(loop.id);
    if (it == uses.end()) return false;
    b.at(loop);
    return shrink_carry(b, loop, it->second);
  });
}

}  // namespace

StatusOr<bool> simplify_while(Module& module) {
  GrowthBudget budget(module);
  return rewrite_computations(module, [&](const ComputationPtr& c) { return simplify_while_in(c, budget); });
}

}  // namespace hilo::hlo
