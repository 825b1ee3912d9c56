// SPDX-License-Identifier: Apache-2.0
// rpc/server/sessions.h -- the sessions of a server, each with its worker: messages go from streams to workers and
// back, and the server looks into none of them but the first, and what a chunk has before its bytes.
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

/// One stream of a client, where replies go. Safe to use from several threads at once.
class Outlet {
 public:
  virtual ~Outlet() = default;
  /// A message Reply. Waits while the stream is full: so a client that reads slowly slows its own worker.
  virtual void deliver(Pieces message) = 0;
  /// Nothing more comes, OK if the client asked for that. It wakes deliver().
  virtual void close(const Status& why) = 0;
};

/// A session's way to its worker. Safe to use from several threads at once.
class Relay {
 public:
  virtual ~Relay() = default;
  /// Sends a batch on, which nobody looks at here. `taken` is called once when the next may come: now or later.
  virtual void forward(Lane lane, Pieces batch, std::function<void()> taken) = 0;
  /// The stream has ended; without one for calls the session waits for another, for a while.
  virtual void detach(Lane lane, const Outlet* outlet) = 0;
};

/// Whose a stream is.
struct Peer {
  std::string host = {};   ///< "10.0.0.7", "2001:db8:1:2::/64"
  std::string token = {};  ///< the name of its token; "": one without a name, or none
  std::string name = {};   ///< for an operator: "ipv4:10.0.0.7:1234"
};
/// What happened to a session: "queued", "opened", "resumed", "refused", "limit", "closed".
using SessionTold =
    std::function<void(std::string_view event, int64_t session, const Peer& peer, std::string_view cause)>;

struct SessionLimits {
  int64_t sessions = 64;
  /// Of one host, and of one named token; 0: three quarters of all, if there are four or more.
  int64_t sessions_per_peer = 0, sessions_per_token = 0;
  std::chrono::milliseconds grace{60000};       ///< how long one without a stream waits for its client
  std::chrono::milliseconds empty_grace{2000};  ///< the same for one without arrays, programs and calls
  int64_t queue = 256;                          ///< clients that wait for a session; a quarter of them of one host
  std::chrono::milliseconds queue_time{8000};   ///< how long one waits; 0: it is rejected at once
  int64_t message_bytes = 2 * kMostBatchBytes;  ///< of messages that the server holds for one session's worker
};

/// Makes a worker.
using StartWorker = std::function<StatusOr<WorkerFiles>()>;

/// Safe to use from several threads at once.
class Sessions {
 public:
  /// `told` is called by any thread, perhaps with a mutex held: it waits for nothing.
  Sessions(const SessionLimits& limits, StartWorker start_worker, SessionTold told = {});
  /// Ends all sessions and waits for their threads.
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  /// The session that a stream's first message names, with the stream as one of its outlets, in the place of the last
  /// one of its lane; a new session if it is new. Beyond the limits the new one waits in a queue: each free place goes
  /// to the client with the fewest sessions, and of these to the one that came first. One that waits too long gets a
  /// reply with its place.
  /// Errors    NOT_FOUND for a session that has ended; RESOURCE_EXHAUSTED for too many; UNAVAILABLE while draining
  StatusOr<std::shared_ptr<Relay>> attach(const Hello& hello, Lane lane, std::shared_ptr<Outlet> outlet,
                                          const Peer& peer = {});
  /// No new sessions from now on; those that wait are rejected.
  void drain();
  /// Waits until there is no session or the time is over; whether there is none.
  bool wait_until_idle(std::chrono::milliseconds time);

  struct Counts {
    int64_t live = 0, begun = 0, workers_lost = 0, messages = 0, queued = 0;
  };
  Counts counts() const;
  /// What each session has, as its worker said last, the oldest session first. It asks the workers anew, and waits for
  /// nothing.
  std::vector<SessionOverview> overview() const;

 private:
  class Session;
  struct State;
  /// A new session. Precondition: the caller holds the state's mutex.
  StatusOr<std::shared_ptr<Relay>> begin(const Hello& hello, std::shared_ptr<Outlet> outlet, const Peer& peer);
  const std::shared_ptr<State> state_;
};

}  // namespace hilo::rpc
