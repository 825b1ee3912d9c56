// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "hilo/base/signals_blocked.h"
#include "hilo/rpc/proto/codec.h"
#include "hilo/rpc/server/places.h"

namespace hilo::rpc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kSentAtOnce = 16 << 10;  // bytes of a batch

double seconds_since(Clock::time_point time) { return std::chrono::duration<double>(Clock::now() - time).count(); }

}  // namespace

struct Sessions::State {
  SessionLimits limits;
  StartWorker start_worker;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::unordered_map<Handle, std::shared_ptr<Session>> sessions;
  int64_t threads = 0;
  bool is_draining = false;
  bool is_ending = false;
  Counts counts;
  std::atomic<int64_t> messages{0};
};

/// Two threads: one writes to the worker, one reads from it. Both hold the session.
class Sessions::Session final : public Relay, public std::enable_shared_from_this<Session> {
 public:
  Session(const Handle& name, int64_t number, WorkerFiles worker, std::shared_ptr<State> state)
      : name_(name),
        number_(number),
        socket_(std::move(worker.socket)),
        places_(std::move(worker.arena)),
        state_(std::move(state)) {}

  /// Precondition: the caller holds the state's mutex.
  Status start();
  /// False if the session has ended.
  bool attach(Lane lane, std::shared_ptr<Outlet> outlet);
  void end() { socket_.shut_down(); }

  void forward(Lane lane, Pieces batch, std::function<void()> taken) override;
  void detach(Lane lane, const Outlet* outlet) override;
  SessionOverview overview();

 private:
  struct Batch {
    Lane lane;
    Pieces bytes;
    std::function<void()> taken;
    bool is_rest = false;  // of a frame whose beginning has been sent
  };
  void write();
  void send(const Batch& batch);
  void send_bytes(Pieces batch);
  void read();
  /// False for what is no report.
  bool take_report(std::string_view message);
  void finish(const Status& why);
  std::shared_ptr<Outlet>& outlet_of(Lane lane) { return outlets_[static_cast<size_t>(lane)]; }

  const Handle name_;
  const int64_t number_;
  const Clock::time_point began_ = Clock::now();
  FrameSocket socket_;
  Places places_;
  const std::shared_ptr<State> state_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<std::shared_ptr<Outlet>, kLanes> outlets_;
  Clock::time_point alone_since_ = Clock::now();
  std::deque<Batch> batches_;
  bool is_writing_ = false;  // write() is, without the mutex
  bool has_ended_ = false;
  int64_t replies_ = 0;
  bool is_asked_ = false;  // for a report that hasn't come
  SessionReport report_;
  std::optional<Clock::time_point> reported_;
};

Status Sessions::Session::start() {
  const SignalsBlocked blocked;
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
    --state_->threads;  // of the one that didn't begin
    end();
    return resource_exhausted("no thread can be had for a session");
  }
  return ok_status();
}

bool Sessions::Session::attach(Lane lane, std::shared_ptr<Outlet> outlet) {
  {
    const std::scoped_lock lock(mutex_);
    if (has_ended_) return false;
    std::swap(outlet_of(lane), outlet);
  }
  changed_.notify_all();
  if (outlet != nullptr) outlet->close(Status(StatusCode::kAborted, "another stream took this one's place"));
  return true;
}

void Sessions::Session::detach(Lane lane, const Outlet* outlet) {
  {
    const std::scoped_lock lock(mutex_);
    if (outlet_of(lane).get() != outlet) return;
    outlet_of(lane).reset();
    alone_since_ = Clock::now();
  }
  changed_.notify_all();
}

void Sessions::Session::forward(Lane lane, Pieces batch, std::function<void()> taken) {
  {
    const std::scoped_lock lock(mutex_);
    if (has_ended_) return;  // the outlet was told
    Batch next{lane, std::move(batch), std::move(taken)};
    if (lane != Lane::kBytes && batches_.empty() && !is_writing_ && next.bytes.size() <= kSentAtOnce) {
      // The worker has it without a second thread in between, as a rule.
      StatusOr<std::string> rest = socket_.write_some(static_cast<uint32_t>(lane), next.bytes.parts);
      if (!rest.ok()) return;  // read() sees that the worker is gone
      taken = std::exchange(next.taken, nullptr);
      if (!rest->empty()) batches_.push_back({lane, Pieces(*std::move(rest)), std::exchange(taken, nullptr), true});
    } else {
      taken = nullptr;
      batches_.push_back(std::move(next));
    }
  }
  if (taken) return taken();
  changed_.notify_all();
}

void Sessions::Session::write() {
  std::unique_lock lock(mutex_);
  while (!has_ended_) {
    if (batches_.empty()) {
      const auto is_due = [this] { return has_ended_ || !batches_.empty() || outlet_of(Lane::kCalls) != nullptr; };
      if (outlet_of(Lane::kCalls) != nullptr) changed_.wait(lock);
      else if (!changed_.wait_until(lock, alone_since_ + state_->limits.grace, is_due)) break;
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
  // read() sees that a worker is gone.
  if (batch.is_rest) static_cast<void>(socket_.write_rest(batch.bytes.parts[0]));
  else if (batch.lane == Lane::kBytes) send_bytes(batch.bytes);
  else static_cast<void>(socket_.write(static_cast<uint32_t>(batch.lane), batch.bytes.parts));
  const std::scoped_lock lock(mutex_);
  is_writing_ = false;
}

/// Chunks that have a place are written there; of them the worker is told the rest.
void Sessions::Session::send_bytes(Pieces batch) {
  constexpr auto kBytes = static_cast<uint32_t>(Lane::kBytes), kPlaces = static_cast<uint32_t>(Lane::kPlaces);
  while (!batch.empty()) {
    const StatusOr<Pieces> message = take_from_batch(batch);
    if (!message.ok()) {  // the worker says why
      static_cast<void>(socket_.write(kBytes, batch.parts));
      return;
    }
    const std::optional<Request> request = chunk_of(*message);
    const Chunk* const chunk = request && request->releases.empty() ? &std::get<Chunk>(request->body) : nullptr;
    if (chunk != nullptr && places_.write(*chunk)) {
      const Placed placed{request->id, request->acked, chunk->buffer, chunk->offset,
                          static_cast<int64_t>(chunk->bytes.size())};
      static_cast<void>(socket_.write(kPlaces, bytes_of(placed)));
      continue;
    }
    std::string head;
    append_head_to_batch(head, message->size());
    std::vector<std::string_view> parts = {head};
    parts.insert(parts.end(), message->parts.begin(), message->parts.end());
    static_cast<void>(socket_.write(kBytes, parts));
  }
}

void Sessions::Session::read() {
  Status why = unavailable("the session's worker has ended");
  for (Frame frame;;) {
    const StatusOr<bool> is_there = socket_.read(frame);
    if (!is_there.ok()) why = is_there.status();
    if (!is_there.ok() || !*is_there) break;
    if (frame.lane == static_cast<uint32_t>(Lane::kReports) && take_report(frame.message)) continue;
    if (frame.lane == static_cast<uint32_t>(Lane::kPlaces)) {
      const Status set = places_.set(frame.message);
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
    std::shared_ptr<Outlet> outlet;
    {
      const std::scoped_lock lock(mutex_);
      outlet = outlet_of(static_cast<Lane>(frame.lane));
      ++replies_;
    }
    if (outlet != nullptr) outlet->deliver(frame.take());  // else the client asks again when it is back
  }
  end();
  finish(why);
}

bool Sessions::Session::take_report(std::string_view message) {
  const StatusOr<SessionReport> report = decode_session_report(message);
  if (!report.ok()) return false;
  const std::scoped_lock lock(mutex_);
  is_asked_ = false;
  report_ = *report;
  reported_ = Clock::now();
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
    shown.report = report_;
    if (reported_) shown.report_seconds = seconds_since(*reported_);
    asks = !std::exchange(is_asked_, true);
  }
  if (asks) forward(Lane::kReports, Pieces(std::string()), [] {});
  return shown;
}

void Sessions::Session::finish(const Status& why) {
  std::array<std::shared_ptr<Outlet>, kLanes> outlets;
  std::deque<Batch> batches;
  {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
    outlets.swap(outlets_);
    batches.swap(batches_);
  }
  changed_.notify_all();
  for (const auto& outlet : outlets) {
    if (outlet != nullptr) outlet->close(why);
  }
  const std::scoped_lock lock(state_->mutex);
  const auto found = state_->sessions.find(name_);
  if (found == state_->sessions.end() || found->second.get() != this) return;
  state_->sessions.erase(found);
  --state_->counts.live;
  const bool was_awaited = outlets[static_cast<size_t>(Lane::kCalls)] != nullptr;  // else its time was over
  if (!why.ok() && was_awaited && !state_->is_ending) ++state_->counts.workers_lost;
  state_->changed.notify_all();
}

// ---- All sessions.

Sessions::Sessions(const SessionLimits& limits, StartWorker start_worker) : state_(std::make_shared<State>()) {
  state_->limits = limits;
  state_->start_worker = std::move(start_worker);
}

Sessions::~Sessions() {
  std::unique_lock lock(state_->mutex);
  state_->is_draining = state_->is_ending = true;
  for (const auto& [name, session] : state_->sessions) session->end();
  state_->changed.wait(lock, [this] { return state_->threads == 0; });
}

StatusOr<std::shared_ptr<Relay>> Sessions::attach(const Hello& hello, Lane lane, std::shared_ptr<Outlet> outlet) {
  std::shared_ptr<Session> known;
  {
    const std::scoped_lock lock(state_->mutex);
    const auto found = state_->sessions.find(hello.session);
    if (found != state_->sessions.end()) known = found->second;
    else if (!hello.resumes && lane == Lane::kCalls) return begin(hello, std::move(outlet));
  }
  if (known == nullptr || !known->attach(lane, std::move(outlet))) return not_found("no such session: it has ended");
  return std::shared_ptr<Relay>(known);
}

StatusOr<std::shared_ptr<Relay>> Sessions::begin(const Hello& hello, std::shared_ptr<Outlet> outlet) {
  if (hello.session.is_zero()) return invalid_argument("Hello.session: a session's name is sixteen random bytes");
  if (state_->is_draining) return unavailable("the server is about to end");
  if (state_->counts.live >= state_->limits.sessions)
    return resource_exhausted(fmt::format("quota: {} sessions of {}", state_->counts.live, state_->limits.sessions));
  HILO_ASSIGN_OR_RETURN(WorkerFiles worker, state_->start_worker());
  const auto session = std::make_shared<Session>(hello.session, state_->counts.begun + 1, std::move(worker), state_);
  session->attach(Lane::kCalls, std::move(outlet));
  HILO_RETURN_IF_ERROR(session->start());
  state_->sessions.emplace(hello.session, session);
  ++state_->counts.live;
  ++state_->counts.begun;
  return std::shared_ptr<Relay>(session);
}

void Sessions::drain() {
  const std::scoped_lock lock(state_->mutex);
  state_->is_draining = true;
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
