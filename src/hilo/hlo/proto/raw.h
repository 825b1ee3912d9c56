// SPDX-License-Identifier: Apache-2.0
// hlo/proto/raw.h -- attributes of ops that hilo stores as HLO text, in HloInstructionProto.
#pragma once

#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/proto/fields.h"

namespace hilo::hlo::proto {

/// Writes or reads such attributes.
/// Errors    UNIMPLEMENTED for attributes that the message can't represent
Status write_raw(Opcode opcode, const RawAttributes& raw, InstructionFields& out);

Status read_raw(Opcode opcode, InstructionMessage& in, RawAttributes& raw);

}  // namespace hilo::hlo::proto
