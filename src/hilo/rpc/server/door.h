// SPDX-License-Identifier: Apache-2.0
// rpc/server/door.h -- accepts and limits connections. Debian's gRPC reads unlimited data from strangers, and its
// listener stops for ever if file descriptors run out, so hilo accepts, counts and cuts connections itself.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/rpc/server/audit.h"

namespace hilo::rpc {

/// Limits for connections. A stranger is a connection without an accepted call.
struct DoorLimits {
  int64_t connections = 1024;         ///< maximum number of connections
  int64_t strangers = 64;             ///< maximum number of strangers; a new one replaces the oldest
  int64_t stranger_bytes = 64 << 10;  ///< maximum bytes that a stranger may send
  int64_t stranger_calls = 4;         ///< number of rejected calls after which a stranger is cut
  std::chrono::milliseconds stranger_time{10000};
  int64_t each_second = 1000;  ///< new connections per second; others wait
  /// maximum concurrent calls of an accepted connection, twice the number that gRPC announces; above it the connection
  /// is cut
  int64_t calls_at_once = 32;
  /// maximum calls per second of an accepted connection, including calls that are reset at once
  int64_t calls_each_second = 200;
  int64_t bad_each_second = 20;  ///< number of connections cut per second, for what they sent, that uses up all turns
  std::chrono::milliseconds probe_every{5000};  ///< interval of the door's probes of itself
  /// timeout of a probe; after three failures the listener is opened again
  std::chrono::milliseconds probe_answer{1000};
};

/// Users that may connect to a Unix socket besides this one, and a callback for connections that are cut or rejected
/// and for strangers that leave.
struct DoorRules {
  std::vector<uint32_t> users = {};  ///< user ids
  bool all_users = false;
  std::function<void(const AuditEvent&)> told = {};
};

/// Listens and passes connections to gRPC. Thread-safe.
class Door {
 public:
  /// Takes over a connection, whose socket is non-blocking. Called on a separate thread.
  using TakeIn = std::function<void(OwnedFile connection)>;

  /// Opens the listener at host:port (port 0 means any free one) or unix:/path, where a socket without a listener is
  /// replaced. Connections to a Unix socket are not strangers, because the system reports their user.
  /// Errors    UNAVAILABLE if the address can't be listened at; RESOURCE_EXHAUSTED
  static StatusOr<std::unique_ptr<Door>> open(const std::string& listen, const DoorLimits& limits, TakeIn take_in,
                                              DoorRules rules = {});
  /// Closes the listener and waits for TakeIn. Connections that were passed on stay open.
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// Returns the port; 0 for a Unix socket.
  int port() const;
  /// Returns "127.0.0.1:8470" with the actual port, or the address passed to open().
  std::string address() const;
  /// Returns the operator's name for gRPC's `peer`. For a Unix socket it lists the connected users.
  std::string name_of(std::string_view peer) const;
  /// Records an accepted call of the connection. `peer` is in gRPC's notation: "ipv4:127.0.0.1:1234".
  void let_in(std::string_view peer);
  /// Record the beginning and the end of an accepted call.
  void begin_call(std::string_view peer);
  void end_call(std::string_view peer);
  /// Records a rejected call of the connection. A stranger may try again a few times.
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
