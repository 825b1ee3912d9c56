// SPDX-License-Identifier: Apache-2.0
// hlo/text/composite.h -- extension ops in stored HLO: composite calls whose frontend attributes identify the op.
#pragma once

#include "hilo/hlo/text/fields.h"

namespace hilo::hlo::text {

/// Returns whether stored HLO represents the op by such a call: hilo's own ops, and atan, which XLA lacks.
bool is_stored_as_composite(Opcode opcode);

/// If the call that was just read represents an extension op, restores that op. Changes `opcode`, `attributes`,
/// `annotations` and the call sites of `id`; drops the decomposition.
Status restore_composite(const Cursor& cursor, InstructionId id, size_t frontend_attributes_position, Opcode& opcode,
                         std::shared_ptr<Attributes>& attributes, AnnotationsPtr& annotations,
                         std::vector<CallSite>& calls);

/// Returns the frontend attributes of the call that represents `instruction`, an extension op:
/// `{composite.attributes={...},...}`. Empty if a field has no such form.
std::string composite_attributes(const Instruction& instruction, const ComputationNames& names);

}  // namespace hilo::hlo::text
