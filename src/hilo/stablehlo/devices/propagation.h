// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/propagation.h -- what a module states of the shardings in it, for hlo/sharding/propagate.h.
#pragma once

#include "hilo/hlo/sharding/propagate.h"
#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// The function that callers call: `main`, or else the only public one; null if there is none.
const Operation* entry_function(const ModuleTree& tree);

/// The sharding that attribute `sdy.sharding` of an argument or result says, its mesh filled in.
/// Errors    INVALID_ARGUMENT; NOT_FOUND for a mesh that isn't there
StatusOr<Sharding> sharding_of(const ModuleTree& tree, const Attribute& attribute);

/// Of the module's entry, translated: over the mesh that it names first, or has first. Shardings over other meshes stay out of
/// it: those of arguments and results stand as they are, those in the middle say nothing. `free_...` say by leaf what may be
/// chosen. The request refers to the tree.
/// Errors    those of sharding_of
StatusOr<hlo::PropagationRequest> propagation_request(const ModuleTree& tree, std::vector<bool> free_parameters,
                                                      std::vector<bool> free_results);

}  // namespace hilo::stablehlo
