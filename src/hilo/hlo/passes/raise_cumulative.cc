// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>
#include <vector>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/passes/expansion.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/match.h"

namespace hilo::hlo {
namespace {

constexpr InstructionId kMaxBody = 64;  // in instructions

/// Returns whether two bodies are the same formula, with their instructions in any order. False for large bodies.
bool is_same_formula(const Computation& a, const Computation& b) {
  if (a.size() > kMaxBody || b.size() > kMaxBody) return false;
  std::set<std::pair<InstructionId, InstructionId>> seen;
  std::vector<std::pair<InstructionId, InstructionId>> pending = {{a.root_id(), b.root_id()}};
  while (!pending.empty()) {
    const auto pair = pending.back();
    pending.pop_back();
    if (!seen.insert(pair).second) continue;
    const Instruction &i = a.instruction(pair.first), &j = b.instruction(pair.second);
    if (i.opcode != j.opcode || i.shape != j.shape || i.operands.size() != j.operands.size() ||
        !attributes_equal(i.opcode, i.attributes, j.attributes))
      return false;
    for (size_t k = 0; k < i.operands.size(); ++k) pending.emplace_back(i.operands[k], j.operands[k]);
  }
  return true;
}

/// The cumulative op of a body, and the kind whose neutral value is its initial value.
struct Running {
  Opcode opcode;
  ReducerKind neutral;
};

std::optional<Running> running_of(const Computation& body, ElementType type) {
  switch (body.reducer_kind()) {
    case ReducerKind::kAdd: return Running{kExtCumsum, ReducerKind::kAdd};
    case ReducerKind::kMultiply: return Running{kExtCumprod, ReducerKind::kMultiply};
    case ReducerKind::kMaximum: return Running{kExtCummax, ReducerKind::kMaximum};
    case ReducerKind::kMinimum: return Running{kExtCummin, ReducerKind::kMinimum};
    default: break;
  }
  if (!is_floating(type)) return std::nullopt;
  const StatusOr<ComputationPtr> logaddexp = logaddexp_computation(type);
  if (!logaddexp.ok() || !is_same_formula(**logaddexp, body)) return std::nullopt;
  return Running{kExtCumlogsumexp, ReducerKind::kMaximum};
}

/// Returns whether `initial` is neutral, so that the reduction can drop it. For sums, zeros of either sign are neutral.
bool is_neutral(const RewriteBuilder& b, InstructionId initial, ReducerKind kind, ElementType type) {
  const Literal* const value = splat_value(b, initial);
  if (value == nullptr) return false;
  if (kind == ReducerKind::kAdd && value->identical(Literal(Shape::scalar(type)))) return true;
  const std::optional<Literal> neutral = neutral_value(kind, type);
  return neutral && value->identical(*neutral);
}

InstructionId raise_window(RewriteBuilder& b, const RewriteNode& n) {
  if (n.opcode != Opcode::kReduceWindow || n.operands.size() != 2) return kNoInstruction;
  const auto& a = attributes_of<ReduceWindowAttributes>(n);
  const Shape& shape = b.shape(n.operand(0));
  const std::optional<Cumulative> line = cumulative_of(a.window, shape.dimensions());
  if (!line) return kNoInstruction;
  const std::optional<Running> running = running_of(*a.to_apply, shape.element_type());
  if (!running || !is_neutral(b, n.operand(1), running->neutral, shape.element_type())) return kNoInstruction;
  auto attributes = std::make_shared<CumulativeAttributes>();
  attributes->axis = line->dimension;
  attributes->reverse = line->reverse;
  const Shape shapes[] = {shape};
  if (!check_instruction(op_def(running->opcode), shapes, attributes.get(), std::nullopt).ok()) return kNoInstruction;
  return b.add(running->opcode, {n.operand(0)}, std::move(attributes));
}

}  // namespace

StatusOr<bool> raise_cumulative(Module& module) { return raise_where(module, Opcode::kReduceWindow, raise_window); }

}  // namespace hilo::hlo
