// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/sort.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {

InstructionId simplify_get_tuple_element(RewriteBuilder& b, const RewriteNode& n) {
  // get-tuple-element(tuple(x, y), 0) -> x.
  const RewriteNode* tuple = match(b, n.operand(0), Opcode::kTuple);
  return tuple == nullptr ? kNoInstruction : tuple->operand(attributes_of<GetTupleElementAttributes>(n).index);
}

InstructionId forward_tuples(RewriteBuilder& b, const RewriteNode& n) {
  return n.opcode == Opcode::kGetTupleElement ? simplify_get_tuple_element(b, n) : kNoInstruction;
}

InstructionId simplify_tuple(RewriteBuilder& b, const RewriteNode& n) {
  // A tuple of all elements of t, in order -> t.
  InstructionId whole = kNoInstruction;
  for (size_t i = 0; i < n.operands.size(); ++i) {
    const RewriteNode* element = match(b, n.operand(i), Opcode::kGetTupleElement);
    if (element == nullptr || attributes_of<GetTupleElementAttributes>(*element).index != static_cast<int64_t>(i))
      return kNoInstruction;
    if (i == 0) whole = element->operand(0);
    if (element->operand(0) != whole) return kNoInstruction;
  }
  return whole != kNoInstruction && b.shape(whole) == n.shape ? whole : kNoInstruction;
}

InstructionId simplify_sort(RewriteBuilder& b, const RewriteNode& n) {
  // At most one element along the sorted dimension -> the operands.
  const Shape& x = b.shape(n.operand(0));
  if (x.dimension(attributes_of<SortAttributes>(n).dimension()) > 1) return kNoInstruction;
  return n.operands.size() == 1 ? n.operand(0) : b.tuple(n.operands);
}

}  // namespace hilo::hlo
