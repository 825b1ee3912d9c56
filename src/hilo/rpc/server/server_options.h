// SPDX-License-Identifier: Apache-2.0
// rpc/server/server_options.h -- a server's address and access rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hilo/rpc/server/door.h"
#include "hilo/rpc/server/sessions.h"
#include "hilo/rpc/worker/worker.h"

namespace hilo::rpc {

struct ServerOptions {
  std::string listen = "127.0.0.1:8470";  ///< host:port (port 0 means any free one) or unix:/path
  std::string token_file = {};            ///< file with the tokens that clients must send
  bool is_open = false;  ///< whether clients on loopback need no token, and all users may connect to a Unix socket
  std::vector<uint32_t> users = {};  ///< ids of further users that may connect to a Unix socket
  std::string tls_certificate = {};  ///< path of a PEM file, like the next options
  std::string tls_key = {};
  std::string tls_client_ca = {};  ///< CA of client certificates; if set, clients must have one
  WorkerOptions worker = {};
  SessionLimits sessions = {};
  DoorLimits door = {};
  AuditOptions audit = {};
};

/// Returns whether only this machine can reach the address: 127.0.0.1:8470, [::1]:8470, localhost:8470.
bool is_loopback(std::string_view address);
/// Returns whether the address is loopback or a Unix socket, so that no encryption is needed.
bool is_local(std::string_view address);

/// Returns whether the server creates a token for clients of the same user. It does so on loopback, unless it is open
/// or has other access rules.
bool makes_token(const ServerOptions& options);
/// Returns a warning for the operator of an open server; "" if it isn't open.
std::string open_warning(const ServerOptions& options);

/// Checks the address and access rules.
/// Errors    INVALID_ARGUMENT for an invalid address and for options that exclude each other; FAILED_PRECONDITION for
///           an address that other machines can reach without TLS and tokens or client certificates
Status check_listen(const ServerOptions& options);

/// Reads the token in a file that only this user can read.
/// Errors    INVALID_ARGUMENT for less than sixteen bytes; those of read_secret
StatusOr<std::string> read_token(const std::string& path);

/// Returns whether the texts are equal, in a time that is independent of the position of a difference.
bool equal_in_constant_time(std::string_view got, std::string_view wanted);

}  // namespace hilo::rpc
