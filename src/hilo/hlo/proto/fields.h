// SPDX-License-Identifier: Apache-2.0
// hlo/proto/fields.h -- reads and writes values of attribute fields in HloInstructionProto.
#pragma once

#include <map>

#include "hilo/hlo/proto/places.h"
#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {

/// The fields of one instruction: its own, and nested messages that several attributes share.
struct InstructionFields {
  Shape shape;  ///< shape of the instruction
  WireWriter own;
  std::map<uint32_t, WireWriter> nested;  ///< by field number
  std::vector<ComputationPtr> called;     ///< called_computation_ids

  WireWriter& at(const Place& place) { return place.outer == 0 ? own : nested[place.outer]; }
};

/// Writes the value of `field` to `place`.
/// Errors    UNIMPLEMENTED for a value that the message can't represent
Status write_field(const Place& place, const AttributeField& field, const Attributes& attributes,
                   InstructionFields& out);

/// An instruction as read, and what its fields refer to.
struct InstructionMessage {
  const WireMessage& message;
  const std::vector<ComputationPtr>& called;
  /// A nested message that several attributes share, and its number. Those attributes are adjacent in the table, so it
  /// is read once.
  WireMessage& nested;
  uint32_t nested_number = 0;
};

/// Reads the value of `field` from `place`. Missing values become the format's default.
/// Errors    INVALID_ARGUMENT for a value of another form or out of range
Status read_field(const Place& place, const AttributeField& field, InstructionMessage& in, Attributes& attributes);

/// Returns the message that contains the place: the instruction's own, or the nested one. Valid until the next call.
StatusOr<const WireMessage*> message_of(const Place& place, InstructionMessage& in);

}  // namespace hilo::hlo::proto
