// SPDX-License-Identifier: Apache-2.0
// client/platform_name.h -- where programs run, by name and number; for users, who don't see the engines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/flags.h"

namespace hilo {

/// Says which platform the client will use: "Host" or "CUDA". The flag jax_platform_name does this at the first use of
/// the client, so a program that calls this itself names its platform there too.
/// Errors    throws NOT_FOUND for an unknown platform (lists the known) or one without devices, UNIMPLEMENTED for
///           devices that this build can't use, FAILED_PRECONDITION once a client exists
Done initialize_platform_name(std::string_view name);
/// The same, whose errors are returned.
Status choose_platform(std::string_view name);

/// Says how many replicas, each a virtual device, the client will have; the flag jax_replica_count does this at the
/// first use of the client.
/// Errors    throws INVALID_ARGUMENT for less than 1 or more than 65,536, FAILED_PRECONDITION once a client exists
Done initialize_replica_count(int64_t count);
/// The same, whose errors are returned.
Status choose_replica_count(int64_t count);

/// The platform that was chosen; empty if none has been yet.
std::string platform_name();

/// The platform that jit and eager operations use, which makes the client: "Host", "Reference".
/// Errors    throws nothing; "none" if the client can't be made or has no platform here
std::string default_platform_name();

/// Forgets the client and all that was compiled with it: the next use makes a new client from the flags as they are
/// then. Arrays live on.
void clear_backends();

}  // namespace hilo
