// SPDX-License-Identifier: Apache-2.0
// lax/reducer.h -- converts users' functions of scalars to computations of reductions, scatters and sorts. Not for
// users.
#pragma once

#include "hilo/trace/flat_function.h"
#include "hilo/trace/trace.h"

namespace hilo::lax {

/// Stages `f` of (accumulated..., new...) as a computation over scalars of these types, which are also the types of its
/// results.
/// Errors     INVALID_ARGUMENT if it captures an array, or returns other types
hlo::ComputationPtr stage_reducer(const char* function, const std::vector<ElementType>& types, const FlatFunction& f);

}  // namespace hilo::lax
