// SPDX-License-Identifier: Apache-2.0
// Which clients get a session, when, and for how long. Workers are sockets of the test.
#include "hilo/rpc/server/sessions.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "hilo/rpc/proto/codec.h"

namespace hilo::rpc {
namespace {

constexpr std::chrono::hours kForever{10};

/// The client's end of a stream.
class Client final : public Outlet {
 public:
  void deliver(Pieces message) override {
    const std::scoped_lock lock(mutex_);
    replies_.push_back(*decode_reply(message));
    changed_.notify_all();
  }
  void close(const Status& why) override {
    const std::scoped_lock lock(mutex_);
    closed_ = why;
    changed_.notify_all();
  }
  Reply reply() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !replies_.empty(); });
    return replies_.back();
  }
  Status closed() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_.has_value(); });
    return *closed_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Reply> replies_;
  std::optional<Status> closed_;
};

class TheSessions : public testing::Test {
 protected:
  void begin(const SessionLimits& limits) {
    sessions_ = std::make_unique<Sessions>(limits, [this]() -> StatusOr<WorkerFiles> {
      HILO_ASSIGN_OR_RETURN(SocketPair pair, make_socket_pair());
      const std::scoped_lock lock(mutex_);
      workers_.push_back(std::make_unique<FrameSocket>(std::move(pair.there)));
      changed_.notify_all();
      return WorkerFiles{std::move(pair.here)};
    });
  }
  void TearDown() override {
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& worker : workers_) worker->shut_down();
    }
    sessions_.reset();
  }
  /// Waits until the i-th worker has started.
  FrameSocket& worker(size_t i) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return workers_.size() > i; });
    return *workers_[i];
  }
  size_t started() {
    const std::scoped_lock lock(mutex_);
    return workers_.size();
  }
  struct Session {
    std::shared_ptr<Client> client = std::make_shared<Client>();
    StatusOr<std::shared_ptr<Relay>> relay = internal_error("none");
  };
  Session open(const std::string& host = "a", const std::string& token = "") {
    Session session;
    session.relay = sessions_->attach({.session = {1, ++names_}}, Lane::kCalls, session.client, {host, token});
    return session;
  }
  void wait_for_live(int64_t count) {
    while (sessions_->counts().live != count) std::this_thread::yield();
  }

  std::unique_ptr<Sessions> sessions_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<FrameSocket>> workers_;
  uint64_t names_ = 0;
};

TEST_F(TheSessions, WhoComesTooLateWaitsForAPlaceAndGetsIt) {
  begin({.sessions = 1, .queue_time = kForever});
  const Session first = open(), second = open(), third = open();
  ASSERT_TRUE(third.relay.ok());
  EXPECT_EQ(sessions_->counts().queued, 2);
  EXPECT_EQ(started(), 1u);
  bool taken = false;
  (*second.relay)->forward(Lane::kCalls, Pieces("hello"), [&] { taken = true; });
  EXPECT_FALSE(taken);  // so the client stops sending
  worker(0).shut_down();
  Frame frame;
  ASSERT_TRUE(*worker(1).read(frame));  // the second in the queue is now first
  EXPECT_EQ(frame.message, "hello");
  EXPECT_EQ(sessions_->counts().queued, 1);
  EXPECT_EQ(first.client->closed().code(), StatusCode::kUnavailable);
}

TEST_F(TheSessions, WhoWaitsSendsLittle) {
  begin({.sessions = 1, .queue_time = kForever});
  const Session first = open(), second = open();
  (*second.relay)->forward(Lane::kCalls, Pieces(std::string(1 << 20, 'x')), [] {});
  EXPECT_EQ(second.client->closed().code(), StatusCode::kResourceExhausted);
}

TEST_F(TheSessions, WhoWaitsTooLongLearnsItsPlace) {
  begin({.sessions = 1, .queue_time = std::chrono::milliseconds(1)});
  const Session first = open(), second = open();
  EXPECT_TRUE(second.client->closed().ok());
  EXPECT_EQ(second.client->reply().status.to_string(),
            "RESOURCE_EXHAUSTED: quota: 1 sessions of 1; place 1 of 1 in the queue after 0.0 s");
  EXPECT_EQ(sessions_->counts().queued, 0);
}

TEST_F(TheSessions, WithoutAQueueOneIsRejectedAtOnce) {
  begin({.sessions = 1, .queue_time = std::chrono::milliseconds(0)});
  const Session first = open();
  EXPECT_EQ(open().relay.status().to_string(), "RESOURCE_EXHAUSTED: quota: 1 sessions of 1");
}

TEST_F(TheSessions, NoHostAndNoTokenTakesAllAndFreePlacesGoToWhoHasFewest) {
  begin({.sessions = 8, .sessions_per_token = 2, .queue_time = kForever});
  std::vector<Session> greedy, named;
  for (int i = 0; i < 9; ++i) greedy.push_back(open("a"));
  EXPECT_EQ(started(), 6u);  // three quarters of the limit
  for (const char* const host : {"b", "c", "d"}) named.push_back(open(host, "alice"));
  EXPECT_EQ(started(), 8u);
  EXPECT_EQ(sessions_->counts().queued, 4);
  const Session last = open("e");  // at the end of the queue, but with fewer sessions than a
  worker(0).shut_down();
  Frame frame;
  (*last.relay)->forward(Lane::kCalls, Pieces("e"), [] {});
  ASSERT_TRUE(*worker(8).read(frame));
  EXPECT_EQ(frame.message, "e");
  worker(6).shut_down();  // ends a session of alice, so that her third may start
  (*named[2].relay)->forward(Lane::kCalls, Pieces("d"), [] {});
  ASSERT_TRUE(*worker(9).read(frame));
  EXPECT_EQ(frame.message, "d");
}

TEST_F(TheSessions, OneHostDoesNotFillTheQueue) {
  begin({.sessions = 1, .queue = 8, .queue_time = kForever});
  std::vector<Session> all;
  for (int i = 0; i < 20; ++i) all.push_back(open("a"));
  EXPECT_EQ(sessions_->counts().queued, 2);
  EXPECT_TRUE(open("b").relay.ok());
}

TEST_F(TheSessions, WhoGoesLeavesTheQueueAndTheEndEmptiesIt) {
  begin({.sessions = 1, .queue_time = kForever});
  const Session first = open(), second = open(), third = open();
  (*second.relay)->detach(Lane::kCalls, second.client.get());
  EXPECT_EQ(sessions_->counts().queued, 1);
  sessions_->drain();
  EXPECT_EQ(third.client->reply().status.to_string(), "UNAVAILABLE: the server is shutting down");
  EXPECT_EQ(sessions_->counts().queued, 0);
}

/// Answers the request for a report after a client has left.
void report(FrameSocket& worker, const SessionReport& report) {
  Frame frame;
  ASSERT_TRUE(*worker.read(frame));
  ASSERT_EQ(frame.lane, static_cast<uint32_t>(Lane::kReports));
  ASSERT_TRUE(worker.write(frame.lane, encode(report)).ok());
}

TEST_F(TheSessions, OnlyASessionWithSomethingToKeepHasAGrace) {
  begin({.sessions = 3, .grace = kForever, .empty_grace = std::chrono::milliseconds(1)});
  const Session empty = open("a"), full = open("a"), busy = open("a");
  const auto go = [](const Session& session) { (*session.relay)->detach(Lane::kCalls, session.client.get()); };
  go(full);
  report(worker(1), {.buffers = 1});
  go(busy);
  report(worker(2), {.calls = 1});
  go(empty);
  report(worker(0), {});
  Frame frame;
  const StatusOr<bool> more = worker(0).read(frame);
  EXPECT_FALSE(more.ok() && *more);  // its socket is closed
  wait_for_live(2);
}

TEST_F(TheSessions, AnEmptySessionWhoseClientIsGoneGivesItsPlaceToWhoWaits) {
  begin({.sessions = 2, .grace = kForever, .empty_grace = kForever, .queue_time = kForever});
  const Session first = open(), second = open();
  (*first.relay)->detach(Lane::kCalls, first.client.get());
  report(worker(0), {});
  const Session third = open();
  ASSERT_TRUE(third.relay.ok());
  worker(2);  // waits until it has started
  (*second.relay)->detach(Lane::kCalls, second.client.get());
  const Session fourth = open();
  EXPECT_EQ(sessions_->counts().queued, 1);
  report(worker(1), {});
  worker(3);
}

TEST_F(TheSessions, MessagesThatAWorkerDoesNotTakeAreBounded) {
  begin({.message_bytes = 1 << 20});
  const Session session = open();
  const std::string large(600 << 10, 'x');  // exceeds the socket's buffer
  std::atomic<int> taken = 0;
  (*session.relay)->forward(Lane::kCalls, Pieces(large), [&] { ++taken; });
  const auto again = std::make_shared<Client>();  // the client reconnects, and sends without waiting
  ASSERT_TRUE(sessions_->attach({.session = {1, names_}, .resumes = true}, Lane::kCalls, again).ok());
  (*session.relay)->forward(Lane::kCalls, Pieces(large), [&] { ++taken; });
  EXPECT_EQ(again->closed().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(sessions_->overview()[0].message_bytes, 600 << 10);
  EXPECT_EQ(taken, 0);
}

}  // namespace
}  // namespace hilo::rpc
