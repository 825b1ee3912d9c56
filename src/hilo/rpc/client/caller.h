// SPDX-License-Identifier: Apache-2.0
// rpc/client/caller.h -- a client's session: its calls in flight, over connections that may break.
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

/// Attempts to connect to a server that has never answered.
inline constexpr int kFirstTries = 3;

/// How long a client tries to reconnect to a server.
struct RetryPolicy {
  std::chrono::milliseconds time{30000};
  uint64_t seed = random_handle().low;  ///< seed of BackOff
  /// The clock and the sleep function. Empty means those of the system; their waits end with the session.
  std::function<std::chrono::steady_clock::time_point()> now = {};
  std::function<void(std::chrono::milliseconds)> wait = {};
};

/// Ends all sessions of this process, so that servers don't wait for its return. It is called at the end of the process
/// by exit(), not by _exit(). Later calls by destructors of static objects are CANCELLED. Waits for servers at most 300
/// ms.
void end_sessions();

/// Sends requests and delivers replies. If the connection breaks, it reconnects and sends the unanswered requests
/// again; the server runs no call twice. Thread-safe.
class Caller final : public std::enable_shared_from_this<Caller> {
 public:
  /// Called exactly once, with the reply on the thread that reads it, or with an error.
  using Done = std::function<void(Reply&)>;

  /// Opens a session with `devices` devices. `target` is the server's name in messages: "rpc:127.0.0.1:8470".
  /// Errors    UNAVAILABLE if no server answers; UNAUTHENTICATED; UNIMPLEMENTED for a server of another version
  static StatusOr<std::shared_ptr<Caller>> open(std::string target, Connect connect, int64_t replica_count,
                                                RetryPolicy retry = {});
  /// Ends the session locally: unanswered calls are CANCELLED and `connect` isn't called any more. Must be called
  /// before the destruction.
  void close();

  /// Ends the session on the server and waits up to `time` for the answer. Unanswered calls are CANCELLED.
  void end(std::chrono::milliseconds time);

  const HelloReply& server() const { return server_; }

  /// Whether a call waits while too many calls are in flight (kWait) or exceeds the limit (kExceed). A reply's Done
  /// must not wait.
  enum class WhenFull : uint8_t { kWait, kExceed };
  /// Sends the request and returns its number. Calls `done` once. If `cancellation` (may be null) is set, the server is
  /// notified; it must live until `done` is called. Precondition with a token: start_watching().
  int64_t send(Lane lane, RequestBody body, Done done, WhenFull when_full = WhenFull::kWait,
               const CancellationToken* cancellation = nullptr);
  /// Starts the thread that polls the tokens of calls. It ends with the session.
  /// Errors    RESOURCE_EXHAUSTED without a thread
  Status start_watching();
  /// Sends the request and waits for the reply. A cancelled caller notifies the server and returns the server's answer.
  /// Errors    those of the reply; UNAVAILABLE
  StatusOr<Reply> call(Lane lane, RequestBody body, const CancellationToken* cancellation = nullptr);
  /// Starts a call and returns the event of its end.
  Event begin(Lane lane, RequestBody body);
  /// Waits for a call. If it is cancelled meanwhile by `cancellation`, or else by the thread's stop word, the server is
  /// notified.
  Status await(const Event& event, int64_t call, const CancellationToken* cancellation);

  /// Releases an object that the client has dropped. The server learns it with the next request, or at once if the
  /// object is large or many releases are pending.
  void release(const Handle& handle, int64_t bytes);

 private:
  class Reception;
  struct Pending {
    Lane lane;
    Message message;
    Done done;
  };
  Caller(std::string target, Connect connect, int64_t replica_count, RetryPolicy retry)
      : target_(std::move(target)),
        connect_(std::move(connect)),
        replica_count_(replica_count),
        patience_(std::move(retry)) {}

  // Handlers of a connection. Calls of connections before the current one, which `generation` identifies, are ignored.
  void on_message(int64_t generation, const Pieces& message);
  void on_closed(int64_t generation, const Status& why);

  Status connect_and_greet(bool resumes);
  /// Tries to connect until a server answers or rejects the session, or `is_enough` returns true for the number of
  /// attempts and the elapsed time.
  Status keep_trying(bool resumes, FunctionRef<bool(int tries, std::chrono::milliseconds time)> is_enough);
  /// Waits. Returns the error of the session if it ends meanwhile.
  Status pause(std::chrono::milliseconds time);
  void reconnect();
  Status start_reconnecting();
  /// Fails the session and all pending calls. `is_cut`: cuts the connection, too.
  void fail(const Status& why, bool is_cut = true);
  int64_t send_locked(Lane lane, RequestBody body, Done done);
  void watch();
  void write_locked(Lane lane, const Message& message);
  bool has_room() const;

  const std::string target_;
  const Connect connect_;
  const int64_t replica_count_;
  const RetryPolicy patience_;
  const Handle session_ = random_handle();
  HelloReply server_;  // set once, before the caller is shared

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Connection> connection_;
  int64_t generation_ = 0;
  std::optional<Reply> greeting_;              // of the current connection
  std::optional<Status> closed_;               // of the current connection, before the greeting
  bool is_connected_ = false;                  // whether the connection is greeted, so that calls are sent
  std::vector<std::thread::id> reconnecting_;  // threads in reconnect()
  bool has_bytes_lane_ = false;                // whether the current connection has the stream
  bool is_ending_ = false;                     // end() or close() has begun: a stream that ends is not resumed
  Status dead_;                                // error of a session that has failed or ended
  int64_t next_id_ = 1;
  std::map<int64_t, Pending> pending_;
  std::map<int64_t, const CancellationToken*> watched_;  // tokens of pending calls
  bool has_watcher_ = false;
  std::condition_variable watch_;
  std::vector<Handle> releases_;
  int64_t released_bytes_ = 0;
};

}  // namespace hilo::rpc
