// SPDX-License-Identifier: Apache-2.0
// hlo/proto/annotations.h -- the annotations (metadata, sharding, ...) in HloInstructionProto and HloModuleProto.
#pragma once

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {

/// Appends metadata, frontend attributes, sharding, backend_config and others, without control predecessors. Metadata
/// without a field in the message is left out.
/// Errors    UNIMPLEMENTED for values that the message can't represent, INVALID_ARGUMENT for malformed text
Status write_annotations(const Annotations& annotations, WireWriter& out);

/// Reads the annotations of a message; control predecessors stay empty.
StatusOr<Annotations> read_annotations(const WireMessage& instruction);

/// Returns the fields of HloInstructionProto that read_annotations reads.
std::span<const uint32_t> annotation_fields();

/// Writes or reads `{a="b",c={d}}` as FrontendAttributes; "" for none.
StatusOr<WireWriter> write_frontend_attributes(std::string_view text);
StatusOr<std::string> read_frontend_attributes(const WireMessage& message);

}  // namespace hilo::hlo::proto
