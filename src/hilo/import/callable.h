// SPDX-License-Identifier: Apache-2.0
// import/callable.h -- a module's entry as bind takes computations.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/ir/module.h"
#include "hilo/import/load.h"

namespace hilo {

/// The entry after the raise pipeline: flat parameters, flat results, no op that merely stands for others.
/// Errors    RESOURCE_EXHAUSTED beyond hlo::max_expanded_instructions(); those of the passes; what tracing throws
hlo::ComputationPtr callable_entry(hlo::Module module);

/// An array of known sizes.
LoadedValue loaded_value(std::string name, const Shape& shape);

/// The leaves of the entry's parameters, under the names that the file has for them.
std::vector<LoadedValue> inputs_of(const hlo::Computation& entry);
/// The leaves of a result; they have no names.
std::vector<LoadedValue> outputs_of(const Shape& result);

std::vector<Aval> avals_of(const std::vector<LoadedValue>& values);

}  // namespace hilo
