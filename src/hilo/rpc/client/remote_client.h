// SPDX-License-Identifier: Apache-2.0
// rpc/client/remote_client.h -- the client of a server by its address.
#pragma once

#include <string_view>

#include "hilo/device/client.h"
#include "hilo/rpc/overview.h"

namespace hilo::rpc {

/// A client of the server ClientOptions::target, "rpc:host:port" or "rpc:unix:/path". A server on loopback of this user
/// lets it in by itself; other servers need, from the environment: HILO_XRT_TOKEN_FILE; HILO_XRT_TLS_CA, with which the
/// connection is encrypted; HILO_XRT_TLS_CERTIFICATE and HILO_XRT_TLS_KEY.
/// HILO_XRT_RECONNECT_SECONDS: how long the server is tried where the connection broke, 30 if it isn't set.
/// Errors    INVALID_ARGUMENT for another target or no such time; those of
///           open_companion, read_file, read_secret, find_user_token and make_rpc_client
StatusOr<ClientPtr> make_remote_client(ClientOptions options);

/// What asks the server of such a target how it is, without a session. Whether a server is there turns out when it is
/// asked.
/// Errors    as of make_remote_client
StatusOr<AskOverview> watch_server(std::string_view target);

}  // namespace hilo::rpc
