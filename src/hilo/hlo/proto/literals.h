// SPDX-License-Identifier: Apache-2.0
// hlo/proto/literals.h -- values of constants as LiteralProto.
#pragma once

#include "hilo/hlo/proto/wire.h"
#include "hilo/types/literal.h"

namespace hilo::hlo::proto {

/// `layout` is the literal's shape with the layout that its elements are written in.
WireWriter write_literal(const Literal& literal, const Shape& layout);

/// A literal (row-major, as hilo's are) and the shape that the message states, layout included.
struct LiteralAndShape {
  Literal literal;
  Shape shape;
};

/// Errors    INVALID_ARGUMENT if the elements are not as many as the shape needs, found before anything is allocated;
///           UNIMPLEMENTED for sparse literals; RESOURCE_EXHAUSTED without memory or for tuples nested too deep
StatusOr<LiteralAndShape> read_literal(std::string_view message);

}  // namespace hilo::hlo::proto
