// SPDX-License-Identifier: Apache-2.0
// tools/hilo/whole_program.h -- MLIR programs under test: each runs on the number of replicas that it states, all with
// the same arguments.
#pragma once

#include <span>
#include <vector>

#include "hilo/client/local_computation.h"
#include "hilo/types/literal.h"

namespace hilo::tool {

/// Allows programs several replicas, unless the flag jax_replica_count is set, or the platform is a plugin, whose
/// number of devices is fixed. Call before the first compilation.
Status offer_replicas();

/// Compiles for the number of replicas that the module states, by default one.
/// Errors    those of compile_under_flags
StatusOr<LocalComputation> compile_whole(hlo::Module module);

/// The results of each replica.
/// Errors    those of execution; CANCELLED on an interrupt
StatusOr<std::vector<std::vector<Literal>>> run_whole(const LocalComputation& computation,
                                                      std::span<const Literal> arguments);

}  // namespace hilo::tool
