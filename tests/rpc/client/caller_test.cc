// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/client/caller.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "hilo/rpc/proto/codec.h"

namespace hilo::rpc {
namespace {

std::string greeting() { return encode(Reply{.body = HelloReply{.platform = "Host", .calls_in_flight = 64}}); }

/// A connection that answers each request as `answer` says, on a thread of its own.
class Scripted final : public Connection {
 public:
  using Answer = std::function<void(Receiver& receiver, const Request& request)>;
  Scripted(std::shared_ptr<Receiver> receiver, Answer answer)
      : receiver_(std::move(receiver)), answer_(std::move(answer)) {}
  ~Scripted() override {
    for (std::thread& thread : threads_) thread.detach();  // one of them may drop this
  }
  void send(Lane, const Message& message) override {
    threads_.emplace_back(
        [receiver = receiver_, answer = answer_, message] { answer(*receiver, *decode_request(*message)); });
  }

 private:
  const std::shared_ptr<Receiver> receiver_;
  const Answer answer_;
  std::vector<std::thread> threads_;
};

bool is_hello(const Request& request) { return std::holds_alternative<Hello>(request.body); }

TEST(Caller, AConnectionThatEndsRightAfterItsGreetingIsNoConnection) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> connections = 0;
    const Connect connect = [&](std::shared_ptr<Receiver> receiver) -> StatusOr<std::unique_ptr<Connection>> {
      const int n = ++connections;
      return std::unique_ptr<Connection>(
          std::make_unique<Scripted>(std::move(receiver), [n](Receiver& to, const Request& request) {
            if (n >= 3) return to.on_message(encode(Reply{.status = not_found("no such session: it has ended")}));
            if (is_hello(request)) to.on_message(greeting());
            if (n == 2 || !is_hello(request)) to.on_closed(unavailable("the session's worker has ended"));
          }));
    };
    const std::shared_ptr<Caller> caller = *Caller::open("rpc:here", connect, 1);
    EXPECT_EQ(caller->server().platform, "Host");
    const Status status = caller->call(Lane::kCalls, Free{}).status();  // whose sending ends the first one
    EXPECT_EQ(status.to_string(),
              "UNAVAILABLE: rpc:here: no such session: it has ended; what the session had on the server is gone");
    EXPECT_EQ(connections, 3);
    caller->close();
  }
}

TEST(Caller, AServerThatHangsUpIsTriedAFewTimes) {
  std::atomic<int> connections = 0;
  const Connect connect = [&](std::shared_ptr<Receiver> receiver) -> StatusOr<std::unique_ptr<Connection>> {
    ++connections;
    return std::unique_ptr<Connection>(std::make_unique<Scripted>(
        std::move(receiver), [](Receiver& to, const Request&) { to.on_closed(ok_status()); }));
  };
  const Status status = Caller::open("rpc:here", connect, 1).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(status.message().find("rpc:here: the server hung up (3 tries, "), 0u) << status.to_string();
  EXPECT_EQ(connections, kFirstTries);
}

}  // namespace
}  // namespace hilo::rpc
