// SPDX-License-Identifier: Apache-2.0
// hlo/proto/known_fields.h -- the fields of HloInstructionProto: those that every op has, and which are known for an op.
#pragma once

#include "hilo/hlo/ir/opcode.h"
#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {

/// Fields of every op. The ids stand with the names.
inline constexpr uint32_t kName = 1, kOpcode = 2, kResultShape = 3, kId = 35, kOperands = 36, kPredecessors = 37,
                          kCalledIds = 38;

/// Errors    UNIMPLEMENTED for a field that nothing here reads and that says something
Status check_all_known(const WireMessage& instruction, Opcode opcode);

}  // namespace hilo::hlo::proto
