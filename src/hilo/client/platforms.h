// SPDX-License-Identifier: Apache-2.0
// client/platforms.h -- platforms by name. Only platforms.cc refers to all folders of backend/.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hilo/device/client.h"

namespace hilo {

/// A platform and the factory of its clients.
struct Platform {
  std::string name;
  /// Returns OK if there are devices that this build can use.
  std::function<Status()> available;
  std::function<StatusOr<ClientPtr>(ClientOptions options)> make;
};

/// Returns the platform's canonical name: "Host" for "cpu", which is JAX's name.
/// Errors    NOT_FOUND for an unknown name (lists the known ones) and for a platform without devices, UNIMPLEMENTED if
///           this build can't use the devices
StatusOr<std::string> check_platform(std::string_view name);

/// Creates a client of the platform: "Host", "CUDA", "Reference", a registered one, or one of hilo_pjrt_plugins.
/// Errors    those of check_platform and of the platform
StatusOr<ClientPtr> make_platform_client(std::string_view name, ClientOptions options);

/// Creates the client of a server, ClientOptions::target: "rpc:host:port".
/// Errors    those of open_companion, and of make_remote_client in rpc/client
StatusOr<ClientPtr> make_server_client(ClientOptions options);

/// Registers a platform for the lifetime of the process.
/// Errors    ALREADY_EXISTS if the name is in use
Status register_platform(Platform platform);

}  // namespace hilo
