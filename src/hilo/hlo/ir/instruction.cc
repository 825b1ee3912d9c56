// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/instruction.h"

#include <cxxabi.h>

#include <cstdlib>

namespace hilo::hlo {
namespace {

/// Returns the type's readable name, such as "hilo::hlo::SliceAttributes".
std::string type_name(const std::type_info& type) {
  int status = 0;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  const std::string text = name == nullptr ? type.name() : name;
  std::free(name);
  return text;
}

}  // namespace

void check_attributes_type(const Instruction& instruction, const std::type_info& type) {
  if (instruction.attributes != nullptr && instruction.def().attributes.make.has_type(type)) return;
  assertion_failed("attributes_of: " + describe(instruction) +
                   (instruction.attributes == nullptr ? " has no attributes" : " has attributes of another type") +
                   "; wanted " + type_name(type));
}

std::string describe(const Instruction& instruction) {
  std::string text = std::string(opcode_name(instruction.opcode)) + " '" + instruction.name + "'";
  if (instruction.annotations != nullptr && !instruction.annotations->source_file.empty()) {
    text +=
        " (" + instruction.annotations->source_file + ":" + std::to_string(instruction.annotations->source_line) + ")";
  }
  return text;
}

}  // namespace hilo::hlo
