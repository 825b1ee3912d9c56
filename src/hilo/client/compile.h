// SPDX-License-Identifier: Apache-2.0
// client/compile.h -- compiles modules for the front end: flags, dumps, and the cache of executables.
#pragma once

#include "hilo/backend/backend.h"

namespace hilo {

/// The module compiled for the default backend with the options that the flags ask for. Modules of equal meaning share
/// one executable as long as the flags that a compilation obeys stay the same.
/// Errors    those of the flags and of Backend::compile
StatusOr<std::shared_ptr<Executable>> compile_module(const hlo::Module& module);

/// Compiles for `backend` with the dumps that `options` ask for and, on a terminal, a line of progress. No cache.
StatusOr<std::unique_ptr<Executable>> compile_observed(Backend& backend, const hlo::Module& module,
                                                       const CompileOptions& options);

/// Forgets all executables that compile_module made; those in use live on.
void clear_executable_cache();

}  // namespace hilo
