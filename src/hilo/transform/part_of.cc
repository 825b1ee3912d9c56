// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/part_of.h"

#include <algorithm>

#include "hilo/array/error.h"
#include "hilo/hlo/build/builder.h"

namespace hilo {

using hlo::InstructionId;

bool has_effect(const hlo::Instruction& instruction) {
  if (hlo::has_trait(instruction.opcode, hlo::kEffect)) return true;
  for (const hlo::ComputationPtr& called : hlo::called_computations(instruction)) {
    if (called->has_effect()) return true;
  }
  return false;
}

std::vector<bool> needed_for(const hlo::Computation& computation, std::span<const InstructionId> outputs,
                             const std::vector<bool>& is_given, std::vector<InstructionId>& given) {
  std::vector<bool> needed(computation.size());
  for (InstructionId id : outputs) needed[id] = true;
  for (InstructionId id = computation.size(); id-- > 0;) {
    if (!needed[id]) continue;
    if (is_given[id]) {
      given.push_back(id);
      continue;
    }
    for (InstructionId operand : computation.instruction(id).operands) needed[operand] = true;
  }
  std::ranges::reverse(given);
  return needed;
}

hlo::ComputationPtr part_of(const hlo::Computation& computation, std::span<const InstructionId> given,
                            std::span<const InstructionId> outputs, const std::string& name,
                            std::span<const InstructionId> also) {
  hlo::Builder builder(name);
  std::vector<InstructionId> mapped(computation.size(), hlo::kNoInstruction);
  std::vector<bool> is_given(computation.size());
  for (InstructionId id : given) {
    is_given[id] = true;
    mapped[id] = builder.parameter(computation.instruction(id).shape);
  }
  std::vector<InstructionId> met, ends(outputs.begin(), outputs.end());
  ends.insert(ends.end(), also.begin(), also.end());
  const std::vector<bool> needed = needed_for(computation, ends, is_given, met);
  for (const hlo::Instruction& i : computation.instructions()) {
    if (needed[i.id] && !is_given[i.id]) mapped[i.id] = or_throw(builder.copy(i, mapped));
  }
  builder.set_annotations(nullptr);
  std::vector<InstructionId> results;
  for (InstructionId id : outputs) results.push_back(mapped[id]);
  return or_throw(std::move(builder).build(builder.tuple(results)));
}

std::vector<bool> follows_from(const hlo::Computation& computation, std::span<const InstructionId> given) {
  std::vector<bool> follows(computation.size());
  for (InstructionId id : given) follows[id] = true;
  for (const hlo::Instruction& i : computation.instructions()) {
    if (i.opcode == hlo::Opcode::kParameter) continue;
    follows[i.id] = !has_effect(i) && std::ranges::all_of(i.operands, [&](InstructionId o) { return follows[o]; });
  }
  return follows;
}

}  // namespace hilo
