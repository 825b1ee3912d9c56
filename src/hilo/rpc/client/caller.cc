// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/client/caller.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "hilo/base/process_end.h"
#include "hilo/base/signals_blocked.h"
#include "hilo/base/stop.h"
#include "hilo/rpc/client/back_off.h"
#include "hilo/rpc/proto/codec.h"

namespace hilo::rpc {
namespace {

constexpr std::chrono::seconds kGreetingTime{10};
constexpr std::chrono::milliseconds kEndTime{300};  // timeout for ending sessions at the end of the process
constexpr std::chrono::milliseconds kLook{5};       // polling interval of tokens, which signal handlers may set
constexpr size_t kMaxReleases = 64;                 // maximum number of releases that wait for the next request
constexpr int64_t kMaxReleasedBytes = 1 << 20;      // maximum bytes of released objects that wait for it

/// Returns whether the error may be temporary.
bool may_pass(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kUnknown ||
         status.code() == StatusCode::kInternal || status.code() == StatusCode::kCancelled;
}

Status check_greeting(const Reply& greeting) {
  const auto* const hello = std::get_if<HelloReply>(&greeting.body);
  if (hello == nullptr) return invalid_argument("the server sent no greeting");
  if (hello->version == kVersion) return ok_status();
  return unimplemented(fmt::format("the server {} has version {} of hilo.xrt; this client has version {}",
                                   hello->release, hello->version, kVersion));
}

Reply failed(const Status& why) {
  Reply reply;
  reply.status = why;
  return reply;
}

/// The sessions of this process.
class Callers {
 public:
  void add(const std::shared_ptr<Caller>& caller) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(all_, [](const auto& one) { return one.expired(); });
    all_.push_back(caller);
    if (std::exchange(process_, ::getpid()) == 0) at_process_end(end_sessions);
  }
  /// Removes and returns all sessions. Returns none in a fork, because the sessions belong to the parent.
  std::vector<std::shared_ptr<Caller>> take() {
    const std::scoped_lock lock(mutex_);
    std::vector<std::shared_ptr<Caller>> taken;
    for (const auto& one : std::exchange(all_, {})) {
      if (auto caller = one.lock(); caller != nullptr && process_ == ::getpid()) taken.push_back(std::move(caller));
    }
    return taken;
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<Caller>> all_;
  pid_t process_ = 0;
};

/// Never destroyed.
Callers& callers() {
  static auto* const all = new Callers;
  return *all;
}

}  // namespace

void end_sessions() {
  const auto end = std::chrono::steady_clock::now() + kEndTime;
  for (const auto& caller : callers().take()) {
    const auto left = end - std::chrono::steady_clock::now();
    caller->end(std::max(std::chrono::duration_cast<std::chrono::milliseconds>(left), std::chrono::milliseconds(0)));
  }
}

/// Receives the messages of one connection for a caller that may be destroyed.
class Caller::Reception final : public Receiver {
 public:
  Reception(std::weak_ptr<Caller> caller, int64_t generation) : caller_(std::move(caller)), generation_(generation) {}
  void on_message(const Pieces& message) override {
    if (const auto caller = caller_.lock(); caller != nullptr) caller->on_message(generation_, message);
  }
  void on_closed(const Status& why) override {
    if (const auto caller = caller_.lock(); caller != nullptr) caller->on_closed(generation_, why);
  }

 private:
  const std::weak_ptr<Caller> caller_;
  const int64_t generation_;
};

// ---- Connections.

StatusOr<std::shared_ptr<Caller>> Caller::open(std::string target, Connect connect, int64_t replica_count,
                                               RetryPolicy retry) {
  if (!retry.now) retry.now = std::chrono::steady_clock::now;
  const std::shared_ptr<Caller> caller(
      new Caller(std::move(target), std::move(connect), replica_count, std::move(retry)));
  HILO_RETURN_IF_ERROR(
      caller->keep_trying(false, [](int tries, std::chrono::milliseconds) { return tries >= kFirstTries; }));
  callers().add(caller);
  return caller;
}

Status Caller::connect_and_greet(bool resumes) {
  int64_t generation = 0;
  std::unique_ptr<Connection> last;
  {
    const std::scoped_lock lock(mutex_);
    last.swap(connection_);
    generation = ++generation_;
    greeting_.reset();
    closed_.reset();
    has_bytes_lane_ = false;
  }
  if (last != nullptr) last->cut();  // stops sending from memory of the program
  last.reset();
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Connection> made,
                        connect_(std::make_shared<Reception>(weak_from_this(), generation)));
  std::unique_lock lock(mutex_);
  connection_ = std::move(made);
  Request hello;
  hello.body = Hello{.session = session_, .resumes = resumes, .replica_count = replica_count_};
  connection_->send(Lane::kCalls, std::make_shared<const Pieces>(encode_in_pieces(hello)));
  const auto is_answered = [this] { return greeting_.has_value() || closed_.has_value() || !dead_.ok(); };
  const bool answered = changed_.wait_for(lock, kGreetingTime, is_answered);
  if (!dead_.ok()) return dead_;
  if (!answered) return unavailable("no answer");
  if (greeting_) HILO_RETURN_IF_ERROR(greeting_->status);
  // possibly right after the greeting
  if (closed_) return closed_->ok() ? unavailable("the server closed the connection") : *closed_;
  HILO_RETURN_IF_ERROR(check_greeting(*greeting_));
  if (!resumes) server_ = std::get<HelloReply>(greeting_->body);
  is_connected_ = true;
  for (const auto& [id, pending] : pending_) write_locked(pending.lane, pending.message);
  return ok_status();
}

Status Caller::pause(std::chrono::milliseconds time) {
  if (patience_.wait) patience_.wait(time);
  std::unique_lock lock(mutex_);
  if (!patience_.wait) changed_.wait_for(lock, time, [this] { return !dead_.ok(); });
  return dead_;
}

Status Caller::keep_trying(bool resumes, FunctionRef<bool(int tries, std::chrono::milliseconds time)> is_enough) {
  using std::chrono::milliseconds;
  const auto begin = patience_.now();
  BackOff back_off(patience_.seed);
  for (int tries = 1;; ++tries) {
    const Status why = connect_and_greet(resumes);
    if (why.ok()) return why;
    if (!may_pass(why)) return why.with_context(target_);
    const auto time = std::chrono::duration_cast<milliseconds>(patience_.now() - begin);
    if (is_enough(tries, time)) {
      const double seconds = std::chrono::duration<double>(time).count();
      return unavailable(fmt::format("{}: {} ({} tries, {:.1f} s)", target_, why.message(), tries, seconds));
    }
    HILO_RETURN_IF_ERROR(pause(back_off.next()));
  }
}

void Caller::reconnect() {
  const auto is_enough = [this](int, std::chrono::milliseconds time) { return time >= patience_.time; };
  if (const Status status = keep_trying(true, is_enough); !status.ok()) {
    fail(unavailable(fmt::format("{}; the session's objects on the server are lost", status.message())));
  }
  const std::scoped_lock lock(mutex_);
  std::erase(reconnecting_, std::this_thread::get_id());
  changed_.notify_all();
}

/// Precondition: the caller holds the mutex.
Status Caller::start_reconnecting() {
  const SignalsBlocked blocked;
  try {
    std::thread thread([self = shared_from_this()] { self->reconnect(); });
    reconnecting_.push_back(thread.get_id());
    thread.detach();
    return ok_status();
  } catch (const std::system_error&) {
    return resource_exhausted(target_ + ": no thread could be started to reconnect");
  }
}

void Caller::on_closed(int64_t generation, const Status& why) {
  Status started;
  {
    const std::scoped_lock lock(mutex_);
    if (generation != generation_ || !dead_.ok() || is_ending_) return;
    if (!is_connected_) {  // connect_and_greet() waits for this
      if (!closed_) closed_ = why;
      changed_.notify_all();
      return;
    }
    is_connected_ = false;
    started = start_reconnecting();
  }
  if (!started.ok()) fail(started);
}

void Caller::fail(const Status& why, bool is_cut) {
  std::map<int64_t, Pending> left;
  std::unique_ptr<Connection> connection;
  {
    const std::scoped_lock lock(mutex_);
    if (!dead_.ok()) return;
    dead_ = why;
    is_connected_ = false;
    left.swap(pending_);
    watched_.clear();
    connection.swap(connection_);
  }
  changed_.notify_all();
  watch_.notify_all();
  if (is_cut && connection != nullptr) connection->cut();
  for (auto& [id, pending] : left) {
    pending.message.reset();  // frees memory that the caller may wait for
    Reply reply = failed(why);
    pending.done(reply);
  }
}

void Caller::end(std::chrono::milliseconds time) {
  const auto source = std::make_shared<EventSource>();
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
    if (is_connected_) send_locked(Lane::kCalls, End{}, [source](Reply&) { source->finish(ok_status()); });
    else source->finish(ok_status());
  }
  static_cast<void>(source->event().await(nullptr, std::chrono::steady_clock::now() + time));
  fail(Status(StatusCode::kCancelled, target_ + ": the client has ended"), false);
}

void Caller::close() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
    if (is_connected_) send_locked(Lane::kCalls, End{}, [](Reply&) {});
  }
  fail(Status(StatusCode::kCancelled, target_ + ": the client has ended"), false);  // after all messages that were sent
  // The connect function may be destroyed now. A connection that reports its end may be the one that closes the caller.
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return std::ranges::all_of(reconnecting_, [](std::thread::id one) { return one == std::this_thread::get_id(); });
  });
}

// ---- Calls.

bool Caller::has_room() const {
  if (pending_.empty() || !dead_.ok()) return true;
  return next_id_ - pending_.begin()->first < std::max<int64_t>(server_.calls_in_flight / 2, 1);
}

void Caller::write_locked(Lane lane, const Message& message) {
  if (lane == Lane::kBytes && !has_bytes_lane_) {
    Request hello;
    hello.body = Hello{.session = session_, .resumes = true};
    connection_->send(lane, std::make_shared<const Pieces>(encode_in_pieces(hello)));
    has_bytes_lane_ = true;
  }
  connection_->send(lane, message);
}

int64_t Caller::send_locked(Lane lane, RequestBody body, Done done) {
  Request request{.id = next_id_++, .body = std::move(body)};
  request.acked = pending_.empty() ? request.id : pending_.begin()->first;
  if (lane == Lane::kCalls) {  // in the order of calls, after those that use the objects
    request.releases.swap(releases_);
    released_bytes_ = 0;
  }
  Message message = std::make_shared<const Pieces>(encode_in_pieces(request));
  const auto sent = pending_.emplace(request.id, Pending{lane, std::move(message), std::move(done)}).first;
  if (is_connected_) write_locked(lane, sent->second.message);
  return request.id;
}

int64_t Caller::send(Lane lane, RequestBody body, Done done, WhenFull when_full,
                     const CancellationToken* cancellation) {
  Reply none;
  {
    std::unique_lock lock(mutex_);
    if (when_full == WhenFull::kWait) changed_.wait(lock, [this] { return has_room(); });
    if (dead_.ok()) {
      const int64_t id = send_locked(lane, std::move(body), std::move(done));
      if (cancellation != nullptr) watched_.emplace(id, cancellation);
      if (watched_.size() == 1) watch_.notify_all();
      return id;
    }
    none = failed(dead_);
  }
  done(none);
  return 0;
}

void Caller::on_message(int64_t generation, const Pieces& message) {
  StatusOr<Reply> reply = decode_reply(message);
  if (!reply.ok()) {
    fail(unavailable(fmt::format("{}: invalid reply: {}", target_, reply.status().message())));
    return;
  }
  Done done;
  {
    const std::scoped_lock lock(mutex_);
    if (reply->id == 0) {
      if (generation == generation_ && !greeting_) greeting_ = *std::move(reply);
      changed_.notify_all();
      return;
    }
    const auto found = pending_.find(reply->id);
    if (found == pending_.end()) return;  // answered before the connection broke
    done = std::move(found->second.done);
    const bool was_oldest = found == pending_.begin();
    pending_.erase(found);
    watched_.erase(reply->id);
    if (was_oldest) changed_.notify_all();
  }
  done(*reply);
}

Event Caller::begin(Lane lane, RequestBody body) {
  const auto source = std::make_shared<EventSource>();
  Event event = source->event();
  send(lane, std::move(body), [source](Reply& reply) { source->finish(reply.status); });
  return event;
}

Status Caller::await(const Event& event, int64_t call, const CancellationToken* cancellation) {
  const StopWord* const word = cancellation != nullptr ? cancellation->word() : stop_word();
  if (word == nullptr) return event.await();
  const auto stops = [word] { return word->load(std::memory_order_relaxed) != kRunning; };
  while (!event.is_ready() && !stops())
    static_cast<void>(event.await(nullptr, std::chrono::steady_clock::now() + kLook));
  if (!event.is_ready()) send(Lane::kCalls, Cancel{call}, [](Reply&) {}, WhenFull::kExceed);
  const Status status = event.await();
  const bool is_late = word->load(std::memory_order_relaxed) == kDeadlinePassed;  // the server doesn't know the reason
  return is_late && status.code() == StatusCode::kCancelled ? stop_status(word) : status;
}

Status Caller::start_watching() {
  const std::scoped_lock lock(mutex_);
  if (has_watcher_) return ok_status();
  const SignalsBlocked blocked;
  try {
    std::thread([self = shared_from_this()] { self->watch(); }).detach();
  } catch (const std::system_error&) {
    return resource_exhausted("no thread could be started to watch for cancellation");
  }
  has_watcher_ = true;
  return ok_status();
}

void Caller::watch() {
  std::unique_lock lock(mutex_);
  while (dead_.ok()) {
    std::erase_if(watched_, [this](const auto& one) {
      const auto& [call, token] = one;
      if (!token->cancelled()) return false;
      send_locked(Lane::kCalls, Cancel{call}, [](Reply&) {});
      return true;
    });
    if (watched_.empty()) watch_.wait(lock);
    else watch_.wait_for(lock, kLook);
  }
}

StatusOr<Reply> Caller::call(Lane lane, RequestBody body, const CancellationToken* cancellation) {
  struct Answer {
    Reply reply;
    EventSource source;
  };
  const auto answer = std::make_shared<Answer>();
  const Event event = answer->source.event();
  const int64_t id = send(lane, std::move(body), [answer](Reply& reply) {
    answer->reply = std::move(reply);
    answer->source.finish(answer->reply.status);
  });
  HILO_RETURN_IF_ERROR(await(event, id, cancellation));
  return std::move(answer->reply);
}

void Caller::release(const Handle& handle, int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (!dead_.ok()) return;
  releases_.push_back(handle);
  released_bytes_ += std::min(bytes, kMaxReleasedBytes);  // counted like the limit
  const bool is_urgent = releases_.size() >= kMaxReleases || released_bytes_ >= kMaxReleasedBytes;
  if (is_urgent && has_room()) send_locked(Lane::kCalls, Free{}, [](Reply&) {});
}

}  // namespace hilo::rpc
