// SPDX-License-Identifier: Apache-2.0
// rpc/client/connection.h -- how messages get to a server and back; rpc/grpc has the one that users have.
#pragma once

#include <functional>
#include <memory>

#include "hilo/rpc/messages.h"

namespace hilo::rpc {

/// A message that is written once and kept until it is answered, while connections send it. It has an owner.
using Message = std::shared_ptr<const Pieces>;

/// Who is told what comes. Called from any thread, one call at a time for each lane.
class Receiver {
 public:
  virtual ~Receiver() = default;
  /// A message Reply.
  virtual void on_message(const Pieces& message) = 0;
  /// The connection has ended: nothing more comes. Called once, by a connection that isn't dropped before.
  virtual void on_closed(const Status& why) = 0;
};

/// Streams to one server. Dropping it ends them, after what was sent.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Sends a message Request after those that were sent before on the lane. Waits for nothing; on a connection that has
  /// ended it is lost.
  virtual void send(Lane lane, const Message& message) = 0;
  /// Ends them at once: what was sent may have come or not, and is let go soon.
  virtual void cut() = 0;
};

/// Makes a new connection, which holds its receiver. Whether a server is there turns out later, by Receiver::on_closed.
using Connect = std::function<StatusOr<std::unique_ptr<Connection>>(std::shared_ptr<Receiver>)>;

}  // namespace hilo::rpc
