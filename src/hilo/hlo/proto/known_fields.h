// SPDX-License-Identifier: Apache-2.0
// hlo/proto/known_fields.h -- the fields of HloInstructionProto that hilo reads, of every op and of single ops.
#pragma once

#include "hilo/hlo/ir/opcode.h"
#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {

/// Fields of every op.
inline constexpr uint32_t kName = 1, kOpcode = 2, kResultShape = 3, kId = 35, kOperands = 36, kPredecessors = 37,
                          kCalledIds = 38;

/// Checks that no field is ignored.
/// Errors    UNIMPLEMENTED for a field that hilo doesn't read, unless it has its default
Status check_all_known(const WireMessage& instruction, Opcode opcode);

}  // namespace hilo::hlo::proto
