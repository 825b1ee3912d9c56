// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

std::string describe(const Instruction& instruction) {
  std::string text = std::string(opcode_name(instruction.opcode)) + " '" + instruction.name + "'";
  if (instruction.annotations != nullptr && !instruction.annotations->source_file.empty()) {
    text +=
        " (" + instruction.annotations->source_file + ":" + std::to_string(instruction.annotations->source_line) + ")";
  }
  return text;
}

}  // namespace hilo::hlo
