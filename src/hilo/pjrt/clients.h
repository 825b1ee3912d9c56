// SPDX-License-Identifier: Apache-2.0
// pjrt/clients.h -- making the state behind PJRT_Client.
#pragma once

#include <span>

#include "hilo/pjrt/objects.h"

namespace hilo::pjrt {

/// What a client is made with: the options of PJRT_Client_Create.
struct CreateOptions {
  std::string platform_name = "cpu";  ///< what callers see; JAX takes its rules for lowering by it
  int64_t device_count = 1;
  std::string target = "local";  ///< "rpc:host:port": the devices of a server
};

/// platform_name, cpu_device_count, target; without a count, that of XLA_FLAGS=--xla_force_host_platform_device_count.
/// Errors    INVALID_ARGUMENT for unknown options and wrong values
StatusOr<CreateOptions> create_options(std::span<const PJRT_NamedValue> values);

/// Errors    those of the platform; UNAVAILABLE from a server
StatusOr<ClientStatePtr> make_client_state(const CreateOptions& options);

}  // namespace hilo::pjrt
