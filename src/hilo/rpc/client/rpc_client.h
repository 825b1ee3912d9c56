// SPDX-License-Identifier: Apache-2.0
// rpc/client/rpc_client.h -- the devices of a server as devices of this process: buffers are handles, events are calls
// in flight.
#pragma once

#include "hilo/device/client.h"
#include "hilo/rpc/client/caller.h"

namespace hilo::rpc {

/// A client of the server that `connect` reaches, whom `options.target` names in messages. Its platform has the
/// server's name. Runs that the front end starts go on after the call, since a call that waited would cost a journey
/// there and back; but a thread whose work can be stopped (base/stop.h) waits, and tells the server when it is. An
/// executor that a run is given has no effect; custom calls are the server's.
/// Errors    as Caller::open
StatusOr<ClientPtr> make_rpc_client(ClientOptions options, Connect connect, Patience patience = {});

}  // namespace hilo::rpc
