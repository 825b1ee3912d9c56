// SPDX-License-Identifier: Apache-2.0
// client/platform_clients.h -- clients of several platforms in one process.
#pragma once

#include <string_view>

#include "hilo/device/client.h"

namespace hilo {

/// Returns the client of a platform. This is the default client if it has that platform. Otherwise it is a client that
/// is created at the first call and cached until clear_backends().
/// Errors    those of get_xla_client and make_platform_client
StatusOr<ClientPtr> get_platform_client(std::string_view platform);

/// Clears the cached clients, for clear_backends().
void forget_platform_clients();

}  // namespace hilo
