// SPDX-License-Identifier: Apache-2.0
// mesh/sharded_operation.h -- single operations on the devices of a mesh. Not for users.
#pragma once

#include "hilo/trace/trace.h"

namespace hilo {

/// Runs an operation that calls computations with sharding constraints; returns nullopt for other operations.
/// Errors     as run_on_mesh
std::optional<std::vector<Array>> run_constrained(const Operation& operation);

}  // namespace hilo
