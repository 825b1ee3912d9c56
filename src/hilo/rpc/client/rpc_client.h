// SPDX-License-Identifier: Apache-2.0
// rpc/client/rpc_client.h -- represents the devices of a server in this process: buffers are handles, events are calls
// in flight.
#pragma once

#include "hilo/device/client.h"
#include "hilo/rpc/client/caller.h"

namespace hilo::rpc {

/// Creates a client of the server that `connect` reaches; `options.target` is its name in messages. The platform has
/// the server's name.
///
/// Runs that the front end starts are asynchronous, because waiting costs a round trip. If the thread's work can be
/// stopped (base/stop.h), the call waits, and a stop is forwarded to the server. The executor of a run has no effect;
/// custom calls run on the server.
/// Errors    those of Caller::open
StatusOr<ClientPtr> make_rpc_client(ClientOptions options, Connect connect, RetryPolicy retry = {});

}  // namespace hilo::rpc
