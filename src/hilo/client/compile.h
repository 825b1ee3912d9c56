// SPDX-License-Identifier: Apache-2.0
// client/compile.h -- compiles modules for the client, with dumps and the cache of executables.
#pragma once

#include "hilo/device/client.h"

namespace hilo {

/// Compiles a module for the client's platform and for all of its replicas, unless the module's header sets their
/// number. Modules with the same meaning and name share one executable, except with dumps or a profile.
/// Errors    those of get_xla_client and Client::compile
StatusOr<std::shared_ptr<Executable>> compile_module(const hlo::Module& module, const CompileOptions& options);

/// Compiles a module for `client`, for a single run on any of its devices.
/// Errors    those of Client::compile
StatusOr<std::shared_ptr<Executable>> compile_on(Client& client, const hlo::Module& module,
                                                 const CompileOptions& options);

/// Compiles a module for `replica_count` of the client's replicas, without the cache.
/// Errors    as above; INVALID_ARGUMENT for more replicas than the client has
StatusOr<std::shared_ptr<Executable>> compile_for_replicas(const hlo::Module& module, CompileOptions options,
                                                           int64_t replica_count);

/// Compiles a module for options.replica_count replicas of `client`, or loads the executable from the disk cache.
/// Errors    those of Client::compile
StatusOr<std::shared_ptr<Executable>> compile_for_client(Client& client, const hlo::Module& module,
                                                         const CompileOptions& options);

/// Returns the bytes of the executable's program and constants, for the limits of caches. Code is counted by the code
/// caches.
int64_t held_bytes(const std::shared_ptr<Executable>& executable);

/// Compiles for `client` with the requested dumps and, on a terminal, a line of progress. Uses no cache.
StatusOr<std::unique_ptr<Executable>> compile_observed(Client& client, const hlo::Module& module,
                                                       const CompileOptions& options);

}  // namespace hilo
