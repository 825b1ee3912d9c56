// SPDX-License-Identifier: Apache-2.0
// hlo/text/frontend_fields.h -- fields that XLA's ops don't have. They are enums whose names begin with "hilo.", and
// stand in the text as frontend attributes, which XLA keeps: frontend_attributes={hilo.index_mode="clip"}.
#pragma once

#include "hilo/hlo/text/annotations.h"

namespace hilo::hlo::text {

bool is_frontend_field(const AttributeField& field);

/// `hilo.index_mode="clip"`, or more of them with commas; empty if all have their default.
std::string frontend_fields(const Instruction& instruction);

/// Adds what frontend_fields gave to the frontend attributes of `annotations`.
void add_frontend_fields(const std::string& fields, Annotations& annotations);

/// Moves the hilo.* entries of the frontend attributes that stand at `position` (0: none) into the fields of
/// `attributes`; `annotations` keeps the others.
/// Errors    INVALID_ARGUMENT for a value that the field doesn't have
Status read_frontend_fields(const Cursor& cursor, size_t position, const OpDef& def, Attributes* attributes,
                            AnnotationsPtr& annotations);

}  // namespace hilo::hlo::text
