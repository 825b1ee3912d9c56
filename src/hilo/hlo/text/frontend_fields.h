// SPDX-License-Identifier: Apache-2.0
// hlo/text/frontend_fields.h -- attribute fields that XLA's ops lack. They are enums whose names begin with "hilo." and
// are written as frontend attributes, which XLA preserves: frontend_attributes={hilo.index_mode="clip"}.
#pragma once

#include "hilo/hlo/text/annotations.h"

namespace hilo::hlo::text {

bool is_frontend_field(const AttributeField& field);

/// Returns `hilo.index_mode="clip"`, or several with commas; empty if all fields have their default.
std::string frontend_fields(const Instruction& instruction);

/// Adds the result of frontend_fields() to the frontend attributes of `annotations`.
void add_frontend_fields(const std::string& fields, Annotations& annotations);

/// Moves the hilo.* entries of the frontend attributes at `position` (0: none) into the fields of `attributes`. The
/// other entries stay in `annotations`.
/// Errors    INVALID_ARGUMENT for a value that the field doesn't accept
Status read_frontend_fields(const Cursor& cursor, size_t position, const OpDef& def, Attributes* attributes,
                            AnnotationsPtr& annotations);

}  // namespace hilo::hlo::text
