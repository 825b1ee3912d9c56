// SPDX-License-Identifier: Apache-2.0
// pjrt/clients.h -- creates the state of PJRT_Client.
#pragma once

#include <span>

#include "hilo/pjrt/objects.h"

namespace hilo::pjrt {

/// The options of PJRT_Client_Create.
struct CreateOptions {
  std::string platform_name = "cpu";  ///< name for callers; JAX selects its lowering rules by it
  int64_t device_count = 1;
  std::string target = "local";  ///< "rpc:host:port" for the devices of a server
};

/// Reads the options platform_name, cpu_device_count, target. The default count is that of
/// XLA_FLAGS=--xla_force_host_platform_device_count.
/// Errors    INVALID_ARGUMENT for unknown options and invalid values
StatusOr<CreateOptions> create_options(std::span<const PJRT_NamedValue> values);

/// Creates the state of a client.
/// Errors    those of the platform; UNAVAILABLE from a server
StatusOr<ClientStatePtr> make_client_state(const CreateOptions& options);

}  // namespace hilo::pjrt
