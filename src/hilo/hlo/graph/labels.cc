// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/graph/labels.h"

namespace hilo::hlo::graph {

NodeLabel label_of(const Instruction& instruction) {
  NodeLabel label;
  label.title = std::string(opcode_name(instruction.opcode)) + " " + instruction.name;
  label.shape = instruction.shape.to_string();
  if (instruction.annotations != nullptr && !instruction.annotations->source_file.empty()) {
    const std::string& file = instruction.annotations->source_file;
    const size_t slash = file.find_last_of('/');
    label.source = (slash == std::string::npos ? file : file.substr(slash + 1)) + ":" +
                   std::to_string(instruction.annotations->source_line);
  }
  for (const ComputationPtr& called : called_computations(instruction)) {
    label.calls += (label.calls.empty() ? "calls " : ", ") + called->name();
  }
  return label;
}

}  // namespace hilo::hlo::graph
