// SPDX-License-Identifier: Apache-2.0
// tools/hilo/whole_program.h -- compiles and runs MLIR programs under test, each on its number of replicas with equal
// arguments.
#pragma once

#include <span>
#include <vector>

#include "hilo/client/local_computation.h"
#include "hilo/types/literal.h"

namespace hilo::tool {

/// Lets programs have several replicas, unless the flag jax_replica_count is set or the platform is a plugin with its
/// own devices. Must be called before the first compilation.
Status offer_replicas();

/// Compiles for the module's number of replicas; the default is one.
/// Errors    those of compile_under_flags
StatusOr<LocalComputation> compile_whole(hlo::Module module);

/// Runs the program and returns the results of each replica.
/// Errors    those of execution; CANCELLED on an interrupt
StatusOr<std::vector<std::vector<Literal>>> run_whole(const LocalComputation& computation,
                                                      std::span<const Literal> arguments);

}  // namespace hilo::tool
