// SPDX-License-Identifier: Apache-2.0
// hlo/text/literals.h -- reads and writes values of constants: {{1, 2}, {3, 4}}, inf, nan(0x7fc001), (1, 2), true.
#pragma once

#include "hilo/hlo/text/lexer.h"
#include "hilo/types/literal.h"

namespace hilo::hlo::text {

/// The value of a constant, or a part that determines all of it, so that a short text can't allocate much memory.
struct ConstantText {
  enum class Kind : uint8_t {
    kWhole,  ///< `value` has the constant's shape
    kZeros,  ///< every element is 0, as in XLA if a text omits the values; `value` is one element
    kFirst,  ///< `value` is the first element, the others are 0, as in XLA if one value is written for an array
  };
  Kind kind = Kind::kWhole;
  Literal value;
};

/// Reads the value of a constant of `shape` as XLA's parser does: commas are optional, and `...` at the outermost level
/// represents zeros. `name` is the instruction's, for messages.
/// Errors    INVALID_ARGUMENT if the number of values differs from the shape (checked before allocation), or if they
/// are not
///           nested like the shape or out of the element type's range;
///           RESOURCE_EXHAUSTED without memory, or if partly omitted values would need much
StatusOr<ConstantText> read_constant(Cursor& cursor, const Shape& shape, std::string_view name);

/// Appends the value in a form that hilo and XLA read back bit for bit. An array of more than `max_elements` becomes
/// "{...}". So does an empty array that would need thousands of braces.
void append_literal(const Literal& literal, int64_t max_elements, std::string& out);

}  // namespace hilo::hlo::text
