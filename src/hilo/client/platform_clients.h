// SPDX-License-Identifier: Apache-2.0
// client/platform_clients.h -- clients of several platforms in one process.
#pragma once

#include <string_view>

#include "hilo/device/client.h"

namespace hilo {

/// The client of a platform: the default one, if that is its platform, or else one that is made at the first call and
/// kept until clear_backends().
/// Errors    those of get_xla_client and make_platform_client
StatusOr<ClientPtr> get_platform_client(std::string_view platform);

/// What clear_backends() does of it.
void forget_platform_clients();

}  // namespace hilo
