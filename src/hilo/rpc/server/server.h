// SPDX-License-Identifier: Apache-2.0
// rpc/server/server.h -- a server that is up; rpc/grpc makes it.
#pragma once

#include <memory>

#include "hilo/rpc/server/server_options.h"

namespace hilo::rpc {

/// Serves until it is dropped.
class Server {
 public:
  virtual ~Server() = default;
  /// Where it listens; 0 of a Unix socket.
  virtual int port() const = 0;
  /// "127.0.0.1:8470", or "unix:/path".
  virtual std::string address() const = 0;
  /// The file where clients of its user find the token that it created; "" if it created none.
  virtual std::string token_path() const = 0;
  /// Takes no new sessions, and waits so long for those there are to end; whether they did.
  virtual bool drain(std::chrono::milliseconds time) = 0;
  virtual Sessions::Counts counts() const = 0;
  virtual Door::Counts connections() const = 0;
  virtual Overview overview() const = 0;
  /// What gRPC's health service says from now on.
  virtual void set_serving(bool serves) = 0;
};

/// A server as the options say, whose workers `start_worker` makes. It is in a library of its own with gRPC, which the
/// first call opens.
/// Errors    those of check_listen, check_limits and read_token; NOT_FOUND without the library; UNAVAILABLE if the
///           address is taken
StatusOr<std::unique_ptr<Server>> start_server(const ServerOptions& options, StartWorker start_worker);

}  // namespace hilo::rpc
