// SPDX-License-Identifier: Apache-2.0
// rpc/server/sessions.h -- the sessions of a server, each with its worker process. The server forwards messages in both
// directions. It decodes only the first message and the headers of chunks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/rpc/messages.h"
#include "hilo/rpc/overview.h"
#include "hilo/rpc/worker/frames.h"

namespace hilo::rpc {

/// A client's stream for replies. Thread-safe.
class Outlet {
 public:
  virtual ~Outlet() = default;
  /// Sends a message Reply. Blocks while the stream is full, so that a client that reads slowly only delays its own
  /// worker.
  virtual void deliver(Pieces message) = 0;
  /// Closes the stream; OK means that the client requested it. Wakes deliver().
  virtual void close(const Status& why) = 0;
};

/// Forwards batches to a session's worker. Thread-safe.
class Relay {
 public:
  virtual ~Relay() = default;
  /// Forwards a batch without decoding it. Calls `taken` once when the next batch may be sent, immediately or later.
  virtual void forward(Lane lane, Pieces batch, std::function<void()> taken) = 0;
  /// Handles the end of a stream. Without a stream for calls the session waits a while for another one.
  virtual void detach(Lane lane, const Outlet* outlet) = 0;
};

/// The client of a stream.
struct Peer {
  std::string host = {};   ///< "10.0.0.7", "2001:db8:1:2::/64"
  std::string token = {};  ///< name of its token; "" means no token, or one without a name
  std::string name = {};   ///< name for the operator: "ipv4:10.0.0.7:1234"
};
/// Called for events of a session: "queued", "opened", "resumed", "refused", "limit", "closed".
using SessionTold =
    std::function<void(std::string_view event, int64_t session, const Peer& peer, std::string_view cause)>;

struct SessionLimits {
  int64_t sessions = 64;
  /// Maximum number of sessions of one host and of one named token. 0 means three quarters of all, if there are at
  /// least four.
  int64_t sessions_per_peer = 0, sessions_per_token = 0;
  std::chrono::milliseconds grace{60000};       ///< time that a session without a stream waits for its client
  std::chrono::milliseconds empty_grace{2000};  ///< the same for a session without arrays, programs and calls
  int64_t queue = 256;  ///< maximum number of clients that wait for a session; a quarter of them per host
  std::chrono::milliseconds queue_time{8000};  ///< maximum waiting time; 0 means immediate rejection
  int64_t message_bytes = 2 * kMaxBatchBytes;  ///< maximum bytes of messages that the server queues for one worker
};

/// Starts a worker.
using StartWorker = std::function<StatusOr<WorkerFiles>()>;

/// All sessions. Thread-safe.
class Sessions {
 public:
  /// `told` is called on any thread, possibly with a mutex held, so it must not block.
  Sessions(const SessionLimits& limits, StartWorker start_worker, SessionTold told = {});
  /// Ends all sessions and waits for their threads.
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  /// Attaches a stream to the session that its first message names, and replaces the previous stream of the lane. A new
  /// session is created if the name is new. Above the limits, new sessions wait in a queue. A free place goes to the
  /// client with the fewest sessions, then to the one that has waited longest. A client that has waited too long gets a
  /// reply with its position.
  /// Errors    NOT_FOUND for a session that has ended; RESOURCE_EXHAUSTED for too many sessions; UNAVAILABLE while
  ///           draining
  StatusOr<std::shared_ptr<Relay>> attach(const Hello& hello, Lane lane, std::shared_ptr<Outlet> outlet,
                                          const Peer& peer = {});
  /// Rejects new sessions from this call on, including those that wait.
  void drain();
  /// Waits until there is no session or the time is over. Returns whether none exists.
  bool wait_until_idle(std::chrono::milliseconds time);

  struct Counts {
    int64_t live = 0, begun = 0, workers_lost = 0, messages = 0, queued = 0;
  };
  Counts counts() const;
  /// Returns the last report of each session, oldest session first. Requests new reports without waiting for them.
  std::vector<SessionOverview> overview() const;

 private:
  class Session;
  struct State;
  /// Creates a session. Precondition: the caller holds the state's mutex.
  StatusOr<std::shared_ptr<Relay>> begin(const Hello& hello, std::shared_ptr<Outlet> outlet, const Peer& peer);
  const std::shared_ptr<State> state_;
};

}  // namespace hilo::rpc
