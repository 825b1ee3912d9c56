// SPDX-License-Identifier: Apache-2.0
// hlo/text/composite.h -- extension ops in stored HLO: a call with is_composite=true whose frontend attributes tell the
// op.
#pragma once

#include "hilo/hlo/text/fields.h"

namespace hilo::hlo::text {

/// Whether stored HLO has the op as such a call: hilo's own ops, and atan, which XLA has no op for.
bool is_stored_as_composite(Opcode opcode);

/// If the call that was just read stands for an extension op of hilo, makes it that op again: `opcode`, `attributes`,
/// `annotations` and the call sites of `id` change; the decomposition is dropped.
Status restore_composite(const Cursor& cursor, InstructionId id, size_t frontend_attributes_position, Opcode& opcode,
                         std::shared_ptr<Attributes>& attributes, AnnotationsPtr& annotations,
                         std::vector<CallSite>& calls);

/// The frontend attributes of the call that stands for `instruction`, an extension op:
/// `{composite.attributes={...},...}`. Empty if one of its fields has no form there.
std::string composite_attributes(const Instruction& instruction, const ComputationNames& names);

}  // namespace hilo::hlo::text
