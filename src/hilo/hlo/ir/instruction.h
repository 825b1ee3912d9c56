// SPDX-License-Identifier: Apache-2.0
// hlo/ir/instruction.h -- one instruction of a computation: plain data.
#pragma once

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

/// Index of an instruction in its computation; operands always have smaller ids than their users.
using InstructionId = uint32_t;
inline constexpr InstructionId kNoInstruction = ~InstructionId{0};

/// What a program carries beside its meaning; shared by all instructions of one source line.
struct Annotations {
  std::string op_type;
  std::string op_name;  ///< name stack: "jit(f)/transpose(jvp(f))/dot"
  std::string source_file;
  int64_t source_line = 0;
  std::string other_metadata;  ///< metadata fields hilo has no use for, as written
  std::string sharding;
  std::string frontend_attributes;
  std::string backend_config;
  std::string statistics;
  std::string
      other_attributes;  ///< "key=value, ..." of XLA's that hilo has no use for (origin, result_accuracy), as written
  std::vector<std::string> control_predecessors;
  bool operator==(const Annotations&) const = default;
};
using AnnotationsPtr = std::shared_ptr<const Annotations>;

struct Instruction {
  Opcode opcode{};
  InstructionId id = kNoInstruction;
  Shape shape;
  std::span<const InstructionId> operands;  ///< points into the owning computation
  AttributesPtr attributes;                 ///< null for ops without attributes
  std::string name;                         ///< without '%'; unique in its computation
  /// The instruction of the traced program that this one came from; stable through all rewriting (profile, NaN trap).
  uint32_t origin = 0;
  AnnotationsPtr annotations;  ///< null for none

  const OpDef& def() const { return op_def(opcode); }
};

/// Ends the process unless the instruction has attributes of that type.
void check_attributes_type(const Instruction& instruction, const std::type_info& type);

/// The attributes as their struct. Precondition: T is the struct of the instruction's opcode, or one that it derives from;
/// builds with assertions check it.
template <typename T>
const T& attributes_of(const Instruction& instruction) {
#if HILO_ASSERTIONS
  check_attributes_type(instruction, typeid(T));
#endif
  return static_cast<const T&>(*instruction.attributes);
}

/// "add 'sum' (train.cc:41)", for messages.
std::string describe(const Instruction& instruction);

}  // namespace hilo::hlo
