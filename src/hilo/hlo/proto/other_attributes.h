// SPDX-License-Identifier: Apache-2.0
// hlo/proto/other_attributes.h -- attributes of XLA that hilo stores as text, in HloInstructionProto.
#pragma once

#include <span>

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {

/// Appends Annotations::other_attributes and statistics:
///   parameter_replication={true,false}   result_accuracy={mode=highest}, {tolerance={atol=1,rtol=0.5,ulps=2}}
///   origin={({"x" {0}}, {"y"})}           statistics={visualizing_index=0,time=3.5}
/// Errors    UNIMPLEMENTED for values that the message can't represent, INVALID_ARGUMENT for malformed text
Status write_other_attributes(const Annotations& annotations, WireWriter& out);

/// Reads these attributes.
/// Errors    INVALID_ARGUMENT for an OriginalValueProto whose elements aren't the leaves of a tuple in order
Status read_other_attributes(const WireMessage& instruction, Annotations& annotations);

/// Returns their fields in HloInstructionProto.
std::span<const uint32_t> other_attribute_fields();

}  // namespace hilo::hlo::proto
