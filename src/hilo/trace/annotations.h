// SPDX-License-Identifier: Apache-2.0
// trace/annotations.h -- what staged instructions say of the user's program.
#pragma once

#include "hilo/hlo/ir/instruction.h"
#include "hilo/trace/named_scope.h"

namespace hilo {

/// For an instruction of the line and the names in force; null where none is known.
hlo::AnnotationsPtr annotations_here();

/// The names of an instruction that is traced once more.
class InstructionNames : public NamedScope {
 public:
  explicit InstructionNames(const hlo::Instruction& instruction);
};

}  // namespace hilo
