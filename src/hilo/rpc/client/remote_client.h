// SPDX-License-Identifier: Apache-2.0
// rpc/client/remote_client.h -- creates the client of a server from its address.
#pragma once

#include <string_view>

#include "hilo/device/client.h"
#include "hilo/rpc/overview.h"

namespace hilo::rpc {

/// Creates the client of the server ClientOptions::target, "rpc:host:port" or "rpc:unix:/path". A loopback server of
/// the same user needs no further settings. Environment variables for other servers:
/// - HILO_XRT_TOKEN_FILE: the client's token
/// - HILO_XRT_TLS_CA: the CA of the server's certificate; enables encryption
/// - HILO_XRT_TLS_CERTIFICATE and HILO_XRT_TLS_KEY: the client's certificate
/// - HILO_XRT_RECONNECT_SECONDS: time to reconnect after the connection breaks; the default is 30
/// Errors    INVALID_ARGUMENT for another target or an invalid time; those of open_companion, read_file, read_secret,
///           find_user_token and make_rpc_client
StatusOr<ClientPtr> make_remote_client(ClientOptions options);

/// Returns a function that queries the server's overview without a session. Connection errors are reported by that
/// function.
/// Errors    those of make_remote_client
StatusOr<AskOverview> watch_server(std::string_view target);

}  // namespace hilo::rpc
