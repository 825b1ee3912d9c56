// SPDX-License-Identifier: Apache-2.0
// rpc/server/server.h -- the interface of a running server; rpc/grpc implements it.
#pragma once

#include <memory>

#include "hilo/rpc/server/server_options.h"

namespace hilo::rpc {

/// Serves until it is destroyed.
class Server {
 public:
  virtual ~Server() = default;
  /// Returns the port; 0 for a Unix socket.
  virtual int port() const = 0;
  /// Returns "127.0.0.1:8470" or "unix:/path".
  virtual std::string address() const = 0;
  /// Returns the path of the token file for clients of the same user; "" if the server has created none.
  virtual std::string token_path() const = 0;
  /// Rejects new sessions and waits up to `time` for existing ones to end. Returns whether all have ended.
  virtual bool drain(std::chrono::milliseconds time) = 0;
  virtual Sessions::Counts counts() const = 0;
  virtual Door::Counts connections() const = 0;
  virtual Overview overview() const = 0;
  /// Sets the status of gRPC's health service.
  virtual void set_serving(bool serves) = 0;
};

/// Starts a server whose workers are created by `start_worker`. Opens the library with gRPC on the first call.
/// Errors    those of check_listen, check_limits and read_token; NOT_FOUND without the library; UNAVAILABLE if the
///           address is in use
StatusOr<std::unique_ptr<Server>> start_server(const ServerOptions& options, StartWorker start_worker);

}  // namespace hilo::rpc
