// SPDX-License-Identifier: Apache-2.0
// rpc/server/check_limits.h -- checks a server's limits before it starts.
#pragma once

#include "hilo/rpc/server/server_options.h"

namespace hilo::rpc {

/// Checks all limits.
/// Errors    INVALID_ARGUMENT naming an option that is below its minimum or not finite
Status check_limits(const ServerOptions& options);

/// Checks an option in seconds: finite, from 0 to a hundred million.
Status check_seconds(std::string_view option, double seconds);

}  // namespace hilo::rpc
