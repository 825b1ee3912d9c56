// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/unit_groups.h"

namespace hilo {

std::string label_of(const ExecutionUnit& unit) {
  const std::string kind = unit.form.empty() ? unit.kind : unit.form + " " + unit.kind;
  return unit.instructions.empty() ? kind : kind + " " + unit.instructions.back()->name;
}

std::vector<hlo::InstructionGroup> groups_of(const Executable& executable) {
  std::vector<hlo::InstructionGroup> groups;
  for (const ExecutionUnit& unit : executable.units()) {
    if (unit.instructions.empty()) continue;  // a copy, or the final step of a split reduction
    groups.push_back({label_of(unit), unit.instructions, unit.bytes, unit.kind == "kernel"});
  }
  return groups;
}

}  // namespace hilo
