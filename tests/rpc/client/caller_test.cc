// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/client/caller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "hilo/rpc/client/back_off.h"
#include "hilo/rpc/proto/codec.h"

namespace hilo::rpc {
namespace {

std::string greeting() { return encode(Reply{.body = HelloReply{.platform = "Host", .calls_in_flight = 64}}); }

/// The threads of connections. The destructor joins them, so it is declared after their data and before the caller.
class Threads {
 public:
  ~Threads() {
    for (std::thread& thread : threads_) thread.join();
  }
  void run(std::function<void()> function) {
    const std::scoped_lock lock(mutex_);
    threads_.emplace_back(std::move(function));
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

/// A connection that answers each request by `answer`, on its own thread.
class Scripted final : public Connection {
 public:
  using Answer = std::function<void(Receiver& receiver, const Request& request)>;
  Scripted(Threads& threads, std::shared_ptr<Receiver> receiver, Answer answer)
      : threads_(threads), receiver_(std::move(receiver)), answer_(std::move(answer)) {}
  void send(Lane, const Message& message) override {
    threads_.run([receiver = receiver_, answer = answer_, message] { answer(*receiver, *decode_request(*message)); });
  }
  void cut() override {}

 private:
  Threads& threads_;
  const std::shared_ptr<Receiver> receiver_;
  const Answer answer_;
};

bool is_hello(const Request& request) { return std::holds_alternative<Hello>(request.body); }

TEST(Caller, AConnectionThatEndsRightAfterItsGreetingIsNoConnection) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> connections = 0;
    Threads threads;
    const Connect connect = [&](std::shared_ptr<Receiver> receiver) -> StatusOr<std::unique_ptr<Connection>> {
      const int n = ++connections;
      return std::unique_ptr<Connection>(
          std::make_unique<Scripted>(threads, std::move(receiver), [n](Receiver& to, const Request& request) {
            if (n >= 3)
              return to.on_message(encode_in_pieces(Reply{.status = not_found("no such session: it has ended")}));
            if (is_hello(request)) to.on_message(Pieces(greeting()));
            if (n == 2 || !is_hello(request)) to.on_closed(unavailable("the session's worker has ended"));
          }));
    };
    const std::shared_ptr<Caller> caller = *Caller::open("rpc:here", connect, 1);
    EXPECT_EQ(caller->server().platform, "Host");
    const Status status = caller->call(Lane::kCalls, Free{}).status();  // its send ends the first connection
    EXPECT_EQ(status.to_string(),
              "UNAVAILABLE: rpc:here: no such session: it has ended; the session's objects on the server are lost");
    EXPECT_EQ(connections, 3);
    caller->close();
  }
}

TEST(Caller, AServerThatHangsUpIsTriedAFewTimes) {
  std::atomic<int> connections = 0;
  Threads threads;
  const Connect connect = [&](std::shared_ptr<Receiver> receiver) -> StatusOr<std::unique_ptr<Connection>> {
    ++connections;
    return std::unique_ptr<Connection>(std::make_unique<Scripted>(
        threads, std::move(receiver), [](Receiver& to, const Request&) { to.on_closed(ok_status()); }));
  };
  const Status status = Caller::open("rpc:here", connect, 1).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(status.message().find("rpc:here: the server closed the connection (3 tries, "), 0u) << status.to_string();
  EXPECT_EQ(connections, kFirstTries);
}

/// A clock that advances only while a thread waits.
struct FakeClock {
  std::mutex mutex;
  std::chrono::steady_clock::time_point now{};
  std::vector<std::chrono::milliseconds> pauses;

  RetryPolicy retry(std::chrono::milliseconds time, uint64_t seed) {
    return {.time = time,
            .seed = seed,
            .now =
                [this] {
                  const std::scoped_lock lock(mutex);
                  return now;
                },
            .wait =
                [this](std::chrono::milliseconds pause) {
                  const std::scoped_lock lock(mutex);
                  now += pause;
                  pauses.push_back(pause);
                }};
  }
};

/// Connections. The first accepts the Hello and breaks at the first call; `later` answers on the others.
Connect breaking_once(Threads& threads, std::atomic<int>& connections, Scripted::Answer later) {
  return [&threads, &connections, later](std::shared_ptr<Receiver> receiver) -> StatusOr<std::unique_ptr<Connection>> {
    const int n = ++connections;
    return std::unique_ptr<Connection>(
        std::make_unique<Scripted>(threads, std::move(receiver), [n, later](Receiver& to, const Request& request) {
          if (n > 1) return later(to, request);
          is_hello(request) ? to.on_message(Pieces(greeting())) : to.on_closed(unavailable("cut"));
        }));
  };
}

TEST(Caller, AServerWhoseConnectionBrokeIsTriedForATime) {
  FakeClock clock;
  std::atomic<int> connections = 0;
  Threads threads;
  const Connect connect = breaking_once(
      threads, connections, [](Receiver& to, const Request&) { to.on_closed(unavailable("nobody listens")); });
  const auto caller = *Caller::open("rpc:here", connect, 1, clock.retry(std::chrono::seconds(60), 3));
  const Status status = caller->call(Lane::kCalls, Free{}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  std::chrono::milliseconds all{0};
  BackOff wanted(3);
  for (const std::chrono::milliseconds pause : clock.pauses) {
    EXPECT_EQ(pause, wanted.next());
    all += pause;
  }
  EXPECT_GE(all, std::chrono::seconds(60));
  EXPECT_LT(all, std::chrono::seconds(60) + BackOff::kMaxDelay);
  EXPECT_EQ(connections, static_cast<int>(clock.pauses.size()) + 2);
  EXPECT_EQ(
      status.to_string(),
      fmt::format(
          "UNAVAILABLE: rpc:here: nobody listens ({} tries, {:.1f} s); the session's objects on the server are lost",
          clock.pauses.size() + 1, std::chrono::duration<double>(all).count()));
  caller->close();
}

TEST(Caller, AServerThatComesBackInTimeAnswersWhatWasAsked) {
  FakeClock clock;
  std::atomic<int> connections = 0;
  Threads threads;
  const Connect connect = breaking_once(threads, connections, [&connections](Receiver& to, const Request& request) {
    if (connections < 20) return to.on_closed(unavailable("nobody listens"));
    to.on_message(is_hello(request) ? Pieces(greeting()) : encode_in_pieces(Reply{.id = request.id}));
  });
  const auto caller = *Caller::open("rpc:here", connect, 1, clock.retry(std::chrono::seconds(60), 4));
  EXPECT_TRUE(caller->call(Lane::kCalls, Free{}).ok());
  EXPECT_EQ(connections, 20);
  EXPECT_EQ(clock.pauses.size(), 18u);
  caller->close();
}

TEST(Caller, TheEndOfTheProcessEndsItsSessions) {
  Threads threads;
  std::atomic<int> ends = 0, connections = 0;
  const Connect connect = [&](std::shared_ptr<Receiver> receiver) -> StatusOr<std::unique_ptr<Connection>> {
    ++connections;
    return std::unique_ptr<Connection>(
        std::make_unique<Scripted>(threads, std::move(receiver), [&ends](Receiver& to, const Request& request) {
          if (std::holds_alternative<End>(request.body)) ++ends;
          to.on_message(is_hello(request) ? Pieces(greeting()) : encode_in_pieces(Reply{.id = request.id}));
          if (std::holds_alternative<End>(request.body)) to.on_closed(ok_status());
        }));
  };
  const auto first = *Caller::open("rpc:here", connect, 1), second = *Caller::open("rpc:here", connect, 1);
  auto gone = *Caller::open("rpc:here", connect, 1);
  gone->close();
  while (ends < 1) std::this_thread::yield();
  gone.reset();
  end_sessions();
  EXPECT_EQ(ends, 3);
  EXPECT_EQ(first->call(Lane::kCalls, Free{}).status().code(), StatusCode::kCancelled);
  end_sessions();  // no connection is left
  EXPECT_EQ(ends, 3);
}

TEST(Caller, CloseWaitsForWhatConnects) {
  std::promise<void> connects, goes_on;
  std::atomic<bool> has_connected = false;
  std::atomic<int> connections = 0;
  Threads threads;
  const Connect first = breaking_once(threads, connections, [](Receiver&, const Request&) {});
  const Connect connect = [&](std::shared_ptr<Receiver> receiver) -> StatusOr<std::unique_ptr<Connection>> {
    if (connections == 0) return first(std::move(receiver));
    connects.set_value();
    goes_on.get_future().wait();
    has_connected = true;
    return unavailable("nobody listens");
  };
  const auto caller = *Caller::open("rpc:here", connect, 1);
  StatusCode code = StatusCode::kOk;
  caller->send(Lane::kCalls, Free{}, [&](Reply& reply) {
    code = reply.status.code();
    goes_on.set_value();
  });
  connects.get_future().wait();
  caller->close();
  EXPECT_TRUE(has_connected);
  EXPECT_EQ(code, StatusCode::kCancelled);
}

TEST(Caller, WithoutTimeAServerIsTriedOnceMore) {
  FakeClock clock;
  std::atomic<int> connections = 0;
  Threads threads;
  const Connect connect = breaking_once(
      threads, connections, [](Receiver& to, const Request&) { to.on_closed(unavailable("nobody listens")); });
  const auto caller = *Caller::open("rpc:here", connect, 1, clock.retry(std::chrono::seconds(0), 5));
  EXPECT_EQ(caller->call(Lane::kCalls, Free{}).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(connections, 2);
  caller->close();
}

}  // namespace
}  // namespace hilo::rpc
