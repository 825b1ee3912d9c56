// SPDX-License-Identifier: Apache-2.0
// rpc/server/server_options.h -- where a server listens and whom it lets in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hilo/rpc/server/door.h"
#include "hilo/rpc/server/sessions.h"
#include "hilo/rpc/worker/worker.h"

namespace hilo::rpc {

struct ServerOptions {
  std::string listen = "127.0.0.1:8470";  ///< host:port; port 0: any that is free. Or unix:/path
  std::string token_file = {};            ///< clients name its text
  bool is_open = false;                   ///< no token on loopback, and all users on a Unix socket
  std::vector<uint32_t> users = {};       ///< that may connect to a Unix socket besides this one
  std::string tls_certificate = {};       ///< a PEM file, as all of these
  std::string tls_key = {};
  std::string tls_client_ca = {};  ///< clients have a certificate of it
  WorkerOptions worker = {};
  SessionLimits sessions = {};
  DoorLimits door = {};
  AuditOptions audit = {};
};

/// Whether the address is this machine's alone: 127.0.0.1:8470, [::1]:8470, localhost:8470.
bool is_loopback(std::string_view address);
/// The same, or a Unix socket: what is sent there needs no encryption.
bool is_local(std::string_view address);

/// Whether the server creates a token that clients of its user find: on loopback, unless it is open or knows its
/// clients otherwise.
bool makes_token(const ServerOptions& options);
/// What an open server allows, for the operator; "" of one that isn't open.
std::string open_warning(const ServerOptions& options);

/// Whether a server may listen so.
/// Errors    INVALID_ARGUMENT for what is no host:port or unix:/path, and for options that exclude each other;
///           FAILED_PRECONDITION for an address that others reach without TLS and a token or certificates of clients
Status check_listen(const ServerOptions& options);

/// The token of a file that nobody but its owner, this user, can read.
/// Errors    INVALID_ARGUMENT for less than sixteen bytes; those of read_secret
StatusOr<std::string> read_token(const std::string& path);

/// Whether the texts are equal, in a time that doesn't tell where they differ.
bool equal_in_constant_time(std::string_view got, std::string_view wanted);

}  // namespace hilo::rpc
