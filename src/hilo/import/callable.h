// SPDX-License-Identifier: Apache-2.0
// import/callable.h -- the entry of a module as a computation that bind accepts.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/ir/module.h"
#include "hilo/import/load.h"

namespace hilo {

/// Returns the entry after the raise pipeline: flat parameters, flat results, and no op that wraps other ops.
/// Errors    RESOURCE_EXHAUSTED beyond hlo::max_expanded_instructions(); those of the passes and of tracing
hlo::ComputationPtr callable_entry(hlo::Module module);

/// Describes an array of known sizes.
LoadedValue loaded_value(std::string name, const Shape& shape);

/// Returns the leaves of the entry's parameters, with their names in the file.
std::vector<LoadedValue> inputs_of(const hlo::Computation& entry);
/// Returns the leaves of a result; they have no names.
std::vector<LoadedValue> outputs_of(const Shape& result);

std::vector<Aval> avals_of(const std::vector<LoadedValue>& values);

}  // namespace hilo
