// SPDX-License-Identifier: Apache-2.0
// lax/reducer.h -- users' functions of scalars as the computations of reductions, scatters and sorts. Not for users.
#pragma once

#include "hilo/trace/flat_function.h"
#include "hilo/trace/trace.h"

namespace hilo::lax {

/// `f` of (accumulated..., new...) as a computation over scalars of these types, which are those of its results too.
/// Errors    INVALID_ARGUMENT if it closes over an array, or gives other types
hlo::ComputationPtr stage_reducer(const char* function, const std::vector<ElementType>& types, const FlatFunction& f);

}  // namespace hilo::lax
