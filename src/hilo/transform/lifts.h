// SPDX-License-Identifier: Apache-2.0
// transform/lifts.h -- derivatives through equal eigenvalues: what JvpTrace carries next to a tangent.
//
// A smooth function of A, written as g(V, w) with A = V diag(w) V^H, has a derivative where values of w are equal, but the
// derivatives of g, V and w don't add up to it: dV has terms of 1 / (w_j - w_i). Let the equal values be w + e d with
// different numbers d. Then dV = turned / e + tangent, and g's derivative along `turned` changes by e times its derivative
// along d: their product is finite. So each value carries, next to its tangent, its change along d (`moved`) and its pole
// (`turned`), and an op adds to the tangent of its result its second derivative along both. That is linear in dA, so it
// transposes. It takes two lifts, along different d: one gives first derivatives, two their derivatives as well
// (rules/decomposition.cc). Where the axis of the eigenvalues has been summed over, poles have cancelled, and lifts end.
#pragma once

#include <functional>

#include "hilo/trace/rules.h"

namespace hilo {

/// A number for a new lift.
int64_t next_lift_id();

/// Adds to `result` what the operands' lifts (one entry an operand) add to its tangents, and its own lifts. `push`
/// pushes tangents through the operation. Runs where rules do. A value whose operation has no forward mode, or has
/// effects, gets no lifts.
void carry_lifts(const Operation& operation, std::span<const Lifts* const> operands,
                 const std::function<JvpResult(std::span<const Tangent>)>& push, JvpResult& result);

}  // namespace hilo
