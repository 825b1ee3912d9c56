// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "hilo/base/signals_blocked.h"
#include "hilo/base/sizes.h"
#include "hilo/rpc/proto/codec.h"
#include "hilo/rpc/proto/limit_reply.h"
#include "hilo/rpc/server/places.h"

namespace hilo::rpc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kSentAtOnce = 16 << 10;    // maximum bytes of a batch that is sent at once
constexpr int64_t kQueuedBytes = 64 << 10;  // bytes of messages of a waiting client, which has only sent Hello

double seconds_since(Clock::time_point time) { return std::chrono::duration<double>(Clock::now() - time).count(); }

/// Returns the part of a limit that one client may use.
int64_t share_of(int64_t limit, int64_t sessions) {
  if (limit > 0) return limit;
  return sessions < 4 ? sessions : sessions - sessions / 4;
}

/// Numbers of sessions by client.
class Shares {
 public:
  int64_t of_host(const Peer& peer) const { return count(hosts_, peer.host); }
  /// Returns the count by token if it has a name, otherwise by host.
  int64_t of_client(const Peer& peer) const { return peer.token.empty() ? of_host(peer) : count(tokens_, peer.token); }
  bool has_room(const Peer& peer, const SessionLimits& limits) const {
    const int64_t own = share_of(limits.sessions_per_token, limits.sessions);
    return of_host(peer) < share_of(limits.sessions_per_peer, limits.sessions) &&
           (peer.token.empty() || count(tokens_, peer.token) < own);
  }
  void add(const Peer& peer, int64_t sessions) {
    add(hosts_, peer.host, sessions);
    add(tokens_, peer.token, sessions);
  }

 private:
  using Count = std::unordered_map<std::string, int64_t>;
  static int64_t count(const Count& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  }
  static void add(Count& counts, const std::string& name, int64_t sessions) {
    if ((counts[name] += sessions) == 0) counts.erase(name);
  }
  Count hosts_, tokens_;
};

}  // namespace

struct Sessions::State {
  struct Waiting {
    std::shared_ptr<Session> session;
    Clock::time_point since;
  };
  /// Sessions to be rejected after the mutex is released, with the reasons.
  using Rejected = std::vector<std::pair<std::shared_ptr<Session>, Status>>;

  SessionLimits limits;
  StartWorker start_worker;
  SessionTold told;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::unordered_map<Handle, std::shared_ptr<Session>> sessions;
  std::list<Waiting> queue;  // in order of arrival
  Shares shares, waiting;
  std::atomic<bool> is_wanted = false;  // the queue waits for a place
  bool has_usher = false;
  int64_t threads = 0;
  bool is_draining = false;
  bool is_ending = false;
  int64_t named = 0;  // number of sessions that were assigned a number
  Counts counts;
  std::atomic<int64_t> messages{0};

  // Precondition of all functions: the caller holds the mutex.
  bool has_room(const Peer& peer) const { return counts.live < limits.sessions && shares.has_room(peer, limits); }
  std::string full_text() const;
  /// Starts a worker for the session and counts it.
  Status place(const std::shared_ptr<Session>& session);
  Status enqueue(const std::shared_ptr<Session>& session);
  void leave_queue(std::list<Waiting>::iterator one);
  /// Assigns free places to waiting clients.
  void fill(Rejected& rejected);
  /// Rejects clients that have waited too long, or all.
  /// Returns   the time of the next timeout
  Clock::time_point expire(bool all, Rejected& rejected);
  Status start_usher(const std::shared_ptr<State>& self);
};

/// A session. With a worker it has two threads, which write to it and read from it. Both own the session.
class Sessions::Session final : public Relay, public std::enable_shared_from_this<Session> {
 public:
  Session(const Handle& name, int64_t number, const Peer& peer, std::shared_ptr<State> state)
      : name_(name), number_(number), peer_(peer), state_(std::move(state)) {}

  /// Precondition: the caller holds the state's mutex.
  Status start(WorkerFiles worker);
  /// Adds a stream. Returns false if the session has ended.
  bool attach(Lane lane, std::shared_ptr<Outlet> outlet, const Peer& peer);
  void tell(std::string_view event, std::string_view cause);
  void end();
  /// Ends the session if its client has disconnected and it holds nothing, because another client waits for the place.
  void yield();
  /// Tells the client why it gets no session.
  void reject(const Status& why);
  const Handle& name() const { return name_; }
  const Peer& peer() const { return peer_; }

  void forward(Lane lane, Pieces batch, std::function<void()> taken) override;
  void detach(Lane lane, const Outlet* outlet) override;
  SessionOverview overview();

 private:
  struct Batch {
    Lane lane;
    Pieces bytes;
    std::function<void()> taken;
    bool is_rest = false;  // the rest of a frame whose beginning has been sent
  };
  void write();
  void send(const Batch& batch);
  void send_bytes(Pieces batch);
  void read();
  /// Reads a report. Returns false if it is invalid.
  bool take_report(std::string_view message);
  /// Requests a report after all messages that were sent. Precondition of these: the caller holds the mutex.
  void ask_locked();
  Clock::time_point ends_locked() const;
  void finish(const Status& why);
  std::shared_ptr<Outlet>& outlet_of(Lane lane) { return outlets_[static_cast<size_t>(lane)]; }

  const Handle name_;
  const int64_t number_;
  const Peer peer_;
  const Clock::time_point began_ = Clock::now();
  // Set once by start(), before any thread uses the worker.
  std::unique_ptr<FrameSocket> socket_;
  std::unique_ptr<Places> places_;
  const std::shared_ptr<State> state_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<std::shared_ptr<Outlet>, kLanes> outlets_;
  Clock::time_point alone_since_ = Clock::now();
  std::deque<Batch> batches_;
  int64_t message_bytes_ = 0;  // bytes of queued batches and of the one that is being written
  bool is_writing_ = false;    // write() is running without the mutex
  bool has_ended_ = false;
  bool is_abandoned_ = false;  // the client hasn't returned in time
  Peer seen_;                  // peer of the last stream
  int64_t replies_ = 0;
  bool is_asked_ = false;    // a report was requested and hasn't arrived
  bool asks_again_ = false;  // another report is needed, because the client left meanwhile
  bool is_empty_ = false;    // the client has disconnected and the session holds nothing
  SessionReport report_;
  std::optional<Clock::time_point> reported_;
};

Status Sessions::Session::start(WorkerFiles worker) {
  const SignalsBlocked blocked;
  {
    const std::scoped_lock lock(mutex_);
    socket_ = std::make_unique<FrameSocket>(std::move(worker.socket));
    places_ = std::make_unique<Places>(std::move(worker.arena));
  }
  const auto begin = [this](auto run) {
    ++state_->threads;
    std::thread([self = shared_from_this(), state = state_, run]() mutable {
      run(*self);
      self.reset();
      const std::scoped_lock lock(state->mutex);
      --state->threads;
      state->changed.notify_all();
    }).detach();
  };
  try {
    begin([](Session& self) { self.write(); });
    begin([](Session& self) { self.read(); });
  } catch (const std::system_error&) {
    --state_->threads;  // the thread that didn't start
    end();
    return resource_exhausted("no thread could be started for a session");
  }
  return ok_status();
}

void Sessions::Session::end() {
  const std::scoped_lock lock(mutex_);
  if (socket_ != nullptr) socket_->shut_down();
}

void Sessions::Session::yield() {
  const std::scoped_lock lock(mutex_);
  if (!is_empty_ || socket_ == nullptr) return;
  is_abandoned_ = true;
  socket_->shut_down();
}

void Sessions::Session::reject(const Status& why) {
  tell("refused", why.to_string());
  std::array<std::shared_ptr<Outlet>, kLanes> outlets;
  std::deque<Batch> batches;
  {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
    outlets.swap(outlets_);
    batches.swap(batches_);
  }
  Reply reply;
  reply.status = why;
  for (const auto& outlet : outlets) {
    if (outlet == nullptr) continue;
    if (outlet == outlets[ordinal(Lane::kCalls)]) outlet->deliver(encode_in_pieces(reply));
    outlet->close(ok_status());
  }
}

void Sessions::Session::tell(std::string_view event, std::string_view cause) {
  if (!state_->told) return;
  Peer peer;
  {
    const std::scoped_lock lock(mutex_);
    peer = seen_;
  }
  state_->told(event, number_, peer, cause);
}

bool Sessions::Session::attach(Lane lane, std::shared_ptr<Outlet> outlet, const Peer& peer) {
  {
    const std::scoped_lock lock(mutex_);
    if (has_ended_) return false;
    seen_ = peer;
    std::swap(outlet_of(lane), outlet);
    if (lane == Lane::kCalls) is_empty_ = false;
  }
  changed_.notify_all();
  if (outlet != nullptr) outlet->close(Status(StatusCode::kAborted, "another stream has replaced this one"));
  return true;
}

void Sessions::Session::detach(Lane lane, const Outlet* outlet) {
  bool has_worker = false;
  {
    const std::scoped_lock lock(mutex_);
    if (outlet_of(lane).get() != outlet) return;
    outlet_of(lane).reset();
    alone_since_ = Clock::now();
    if (lane == Lane::kCalls && socket_ != nullptr) ask_locked();
    has_worker = socket_ != nullptr;
  }
  changed_.notify_all();
  if (has_worker || lane != Lane::kCalls) return;
  const std::scoped_lock lock(state_->mutex);
  const auto found = std::ranges::find_if(state_->queue, [this](const auto& one) { return one.session.get() == this; });
  if (found == state_->queue.end()) {  // it was assigned a worker meanwhile
    const std::scoped_lock own(mutex_);
    if (socket_ != nullptr && outlet_of(Lane::kCalls) == nullptr) ask_locked();
    changed_.notify_all();
    return;
  }
  const std::shared_ptr<Session> self = found->session;
  state_->leave_queue(found);
  state_->sessions.erase(name_);
}

void Sessions::Session::ask_locked() {
  if (std::exchange(is_asked_, true)) {
    asks_again_ = true;
    return;
  }
  batches_.push_back({Lane::kReports, Pieces(), [] {}});
}

Clock::time_point Sessions::Session::ends_locked() const {
  const SessionLimits& limits = state_->limits;
  return alone_since_ + (is_empty_ ? std::min(limits.empty_grace, limits.grace) : limits.grace);
}

void Sessions::Session::forward(Lane lane, Pieces batch, std::function<void()> taken) {
  std::shared_ptr<Outlet> full;
  Status why;
  {
    const std::scoped_lock lock(mutex_);
    if (has_ended_) return;  // the outlet has been closed
    const int64_t size = batch.size();
    const int64_t limit = socket_ == nullptr ? kQueuedBytes : state_->limits.message_bytes;
    const bool is_bounded = socket_ == nullptr || message_bytes_ > 0;
    if (is_bounded && size > limit - message_bytes_) {
      full = outlet_of(lane);
      why = resource_exhausted(fmt::format(
          "quota: {} bytes of messages are queued for the session's worker; {} more arrived", message_bytes_, size));
    }
    Batch next{lane, std::move(batch), std::move(taken)};
    const bool is_short = lane != Lane::kBytes && next.bytes.size() <= kSentAtOnce;
    if (!why.ok()) {
      taken = nullptr;
    } else if (is_short && socket_ != nullptr && batches_.empty() && !is_writing_) {
      // Usually the frame is written directly, without the second thread.
      StatusOr<std::string> rest = socket_->write_some(static_cast<uint32_t>(lane), next.bytes.parts);
      if (!rest.ok()) return;  // read() detects that the worker has ended
      taken = std::exchange(next.taken, nullptr);
      if (!rest->empty()) {
        message_bytes_ += std::ssize(*rest);
        batches_.push_back({lane, Pieces(*std::move(rest)), std::exchange(taken, nullptr), true});
      }
    } else {
      taken = nullptr;
      message_bytes_ += size;
      batches_.push_back(std::move(next));
    }
  }
  if (full != nullptr) full->close(why);
  if (!why.ok()) return;
  if (taken) return taken();
  changed_.notify_all();
}

void Sessions::Session::write() {
  std::unique_lock lock(mutex_);
  while (!has_ended_) {
    if (batches_.empty()) {
      const auto is_due = [this, was_empty = is_empty_] {
        return has_ended_ || !batches_.empty() || outlet_of(Lane::kCalls) != nullptr || is_empty_ != was_empty;
      };
      if (outlet_of(Lane::kCalls) != nullptr) changed_.wait(lock);
      else if (!changed_.wait_until(lock, ends_locked(), is_due) && Clock::now() >= ends_locked()) {
        is_abandoned_ = true;
        break;
      }
      continue;
    }
    {
      const Batch batch = std::move(batches_.front());
      batches_.pop_front();
      is_writing_ = true;
      lock.unlock();
      send(batch);
      batch.taken();
    }
    lock.lock();
  }
  lock.unlock();
  end();
}

void Sessions::Session::send(const Batch& batch) {
  // read() detects that the worker has ended.
  if (batch.is_rest) static_cast<void>(socket_->write_rest(batch.bytes.parts[0]));
  else if (batch.lane == Lane::kBytes) send_bytes(batch.bytes);
  else static_cast<void>(socket_->write(static_cast<uint32_t>(batch.lane), batch.bytes.parts));
  const std::scoped_lock lock(mutex_);
  is_writing_ = false;
  message_bytes_ -= std::ssize(batch.bytes);
}

/// Writes chunks with a place there, and sends the worker only the rest of their messages.
void Sessions::Session::send_bytes(Pieces batch) {
  constexpr auto kBytes = ordinal(Lane::kBytes), kPlaces = ordinal(Lane::kPlaces);
  while (!batch.empty()) {
    const StatusOr<Pieces> message = take_from_batch(batch);
    if (!message.ok()) {  // the worker reports the error
      static_cast<void>(socket_->write(kBytes, batch.parts));
      return;
    }
    const std::optional<Request> request = chunk_of(*message);
    const Chunk* const chunk = request && request->releases.empty() ? &std::get<Chunk>(request->body) : nullptr;
    if (chunk != nullptr && places_->write(*chunk)) {
      const Placed placed{request->id, request->acked, chunk->buffer, chunk->offset, std::ssize(chunk->bytes)};
      static_cast<void>(socket_->write(kPlaces, bytes_of(placed)));
      continue;
    }
    std::string head;
    append_head_to_batch(head, message->size());
    std::vector<std::string_view> parts = {head};
    parts.insert(parts.end(), message->parts.begin(), message->parts.end());
    static_cast<void>(socket_->write(kBytes, parts));
  }
}

void Sessions::Session::read() {
  Status why = unavailable("the session's worker has ended");
  for (Frame frame;;) {
    const StatusOr<bool> is_there = socket_->read(frame);
    if (!is_there.ok()) why = is_there.status();
    if (!is_there.ok() || !*is_there) break;
    if (frame.lane == ordinal(Lane::kReports) && take_report(frame.message)) continue;
    if (frame.lane == ordinal(Lane::kPlaces)) {
      const Status set = places_->set(frame.message);
      if (set.ok()) continue;
      why = set;
      break;
    }
    if (frame.message == kGoodbye) {
      why = ok_status();
      break;
    }
    if (frame.lane >= kLanes) {
      why = data_loss(fmt::format("the session's worker sent a frame of lane {}", frame.lane));
      break;
    }
    state_->messages.fetch_add(1, std::memory_order_relaxed);
    if (const std::optional<Status> limit = limit_of(frame.message)) tell("limit", limit->to_string());
    std::shared_ptr<Outlet> outlet;
    {
      const std::scoped_lock lock(mutex_);
      outlet = outlet_of(static_cast<Lane>(frame.lane));
      ++replies_;
    }
    if (outlet != nullptr) outlet->deliver(frame.take());  // otherwise the client repeats the request when it returns
  }
  end();
  finish(why);
}

bool Sessions::Session::take_report(std::string_view message) {
  const StatusOr<SessionReport> report = decode_session_report(message);
  if (!report.ok()) return false;
  {
    const std::scoped_lock lock(mutex_);
    is_asked_ = false;
    report_ = *report;
    reported_ = Clock::now();
    if (std::exchange(asks_again_, false)) ask_locked();
    else is_empty_ = outlet_of(Lane::kCalls) == nullptr && report_.calls + report_.buffers + report_.executables == 0;
  }
  changed_.notify_all();
  if (state_->is_wanted) yield();
  return true;
}

SessionOverview Sessions::Session::overview() {
  SessionOverview shown{.number = number_, .seconds = seconds_since(began_)};
  bool asks = false;
  {
    const std::scoped_lock lock(mutex_);
    shown.has_client = outlet_of(Lane::kCalls) != nullptr;
    shown.waiting = std::ssize(batches_) + (is_writing_ ? 1 : 0);
    shown.replies = replies_;
    shown.message_bytes = message_bytes_;
    shown.report = report_;
    if (reported_) shown.report_seconds = seconds_since(*reported_);
    asks = socket_ != nullptr && !std::exchange(is_asked_, true);
  }
  if (asks) forward(Lane::kReports, Pieces(std::string()), [] {});
  return shown;
}

void Sessions::Session::finish(const Status& why) {
  std::array<std::shared_ptr<Outlet>, kLanes> outlets;
  std::deque<Batch> batches;
  bool is_abandoned = false;
  {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
    is_abandoned = is_abandoned_;
    outlets.swap(outlets_);
    batches.swap(batches_);
  }
  changed_.notify_all();
  for (const auto& outlet : outlets) {
    if (outlet != nullptr) outlet->close(why);
  }
  State::Rejected rejected;
  {
    const std::scoped_lock lock(state_->mutex);
    tell("closed", why.ok()            ? "the client ended it"
                   : is_abandoned      ? "the client did not come back"
                   : state_->is_ending ? "the server ended"
                                       : why.to_string());
    const auto found = state_->sessions.find(name_);
    if (found == state_->sessions.end() || found->second.get() != this) return;
    state_->sessions.erase(found);
    --state_->counts.live;
    state_->shares.add(peer_, -1);
    const bool was_awaited = outlets[ordinal(Lane::kCalls)] != nullptr;  // otherwise its time has expired
    if (!why.ok() && was_awaited && !state_->is_ending) ++state_->counts.workers_lost;
    if (!state_->is_ending) state_->fill(rejected);
    state_->changed.notify_all();
  }
  for (const auto& [session, reason] : rejected) session->reject(reason);
}

// ---- The queue.

std::string Sessions::State::full_text() const {
  if (counts.live >= limits.sessions) return fmt::format("quota: {} sessions of {}", counts.live, limits.sessions);
  return fmt::format("quota: as many sessions as one client may have: {} of one host, {} of one token",
                     share_of(limits.sessions_per_peer, limits.sessions),
                     share_of(limits.sessions_per_token, limits.sessions));
}

Status Sessions::State::place(const std::shared_ptr<Session>& session) {
  HILO_ASSIGN_OR_RETURN(WorkerFiles worker, start_worker());
  session->tell("opened", "");
  HILO_RETURN_IF_ERROR(session->start(std::move(worker)));
  shares.add(session->peer(), 1);
  ++counts.live;
  ++counts.begun;
  return ok_status();
}

Status Sessions::State::enqueue(const std::shared_ptr<Session>& session) {
  const bool has_room =
      counts.queued < limits.queue && waiting.of_host(session->peer()) < std::max<int64_t>(limits.queue / 4, 1);
  if (limits.queue_time <= std::chrono::milliseconds(0) || !has_room) return resource_exhausted(full_text());
  session->tell("queued", full_text());
  queue.push_back({session, Clock::now()});
  waiting.add(session->peer(), 1);
  ++counts.queued;
  is_wanted = true;
  for (const auto& [name, other] : sessions) other->yield();
  changed.notify_all();
  return ok_status();
}

void Sessions::State::leave_queue(std::list<Waiting>::iterator one) {
  waiting.add(one->session->peer(), -1);
  queue.erase(one);
  --counts.queued;
  is_wanted = !queue.empty();
}

void Sessions::State::fill(Rejected& rejected) {
  for (;;) {
    auto best = queue.end();
    for (auto i = queue.begin(); i != queue.end(); ++i) {
      if (!has_room(i->session->peer())) continue;
      if (best == queue.end() || shares.of_client(i->session->peer()) < shares.of_client(best->session->peer()))
        best = i;
    }
    if (best == queue.end()) return;
    const std::shared_ptr<Session> session = best->session;
    leave_queue(best);
    if (const Status placed = place(session); !placed.ok()) {
      sessions.erase(session->name());
      rejected.emplace_back(session, placed);
    }
  }
}

Clock::time_point Sessions::State::expire(bool all, Rejected& rejected) {
  const Clock::time_point now = Clock::now();
  const int64_t length = counts.queued;
  int64_t place = 1;
  for (auto i = queue.begin(); i != queue.end(); ++place) {
    const auto one = i++;
    if (!all && one->since + limits.queue_time > now) return one->since + limits.queue_time;
    const std::string text = fmt::format("{}; place {} of {} in the queue after {:.1f} s", full_text(), place, length,
                                         seconds_since(one->since));
    rejected.emplace_back(one->session, all ? unavailable("the server is shutting down") : resource_exhausted(text));
    sessions.erase(one->session->name());
    leave_queue(one);
  }
  return Clock::time_point::max();
}

/// Starts the thread that rejects clients that have waited too long. It ends with the queue.
Status Sessions::State::start_usher(const std::shared_ptr<State>& self) {
  if (has_usher) return ok_status();
  const SignalsBlocked blocked;
  try {
    std::thread([self] {
      std::unique_lock lock(self->mutex);
      while (!self->is_ending && !self->queue.empty()) {
        Rejected rejected;
        const Clock::time_point next = self->expire(false, rejected);
        if (rejected.empty()) {
          self->changed.wait_until(lock, next);
          continue;
        }
        lock.unlock();
        for (const auto& [session, why] : rejected) session->reject(why);
        rejected.clear();
        lock.lock();
      }
      self->has_usher = false;
      --self->threads;
      self->changed.notify_all();
    }).detach();
  } catch (const std::system_error&) {
    return resource_exhausted("no thread could be started for the queue of sessions");
  }
  has_usher = true;
  ++threads;
  return ok_status();
}

// ---- All sessions.

Sessions::Sessions(const SessionLimits& limits, StartWorker start_worker, SessionTold told)
    : state_(std::make_shared<State>()) {
  state_->told = std::move(told);
  state_->limits = limits;
  state_->start_worker = std::move(start_worker);
}

Sessions::~Sessions() {
  State::Rejected rejected;
  std::unique_lock lock(state_->mutex);
  state_->is_draining = state_->is_ending = true;
  state_->expire(true, rejected);
  state_->changed.notify_all();
  for (const auto& [name, session] : state_->sessions) session->end();
  state_->changed.wait(lock, [this] { return state_->threads == 0; });
  lock.unlock();
  for (const auto& [session, why] : rejected) session->reject(why);
}

StatusOr<std::shared_ptr<Relay>> Sessions::attach(const Hello& hello, Lane lane, std::shared_ptr<Outlet> outlet,
                                                  const Peer& peer) {
  std::shared_ptr<Session> known;
  {
    const std::scoped_lock lock(state_->mutex);
    const auto found = state_->sessions.find(hello.session);
    if (found != state_->sessions.end()) known = found->second;
    else if (!hello.resumes && lane == Lane::kCalls) return begin(hello, std::move(outlet), peer);
  }
  if (known == nullptr || !known->attach(lane, std::move(outlet), peer))
    return not_found("no such session: it has ended");
  if (lane == Lane::kCalls) known->tell("resumed", "");
  return std::shared_ptr<Relay>(known);
}

StatusOr<std::shared_ptr<Relay>> Sessions::begin(const Hello& hello, std::shared_ptr<Outlet> outlet, const Peer& peer) {
  if (hello.session.is_zero()) return invalid_argument("Hello.session: wanted sixteen random bytes");
  if (state_->is_draining) return unavailable("the server is shutting down");
  const auto session = std::make_shared<Session>(hello.session, ++state_->named, peer, state_);
  session->attach(Lane::kCalls, std::move(outlet), peer);
  if (state_->has_room(peer)) {
    HILO_RETURN_IF_ERROR(state_->place(session));
  } else {
    HILO_RETURN_IF_ERROR(state_->start_usher(state_));
    HILO_RETURN_IF_ERROR(state_->enqueue(session));
  }
  state_->sessions.emplace(hello.session, session);
  return std::shared_ptr<Relay>(session);
}

void Sessions::drain() {
  State::Rejected rejected;
  {
    const std::scoped_lock lock(state_->mutex);
    state_->is_draining = true;
    state_->expire(true, rejected);
  }
  for (const auto& [session, why] : rejected) session->reject(why);
}

bool Sessions::wait_until_idle(std::chrono::milliseconds time) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, time, [this] { return state_->counts.live == 0; });
}

Sessions::Counts Sessions::counts() const {
  const std::scoped_lock lock(state_->mutex);
  Counts counts = state_->counts;
  counts.messages = state_->messages.load(std::memory_order_relaxed);
  return counts;
}

std::vector<SessionOverview> Sessions::overview() const {
  std::vector<std::shared_ptr<Session>> sessions;
  {
    const std::scoped_lock lock(state_->mutex);
    for (const auto& [name, session] : state_->sessions) sessions.push_back(session);
  }
  std::vector<SessionOverview> shown;
  for (const auto& session : sessions) shown.push_back(session->overview());
  std::ranges::sort(shown, {}, &SessionOverview::number);
  return shown;
}

}  // namespace hilo::rpc
