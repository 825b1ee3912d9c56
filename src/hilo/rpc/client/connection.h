// SPDX-License-Identifier: Apache-2.0
// rpc/client/connection.h -- the interface of connections to a server; rpc/grpc implements it.
#pragma once

#include <functional>
#include <memory>

#include "hilo/rpc/messages.h"

namespace hilo::rpc {

/// An encoded message, stored until it is answered, while connections send it. It has an owner.
using Message = std::shared_ptr<const Pieces>;

/// Receives messages. Called from any thread; calls for one lane don't overlap.
class Receiver {
 public:
  virtual ~Receiver() = default;
  /// Called for each message Reply.
  virtual void on_message(const Pieces& message) = 0;
  /// Called once when the connection has ended, unless it is destroyed before.
  virtual void on_closed(const Status& why) = 0;
};

/// Streams to one server. The destructor closes them after all messages are sent.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Sends a message Request after the earlier ones of the lane. Doesn't block. A message on a closed connection is
  /// lost.
  virtual void send(Lane lane, const Message& message) = 0;
  /// Closes the streams at once. Pending messages may be lost, and their memory is released soon.
  virtual void cut() = 0;
};

/// Creates a connection, which owns its receiver. Receiver::on_closed reports if there is no server.
using Connect = std::function<StatusOr<std::unique_ptr<Connection>>(std::shared_ptr<Receiver>)>;

}  // namespace hilo::rpc
