// SPDX-License-Identifier: Apache-2.0
// client/platform_name.h -- selects the platform and the number of replicas, without including the engines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/flags.h"

namespace hilo {

/// Selects the client's platform: "Host" or "CUDA". The flag jax_platform_name does the same at the first use of the
/// client, so a program that calls this must set the flag to the same platform.
/// Errors    throws NOT_FOUND for an unknown platform (lists the known ones) or one without devices, UNIMPLEMENTED for
///           devices that this build can't use, FAILED_PRECONDITION once a client exists
Done initialize_platform_name(std::string_view name);
/// Like initialize_platform_name, but returns the error.
Status choose_platform(std::string_view name);

/// Sets the number of the client's replicas, each of which has a virtual device. The flag jax_replica_count does the
/// same at the first use of the client.
/// Errors    throws INVALID_ARGUMENT for less than 1 or more than 65,536, FAILED_PRECONDITION once a client exists
Done initialize_replica_count(int64_t count);
/// Like initialize_replica_count, but returns the error.
Status choose_replica_count(int64_t count);

/// Returns the selected platform, or an empty name if none is selected yet.
std::string platform_name();

/// Returns the platform that jit and eager operations use: "Host", "Reference". Creates the client.
/// Errors    throws nothing; returns "none" if the client can't be created or the platform isn't available
std::string default_platform_name();

/// Drops the client and everything that was compiled with it. The next use creates a client from the current flags.
/// Existing arrays stay valid.
void clear_backends();

}  // namespace hilo
