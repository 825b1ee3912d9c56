// SPDX-License-Identifier: Apache-2.0
// rpc/server/check_limits.h -- rejects limits that are none, before a server starts with them.
#pragma once

#include "hilo/rpc/server/server_options.h"

namespace hilo::rpc {

/// Errors    INVALID_ARGUMENT naming the option: below its least value, or no finite number
Status check_limits(const ServerOptions& options);

/// The same for seconds: finite, 0 to a hundred million.
Status check_seconds(std::string_view option, double seconds);

}  // namespace hilo::rpc
