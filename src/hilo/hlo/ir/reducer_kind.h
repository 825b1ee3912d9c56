// SPDX-License-Identifier: Apache-2.0
// hlo/ir/reducer_kind.h -- says what a reducer body computes; Computation memoises the answer.
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Recognises op(p0, p1) in either order, and the two-value bodies of JAX's argmax and argmin; anything else is
/// generic.
ReducerKind reducer_kind_of(const Computation& body);

/// The value that changes nothing, reduced with any other: -0 for a sum, 1, -inf or the least value, ... Nothing for
/// reducers of two values and those without a name, and for types without a C++ twin.
std::optional<Literal> neutral_value(ReducerKind kind, ElementType type);

/// The op of two values that a reducer of that kind applies; nothing for reducers of two values and those without a name.
std::optional<Opcode> opcode_of(ReducerKind kind);

/// The number of a parameter instruction.
int64_t parameter_number(const Instruction& parameter);

}  // namespace hilo::hlo
