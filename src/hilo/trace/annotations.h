// SPDX-License-Identifier: Apache-2.0
// trace/annotations.h -- annotations of staged instructions: lines and names of the user's program.
#pragma once

#include "hilo/hlo/ir/instruction.h"
#include "hilo/trace/named_scope.h"

namespace hilo {

/// Returns the annotations for an instruction at the current line and names; null if both are unknown.
hlo::AnnotationsPtr annotations_here();

/// Sets the names of an instruction that is traced again.
class InstructionNames : public NamedScope {
 public:
  explicit InstructionNames(const hlo::Instruction& instruction);
};

}  // namespace hilo
