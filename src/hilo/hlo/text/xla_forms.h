// SPDX-License-Identifier: Apache-2.0
// hlo/text/xla_forms.h -- instructions in forms that XLA's readers take and hilo's ops don't have, in hilo's terms.
#pragma once

#include "hilo/hlo/text/appender.h"

namespace hilo::hlo::text {

/// Whether it has such a form: a dynamic slice at a vector of starts, a copy of a tuple, a map without dimensions, a scan
/// whose result is no tuple, a comparison of a type that says nothing about its operands, a gather or scatter at a dimension
/// that is a batching one too.
bool has_xla_form(const StatedInstruction& stated);

/// Appends to `draft` what `stated` means there, with those operands, and returns the id of its value. Name and annotations
/// of the last instruction are the caller's to set.
/// Errors    INVALID_ARGUMENT where the form doesn't fit its operands
StatusOr<InstructionId> append_xla_form(const StatedInstruction& stated, std::span<const InstructionId> operands,
                                        ComputationDraft& draft);

}  // namespace hilo::hlo::text
