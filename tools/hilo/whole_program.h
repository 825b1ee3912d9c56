// SPDX-License-Identifier: Apache-2.0
// tools/hilo/whole_program.h -- programs of MLIR under test: each runs on as many replicas as it says, all on the same
// arguments.
#pragma once

#include <span>
#include <vector>

#include "hilo/client/local_computation.h"
#include "hilo/types/literal.h"

namespace hilo::tool {

/// Lets programs have several replicas, unless the flag jax_replica_count says how many, or the platform is a plugin,
/// which has its own devices. Before the first compilation.
Status offer_replicas();

/// Compiles for the replicas that the module states, one if it states none.
/// Errors    those of compile_under_flags
StatusOr<LocalComputation> compile_whole(hlo::Module module);

/// The results of each replica.
/// Errors    those of execution; CANCELLED on an interrupt
StatusOr<std::vector<std::vector<Literal>>> run_whole(const LocalComputation& computation,
                                                      std::span<const Literal> arguments);

}  // namespace hilo::tool
