// SPDX-License-Identifier: Apache-2.0
// hlo/ir/reducer_kind.h -- recognizes the function that a reducer body computes; Computation stores the answer.
// Defined in hlo/ops, because it reads the attributes of ops (see tools/check_symbol_layers.py).
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Returns the kind of op(p0, p1), in either order, and of JAX's bodies of argmax and argmin; generic otherwise.
ReducerKind reducer_kind_of(const Computation& body);

/// Returns the neutral element: the value that leaves any other one unchanged when reduced with it (-0 for a sum, 1,
/// -inf, the smallest value, ...). Returns nothing for reducers of two values, generic reducers, and types without a
/// C++ equivalent.
std::optional<Literal> neutral_value(ReducerKind kind, ElementType type);

/// Returns the binary op that a reducer of this kind applies; nothing for reducers of two values and generic ones.
std::optional<Opcode> opcode_of(ReducerKind kind);

/// Returns the number of a parameter instruction.
int64_t parameter_number(const Instruction& parameter);

}  // namespace hilo::hlo
