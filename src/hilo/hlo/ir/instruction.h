// SPDX-License-Identifier: Apache-2.0
// hlo/ir/instruction.h -- one instruction of a computation: plain data.
#pragma once

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

/// Index of an instruction in its computation; operands always have smaller ids than their users.
using InstructionId = uint32_t;
inline constexpr InstructionId kNoInstruction = ~InstructionId{0};

/// Data that doesn't change a program's meaning; shared by all instructions of one source line.
struct Annotations {
  std::string op_type;
  std::string op_name;  ///< name stack: "jit(f)/transpose(jvp(f))/dot"
  std::string source_file;
  int64_t source_line = 0;
  std::string other_metadata;  ///< metadata fields that hilo doesn't use, as written
  std::string sharding;
  std::string frontend_attributes;
  std::string backend_config;
  std::string statistics;
  std::string
      other_attributes;  ///< attributes of XLA that hilo doesn't use ("origin=..., result_accuracy=..."), as written
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
  /// Index of the traced program's instruction that this one was derived from. All rewriting preserves it (for profiles
  /// and NaN traps).
  uint32_t origin = 0;
  AnnotationsPtr annotations;  ///< null for none

  const OpDef& def() const { return op_def(opcode); }
};

/// Ends the process unless the instruction's attributes have that type.
void check_attributes_type(const Instruction& instruction, const std::type_info& type);

/// Returns the attributes as their struct. Precondition: T is the struct of the instruction's opcode, or a base of it;
/// builds with assertions check it.
template <typename T>
const T& attributes_of(const Instruction& instruction) {
#if HILO_ASSERTIONS
  check_attributes_type(instruction, typeid(T));
#endif
  return static_cast<const T&>(*instruction.attributes);
}

/// Returns the instruction as messages name it, such as "add 'sum' (train.cc:41)".
std::string describe(const Instruction& instruction);

}  // namespace hilo::hlo
