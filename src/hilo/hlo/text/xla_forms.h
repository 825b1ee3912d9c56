// SPDX-License-Identifier: Apache-2.0
// hlo/text/xla_forms.h -- rewrites instructions in forms that XLA accepts but hilo's ops lack.
#pragma once

#include "hilo/hlo/text/appender.h"

namespace hilo::hlo::text {

/// Returns whether the instruction has such a form:
///   - a dynamic slice at a vector of starts
///   - a copy of a tuple
///   - a map without dimensions
///   - a scan whose result is no tuple
///   - a comparison type that doesn't fit its operands
///   - a gather or scatter that indexes a batching dimension
bool has_xla_form(const StatedInstruction& stated);

/// Appends the equivalent instructions to `draft` and returns the id of the value. The caller sets name and annotations
/// of the last instruction.
/// Errors    INVALID_ARGUMENT if the form doesn't fit its operands
StatusOr<InstructionId> append_xla_form(const StatedInstruction& stated, std::span<const InstructionId> operands,
                                        ComputationDraft& draft);

}  // namespace hilo::hlo::text
