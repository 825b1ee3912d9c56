// SPDX-License-Identifier: Apache-2.0
// hlo/text/literals.h -- values of constants: {{1, 2}, {3, 4}}, inf, nan(0x7fc001), (1, 2), true.
#pragma once

#include "hilo/hlo/text/lexer.h"
#include "hilo/types/literal.h"

namespace hilo::hlo::text {

/// The value of a constant, or a part of it from which the whole follows: a short text doesn't ask for much memory.
struct ConstantText {
  enum class Kind : uint8_t {
    kWhole,  ///< `value` has the constant's shape
    kZeros,  ///< every element is 0, as in XLA where a text leaves the values out; `value` is one of them
    kFirst,  ///< `value` is the first element, the others are 0, as in XLA where one value stands for an array
  };
  Kind kind = Kind::kWhole;
  Literal value;
};

/// Reads the value of a constant of `shape`, as XLA's parser does: commas may be missing, `...` at the outermost level
/// stands for zeros. `name` is the instruction's, for messages.
/// Errors    INVALID_ARGUMENT if the values are not as many as the shape needs (found before anything is allocated), not
///           nested as the shape says, or out of the element type's range;
///           RESOURCE_EXHAUSTED without memory, or where values that are left out in part would need much
StatusOr<ConstantText> read_constant(Cursor& cursor, const Shape& shape, std::string_view name);

/// Appends the value so that it reads back bit for bit, here and in XLA; an array of more than `max_elements` becomes
/// "{...}", and so does an array without elements that would need thousands of braces.
void append_literal(const Literal& literal, int64_t max_elements, std::string& out);

}  // namespace hilo::hlo::text
