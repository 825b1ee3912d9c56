// SPDX-License-Identifier: Apache-2.0
// rpc/client/caller.h -- a session as its client has it: calls that are on their way, over a connection that may break.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "hilo/base/function_ref.h"
#include "hilo/device/event.h"
#include "hilo/rpc/client/connection.h"
#include "hilo/rpc/messages.h"

namespace hilo::rpc {

/// How often a server is tried that has never answered.
inline constexpr int kFirstTries = 3;

/// How long a server is tried whose connection broke.
struct Patience {
  std::chrono::milliseconds time{30000};
  uint64_t seed = random_handle().low;  ///< of BackOff
  /// The time, and what waits for so long; empty: the system's, which ends with the session.
  std::function<std::chrono::steady_clock::time_point()> now = {};
  std::function<void(std::chrono::milliseconds)> wait = {};
};

/// Ends all sessions of this process, so that their servers need not wait for clients that are gone. The end of the
/// process calls it (exit(), not _exit()); what static objects of a program do on a server after that is CANCELLED.
/// Waits for servers at most 300 ms.
void end_sessions();

/// Sends requests and hands out their replies. Where the connection breaks, it is made anew, and what wasn't answered
/// is sent again; the server runs no call twice. Safe to use from several threads at once.
class Caller final : public std::enable_shared_from_this<Caller> {
 public:
  /// Called once with the reply, from the thread that read it; or with why there is none.
  using Done = std::function<void(Reply&)>;

  /// A new session with so many devices. `target` names the server in messages: "rpc:127.0.0.1:8470".
  /// Errors    UNAVAILABLE if no server answers; UNAUTHENTICATED; UNIMPLEMENTED for one of another version
  static StatusOr<std::shared_ptr<Caller>> open(std::string target, Connect connect, int64_t replica_count,
                                                Patience patience = {});
  /// The session is over: what isn't answered is CANCELLED, and `connect` is called no more. Precondition of the
  /// caller's end.
  void close();

  /// Tells the server that the session is over, and waits that long for its answer. What isn't answered is CANCELLED.
  void end(std::chrono::milliseconds time);

  const HelloReply& server() const { return server_; }

  /// Whether a call may wait until there is room for it among those in flight; a reply's Done must not.
  enum class Room : uint8_t { kWait, kTake };
  /// Sends the request and returns its number; calls `done` once. The server is told when `cancellation` (may be null)
  /// is set, which lives until `done` is called. Precondition of a token: start_watching().
  int64_t send(Lane lane, RequestBody body, Done done, Room room = Room::kWait,
               const CancellationToken* cancellation = nullptr);
  /// From now on tokens of calls are looked at, by a thread that ends with the session.
  /// Errors    RESOURCE_EXHAUSTED without a thread
  Status start_watching();
  /// The same, waiting for the reply.
  /// Errors    the reply's; UNAVAILABLE. Who is cancelled tells the server, and returns what it answers.
  StatusOr<Reply> call(Lane lane, RequestBody body, const CancellationToken* cancellation = nullptr);
  /// An event that ends with the call.
  Event begin(Lane lane, RequestBody body);
  /// Waits for what was begun; who is cancelled meanwhile, without a token by the thread's stop word, tells the server.
  Status await(const Event& event, int64_t call, const CancellationToken* cancellation);

  /// The client has dropped this thing. The server is told with the next request, or at once if it is large or there
  /// are many.
  void release(const Handle& handle, int64_t bytes);

 private:
  class Reception;
  struct Pending {
    Lane lane;
    Message message;
    Done done;
  };
  Caller(std::string target, Connect connect, int64_t replica_count, Patience patience)
      : target_(std::move(target)),
        connect_(std::move(connect)),
        replica_count_(replica_count),
        patience_(std::move(patience)) {}

  // What a connection tells; of those before the last one, which `generation` counts, nothing is heard.
  void on_message(int64_t generation, const Pieces& message);
  void on_closed(int64_t generation, const Status& why);

  Status connect_and_greet(bool resumes);
  /// Tries until a server answers, one refuses, or `is_enough` says so of how often it was tried and for how long.
  Status keep_trying(bool resumes, FunctionRef<bool(int tries, std::chrono::milliseconds time)> is_enough);
  /// Waits; the error of a session that has ended meanwhile.
  Status pause(std::chrono::milliseconds time);
  void reconnect();
  Status start_reconnecting();
  /// Ends the session with all that waits for it. `is_cut`: the connection, too, at once.
  void fail(const Status& why, bool is_cut = true);
  int64_t send_locked(Lane lane, RequestBody body, Done done);
  void watch();
  void write_locked(Lane lane, const Message& message);
  bool has_room() const;

  const std::string target_;
  const Connect connect_;
  const int64_t replica_count_;
  const Patience patience_;
  const Handle session_ = random_handle();
  HelloReply server_;  // set once, before anyone else has the caller

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Connection> connection_;
  int64_t generation_ = 0;
  std::optional<Reply> greeting_;              // of this connection
  std::optional<Status> closed_;               // of this connection, before it was greeted
  bool is_connected_ = false;                  // and greeted: calls go out
  std::vector<std::thread::id> reconnecting_;  // threads in reconnect()
  bool has_bytes_lane_ = false;                // on this connection
  bool is_ending_ = false;                     // end() waits for the answer
  Status dead_;                                // not OK: there is no session any more
  int64_t next_id_ = 1;
  std::map<int64_t, Pending> pending_;
  std::map<int64_t, const CancellationToken*> watched_;  // of pending calls
  bool has_watcher_ = false;
  std::condition_variable watch_;
  std::vector<Handle> releases_;
  int64_t released_bytes_ = 0;
};

}  // namespace hilo::rpc
