// SPDX-License-Identifier: Apache-2.0
// client/compile.h -- compiles modules for the client: dumps, and the cache of executables.
#pragma once

#include "hilo/device/client.h"

namespace hilo {

/// The module compiled for the client's platform. Modules of equal meaning and name share one executable, unless the
/// options ask for dumps or a profile, which belong to one compilation. For all of the client's replicas, unless the
/// module's header states how many.
/// Errors    those of get_xla_client and Client::compile
StatusOr<std::shared_ptr<Executable>> compile_module(const hlo::Module& module, const CompileOptions& options);

/// The same for a client that isn't the default one, alone on any of its devices.
/// Errors    those of Client::compile
StatusOr<std::shared_ptr<Executable>> compile_on(Client& client, const hlo::Module& module,
                                                 const CompileOptions& options);

/// The module compiled for `replica_count` of the client's replicas. No cache.
/// Errors    as above; INVALID_ARGUMENT for more replicas than the client has
StatusOr<std::shared_ptr<Executable>> compile_for_replicas(const hlo::Module& module, CompileOptions options,
                                                           int64_t replica_count);

/// The module compiled for options.replica_count replicas of `client`, or found among what was written down on the
/// disk.
/// Errors    as Client::compile
StatusOr<std::shared_ptr<Executable>> compile_for_client(Client& client, const hlo::Module& module,
                                                         const CompileOptions& options);

/// What an executable keeps for itself, for caches: its program and constants. Code is counted by the caches of code.
int64_t held_bytes(const std::shared_ptr<Executable>& executable);

/// Compiles for `client` with the dumps that `options` ask for and, on a terminal, a line of progress. No cache.
StatusOr<std::unique_ptr<Executable>> compile_observed(Client& client, const hlo::Module& module,
                                                       const CompileOptions& options);

}  // namespace hilo
