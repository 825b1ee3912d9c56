// SPDX-License-Identifier: Apache-2.0
// transform/transpose.h -- reverse mode: pulls cotangents back through a linear computation.
#pragma once

#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {

/// Runs the transpose of `computation` in the current trace, operation by operation in reverse order. Returns one
/// cotangent per linear parameter leaf, in order. `arguments` has one entry per parameter leaf: nullopt for linear
/// ones, a value otherwise. `cotangents` has one entry per result leaf. `initial`, if not empty, has initial sums for
/// the linear leaves, which indexed reads update in place.
/// Errors     UNIMPLEMENTED naming an operation without a transpose rule; INVALID_ARGUMENT for one that isn't linear
std::vector<Tangent> backward_pass(const hlo::Computation& computation, std::span<const std::optional<Array>> arguments,
                                   std::span<const Tangent> cotangents, std::span<const Tangent> initial = {});

/// Returns the transposed computation: (non-linear parameters, nonzero result cotangents) -> cotangents of linear
/// parameters, with zeros materialised. The root is a tuple. `linear` has one entry per parameter leaf, `nonzero` one
/// per result leaf. Memoised.
hlo::ComputationPtr transpose_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& linear,
                                          const std::vector<bool>& nonzero);

/// Returns an array that represents a linear operand in a transpose rule; only its aval may be queried.
Array linear_operand(const Aval& aval);
bool is_linear_operand(const Array& array);

}  // namespace hilo
