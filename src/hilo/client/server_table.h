// SPDX-License-Identifier: Apache-2.0
// client/server_table.h -- the interface to libhilo_rpc.so for the default client.
#pragma once

#include "hilo/base/companion.h"
#include "hilo/device/client.h"

namespace hilo {

struct ServerTable : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_rpc.so", "hilo_rpc", "the backend xrt",
                                         "build and install the target hilo_rpc"};
  /// Creates the client of the server ClientOptions::target: "rpc:host:port".
  StatusOr<ClientPtr> (*make_client)(ClientOptions options);
};

}  // namespace hilo
