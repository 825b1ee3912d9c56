// SPDX-License-Identifier: Apache-2.0
// rpc/grpc/channel.h -- a client's streams to a server, over gRPC.
#pragma once

#include "hilo/rpc/client/connection.h"
#include "hilo/rpc/grpc_table.h"

namespace hilo::rpc {

/// Errors    FAILED_PRECONDITION for a token that others could read on the way
StatusOr<std::unique_ptr<Connection>> connect_grpc(const ChannelOptions& options, std::shared_ptr<Receiver> receiver);
/// The same of a channel that only asks how the server is.
StatusOr<AskOverview> watch_grpc(const ChannelOptions& options);

}  // namespace hilo::rpc
