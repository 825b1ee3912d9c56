// SPDX-License-Identifier: Apache-2.0
// client/platforms.h -- platforms by name; platforms.cc is the one place that names every tenant of backend/.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hilo/device/client.h"

namespace hilo {

/// What makes clients of one platform.
struct Platform {
  std::string name;
  /// Whether there are devices that this build can use.
  std::function<Status()> available;
  std::function<StatusOr<ClientPtr>(ClientOptions options)> make;
};

/// The platform's own name: "Host" for "cpu", which JAX calls it.
/// Errors    NOT_FOUND for an unknown name (lists the known) and for a platform without devices, UNIMPLEMENTED if this
///           build has no use for the devices that are there
StatusOr<std::string> check_platform(std::string_view name);

/// A new client of the platform ("Host", "CUDA", "Reference", one that was registered, or one of hilo_pjrt_plugins).
/// Errors    as check_platform; those of the platform
StatusOr<ClientPtr> make_platform_client(std::string_view name, ClientOptions options);

/// The client of a server, ClientOptions::target: "rpc:host:port".
/// Errors    those of open_companion, and of make_remote_client in rpc/client
StatusOr<ClientPtr> make_server_client(ClientOptions options);

/// Adds a platform, for the life of the process.
/// Errors    ALREADY_EXISTS if the name is taken
Status register_platform(Platform platform);

}  // namespace hilo
