// SPDX-License-Identifier: Apache-2.0
// rpc/grpc/channel.h -- a client's streams to a server over gRPC.
#pragma once

#include "hilo/rpc/client/connection.h"
#include "hilo/rpc/grpc_table.h"

namespace hilo::rpc {

/// Connects to a server.
/// Errors    FAILED_PRECONDITION for a token that would be sent without encryption
StatusOr<std::unique_ptr<Connection>> connect_grpc(const ChannelOptions& options, std::shared_ptr<Receiver> receiver);
/// Returns a function that queries the server's overview on a separate channel.
/// Errors    those of connect_grpc
StatusOr<AskOverview> watch_grpc(const ChannelOptions& options);

}  // namespace hilo::rpc
