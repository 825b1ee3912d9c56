// SPDX-License-Identifier: Apache-2.0
// hlo/proto/fields.h -- values of attribute fields in HloInstructionProto, both directions.
#pragma once

#include <map>

#include "hilo/hlo/proto/places.h"
#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {

/// The fields of one instruction: those of its own, and the messages in it that several attributes share.
struct InstructionFields {
  Shape shape;  ///< the instruction's
  WireWriter own;
  std::map<uint32_t, WireWriter> nested;  ///< by field number
  std::vector<ComputationPtr> called;     ///< called_computation_ids

  WireWriter& at(const Place& place) { return place.outer == 0 ? own : nested[place.outer]; }
};

/// Writes the value of `field` to `place`.
/// Errors    UNIMPLEMENTED for a value that has no form there
Status write_field(const Place& place, const AttributeField& field, const Attributes& attributes,
                   InstructionFields& out);

/// An instruction as read, and what its fields refer to.
struct InstructionMessage {
  const WireMessage& message;
  const std::vector<ComputationPtr>& called;
  /// A message in it that several attributes share, and its number: read once, as they stand side by side in a table.
  WireMessage& nested;
  uint32_t nested_number = 0;
};

/// Reads the value of `field` from `place`; what is absent becomes the format's default.
/// Errors    INVALID_ARGUMENT for a value of another form or out of range
Status read_field(const Place& place, const AttributeField& field, InstructionMessage& in, Attributes& attributes);

/// The message that holds the place: the instruction's own, or the one inside it, till the next is asked for.
StatusOr<const WireMessage*> message_of(const Place& place, InstructionMessage& in);

}  // namespace hilo::hlo::proto
