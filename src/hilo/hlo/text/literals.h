// SPDX-License-Identifier: Apache-2.0
// hlo/text/literals.h -- values of constants: {{1, 2}, {3, 4}}, inf, nan(0x7fc001), (1, 2), true.
#pragma once

#include "hilo/hlo/text/lexer.h"
#include "hilo/types/literal.h"

namespace hilo::hlo::text {

/// Reads the value of a constant of `shape`; `name` is the instruction's, for messages.
/// Errors    INVALID_ARGUMENT if the values are not as many as the shape needs (found before anything is allocated),
/// not
///           nested as the shape says, or out of the element type's range; RESOURCE_EXHAUSTED without memory
StatusOr<Literal> read_literal(Cursor& cursor, const Shape& shape, std::string_view name);

/// Appends the value so that it reads back bit for bit; an array of more than `max_elements` becomes "{...}".
void append_literal(const Literal& literal, int64_t max_elements, std::string& out);

}  // namespace hilo::hlo::text
