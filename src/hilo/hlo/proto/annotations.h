// SPDX-License-Identifier: Apache-2.0
// hlo/proto/annotations.h -- what a program carries beside its meaning, in HloInstructionProto and HloModuleProto.
#pragma once

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {

/// Appends metadata, frontend attributes, sharding, backend_config and the like; not control predecessors.
/// Metadata that the message has no field for is left out.
/// Errors    UNIMPLEMENTED for what has no form in the message, INVALID_ARGUMENT for text that is no such value
Status write_annotations(const Annotations& annotations, WireWriter& out);

/// The same of a message; control predecessors stay empty.
StatusOr<Annotations> read_annotations(const WireMessage& instruction);

/// Fields of HloInstructionProto that read_annotations takes.
std::span<const uint32_t> annotation_fields();

/// `{a="b",c={d}}` as FrontendAttributes, and back; "" for none.
StatusOr<WireWriter> write_frontend_attributes(std::string_view text);
StatusOr<std::string> read_frontend_attributes(const WireMessage& message);

}  // namespace hilo::hlo::proto
