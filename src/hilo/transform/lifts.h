// SPDX-License-Identifier: Apache-2.0
// transform/lifts.h -- derivatives through equal eigenvalues: data that JvpTrace propagates along with tangents.
//
// A smooth function of A, written as g(V, w) with A = V diag(w) V^H, has a derivative also if values of w are equal.
// The
// derivatives of g, V and w don't add up to it, because dV has terms of 1 / (w_j - w_i). Let the equal values be w + e
// d
// with different numbers d. Then dV = turned / e + tangent, and g's derivative along `turned` changes by e times its
// derivative along d: their product is finite. So each value has, besides its tangent, its change along d (`moved`) and
// its pole (`turned`). An operation adds its second derivative along both to the tangent of its result. This is linear
// in
// dA, so it can be transposed. Two lifts along different d are used: one gives first derivatives, two give also their
// derivatives (rules/decomposition.cc). After a sum over the axis of the eigenvalues the poles have cancelled, and
// lifts
// end.
#pragma once

#include <functional>

#include "hilo/trace/rules.h"

namespace hilo {

/// Returns a number for a new lift.
int64_t next_lift_id();

/// Adds the contributions of the operands' lifts (one entry per operand) to the tangents of `result`, and sets its own
/// lifts. `push` pushes tangents through the operation. Runs where rules do. Results of operations without a forward
/// mode or with effects get no lifts.
void carry_lifts(const Operation& operation, std::span<const Lifts* const> operands,
                 const std::function<JvpResult(std::span<const Tangent>)>& push, JvpResult& result);

}  // namespace hilo
