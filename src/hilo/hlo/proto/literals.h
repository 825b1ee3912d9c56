// SPDX-License-Identifier: Apache-2.0
// hlo/proto/literals.h -- reads and writes values of constants as LiteralProto.
#pragma once

#include "hilo/hlo/proto/wire.h"
#include "hilo/types/literal.h"

namespace hilo::hlo::proto {

/// Writes a literal. `layout` is the literal's shape with the layout in which its elements are written.
WireWriter write_literal(const Literal& literal, const Shape& layout);

/// A literal (row-major, as always in hilo) and the shape that the message states, including its layout.
struct LiteralAndShape {
  Literal literal;
  Shape shape;
};

/// Reads a LiteralProto.
/// Errors    INVALID_ARGUMENT if the number of elements differs from the shape (checked before allocation);
///           UNIMPLEMENTED for sparse literals; RESOURCE_EXHAUSTED without memory or for tuples nested too deep
StatusOr<LiteralAndShape> read_literal(std::string_view message);

}  // namespace hilo::hlo::proto
