// SPDX-License-Identifier: Apache-2.0
// rpc/server/door.h -- who gets a connection: Debian's gRPC reads without end what strangers send, and its own listener
// dies for good where file descriptors run out, so that connections are taken, counted and cut here.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/rpc/server/audit.h"

namespace hilo::rpc {

/// A stranger is a connection that has made no call which was let in.
struct DoorLimits {
  int64_t connections = 1024;         ///< at once
  int64_t strangers = 64;             ///< at once: the oldest goes for the next
  int64_t stranger_bytes = 64 << 10;  ///< that one may send
  int64_t stranger_calls = 4;         ///< that one may make: the last of them cuts it
  std::chrono::milliseconds stranger_time{10000};
  int64_t each_second = 1000;       ///< new connections; more wait
  int64_t calls_at_once = 32;       ///< of one connection that is let in; more cut it: twice what gRPC tells clients
  int64_t calls_each_second = 200;  ///< of the same: calls that are reset at once
  int64_t bad_each_second = 20;     ///< so many that are cut for what they sent take the turns of all
  std::chrono::milliseconds probe_every{5000};   ///< how often the door knocks at itself
  std::chrono::milliseconds probe_answer{1000};  ///< how long that may take; after three misses it listens anew
};

/// Who may connect to a Unix socket besides this user, and the function that is told of each connection that is cut or
/// refused, and of each stranger that leaves.
struct DoorRules {
  std::vector<uint32_t> users = {};  ///< by number
  bool all_users = false;
  std::function<void(const AuditEvent&)> told = {};
};

/// Listens, and hands connections on. Safe to use from several threads at once.
class Door {
 public:
  /// Takes a connection, whose socket doesn't block; called on a thread of its own.
  using TakeIn = std::function<void(OwnedFile connection)>;

  /// `listen`: host:port, port 0: any that is free; or unix:/path, where a socket without a listener is replaced. What
  /// connects to a Unix socket is no stranger: the system says which user it is.
  /// Errors    UNAVAILABLE if it can't be listened there; RESOURCE_EXHAUSTED
  static StatusOr<std::unique_ptr<Door>> open(const std::string& listen, const DoorLimits& limits, TakeIn take_in,
                                              DoorRules rules = {});
  /// Takes no more, and waits for TakeIn; connections that were handed on stay.
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// 0 of a Unix socket.
  int port() const;
  /// "127.0.0.1:8470", with the port that is listened at; or as in open().
  std::string address() const;
  /// The connections that gRPC calls `peer`, for an operator: of a Unix socket the users that are connected.
  std::string name_of(std::string_view peer) const;
  /// A call of this connection was let in. `peer`: its other end, as gRPC writes it: "ipv4:127.0.0.1:1234".
  void let_in(std::string_view peer);
  /// A call of somebody who is known begins and ends.
  void begin_call(std::string_view peer);
  void end_call(std::string_view peer);
  /// A call of this connection was refused. A stranger may try again, a few times.
  void refuse(std::string_view peer);

  struct Counts {
    int64_t connections = 0, strangers = 0, taken = 0, cut = 0, listeners = 0, knocks = 0;
  };
  Counts counts() const;

 private:
  class Keeper;
  explicit Door(std::unique_ptr<Keeper> keeper);
  const std::unique_ptr<Keeper> keeper_;
};

}  // namespace hilo::rpc
