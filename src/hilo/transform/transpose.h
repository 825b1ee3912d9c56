// SPDX-License-Identifier: Apache-2.0
// transform/transpose.h -- reverse mode: pulls cotangents back through a linear computation.
#pragma once

#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {

/// Runs the transpose of `computation`, op by op in the current trace, in reverse order.
/// `arguments` has one entry a parameter leaf: nullopt for those in which the computation is linear, values else.
/// `cotangents` has one entry a result leaf. Gives one cotangent a linear parameter leaf, in order; `initial`, if not
/// empty, has sums to begin with for these leaves, which indexed reads then update in place.
/// Errors    UNIMPLEMENTED naming the op whose transpose isn't written; INVALID_ARGUMENT for one that isn't linear
std::vector<Tangent> backward_pass(const hlo::Computation& computation, std::span<const std::optional<Array>> arguments,
                                   std::span<const Tangent> cotangents, std::span<const Tangent> initial = {});

/// The transposed computation: (non-linear parameters, nonzero result cotangents) -> cotangents of linear parameters,
/// zeros materialised. Root is a tuple. `linear` has one entry a parameter leaf, `nonzero` one a result leaf. Memoised.
hlo::ComputationPtr transpose_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& linear,
                                          const std::vector<bool>& nonzero);

/// Stands for a linear operand in a transpose rule: only its aval may be asked.
Array linear_operand(const Aval& aval);
bool is_linear_operand(const Array& array);

}  // namespace hilo
