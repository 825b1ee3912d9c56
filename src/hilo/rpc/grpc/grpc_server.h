// SPDX-License-Identifier: Apache-2.0
// rpc/grpc/grpc_server.h -- a server over gRPC, with reflection and the standard health service.
#pragma once

#include "hilo/rpc/server/server.h"

namespace hilo::rpc {

/// Starts a server. Precondition: check_listen() accepts the options.
/// Errors    UNAVAILABLE if the address is in use; those of read_token and read_file
StatusOr<std::unique_ptr<Server>> serve_grpc(const ServerOptions& options, StartWorker start_worker);

}  // namespace hilo::rpc
