// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/entry_layout.h"

#include <algorithm>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/control_flow.h"

namespace hilo {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

bool has_layouts(const hlo::Computation& entry, std::span<const Shape> parameters, const Shape& result) {
  return std::ranges::equal(entry.parameter_shapes(), parameters) && entry.result_shape() == result;
}

/// `from` as a value of the shape `to`, which differs in layouts; tuples leaf by leaf, to the depth that shapes nest.
InstructionId copied(hlo::ComputationDraft& draft, InstructionId from, const Shape& to) {
  if (draft.instruction(from).shape == to) return from;
  if (!to.is_tuple()) return draft.append(Opcode::kCopy, to, {&from, 1});
  std::vector<InstructionId> elements;
  for (int64_t i = 0; i < to.tuple_size(); ++i) {
    auto attributes = std::make_shared<hlo::GetTupleElementAttributes>();
    attributes->index = i;
    const Shape element = draft.instruction(from).shape.tuple_element(i);
    const InstructionId id = draft.append(Opcode::kGetTupleElement, element, {&from, 1}, std::move(attributes));
    elements.push_back(copied(draft, id, to.tuple_element(i)));
  }
  return draft.append(Opcode::kTuple, to, elements);
}

}  // namespace

StatusOr<hlo::Module> with_entry_layout(const hlo::Module& module, std::span<const Shape> parameters,
                                        const Shape& result) {
  const hlo::Computation& entry = *module.entry;
  hlo::Module changed = module;
  changed.entry_parameter_layouts.reset();  // from here on the instructions say it
  changed.entry_result_layout.reset();
  if (has_layouts(entry, parameters, result)) return changed;
  hlo::ComputationDraft draft(entry.name());
  std::vector<InstructionId> moved(entry.size());
  for (const hlo::Instruction& instruction : entry.instructions()) {
    std::vector<InstructionId> operands;
    for (const InstructionId operand : instruction.operands) {
      // A bitcast reads the layout that its operand was written with.
      const bool reads_layout = instruction.opcode == Opcode::kBitcast;
      operands.push_back(reads_layout ? copied(draft, moved[operand], entry.instruction(operand).shape)
                                      : moved[operand]);
    }
    moved[instruction.id] = draft.append_copy(instruction, operands);
    if (instruction.opcode != Opcode::kParameter) continue;
    draft.mutable_instruction(moved[instruction.id]).shape =
        parameters[static_cast<size_t>(hlo::parameter_number(instruction))];
  }
  const InstructionId root = copied(draft, moved[entry.root_id()], result);
  HILO_ASSIGN_OR_RETURN(changed.entry, std::move(draft).finish(root));
  return changed;
}

}  // namespace hilo
