// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/reduce.h"

#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

std::optional<Opcode> opcode_of(ReducerKind kind) {
  switch (kind) {
    case ReducerKind::kAdd: return Opcode::kAdd;
    case ReducerKind::kMultiply: return Opcode::kMultiply;
    case ReducerKind::kMaximum: return Opcode::kMaximum;
    case ReducerKind::kMinimum: return Opcode::kMinimum;
    case ReducerKind::kAnd: return Opcode::kAnd;
    case ReducerKind::kOr: return Opcode::kOr;
    case ReducerKind::kXor: return Opcode::kXor;
    case ReducerKind::kArgMax:
    case ReducerKind::kArgMin:
    case ReducerKind::kGeneric: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

InstructionId simplify_reduce(RewriteBuilder& b, const RewriteNode& n) {
  if (n.operands.size() != 2 || !n.shape.is_array()) return kNoInstruction;
  const auto& reduce = attributes_of<ReduceAttributes>(n);
  const InstructionId x = n.operand(0), init = n.operand(1);
  bool is_empty = false, is_single = true;
  for (int64_t d : reduce.dimensions) {
    is_empty |= b.shape(x).dimension(d) == 0;
    is_single &= b.shape(x).dimension(d) == 1;
  }
  // Nothing to reduce -> the initial value.
  if (is_empty && b.shape(init).element_type() == n.shape.element_type()) return broadcast(b, init, {}, n.shape);
  // One element each -> init op x. The initial value stays, for 0 + -0 is 0; rules of the op drop it where they may.
  const std::optional<Opcode> opcode = opcode_of(reduce.to_apply->reducer_kind());
  if (!is_single || !opcode || b.shape(x).element_type() != n.shape.element_type()) return kNoInstruction;
  const InstructionId element = b.add(Opcode::kReshape, {x}, nullptr, n.shape);
  return b.add(*opcode, {n.shape.is_scalar() ? init : broadcast(b, init, {}, n.shape), element}, nullptr, n.shape);
}

}  // namespace hilo::hlo
