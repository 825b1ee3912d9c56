// SPDX-License-Identifier: Apache-2.0
#include "tests/rpc/rpc_sessions.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <deque>

#include "hilo/rpc/proto/codec.h"
#include "hilo/rpc/worker/arena.h"

namespace hilo::tests {

/// Both streams of one connection. A thread delivers the requests to the session in order, like a network.
class RpcSessions::Wire : public std::enable_shared_from_this<Wire> {
 public:
  Wire(RpcSessions& server, std::shared_ptr<rpc::Receiver> receiver)
      : server_(server), receiver_(std::move(receiver)) {}
  ~Wire() {
    if (thread_.joinable()) thread_.detach();  // the destructor runs on this thread, which has finished
  }
  /// From here on its thread owns it, until the connection ends.
  void start() {
    thread_ = std::thread([self = shared_from_this()] { self->carry(); });
  }

  void send(rpc::Lane lane, std::string message) {
    const std::scoped_lock lock(mutex_);
    if (is_cut_) return;  // a connection delivers nothing after a lost message
    messages_.push_back({lane, std::move(message)});
    changed_.notify_all();
  }
  /// Ends the connection after the messages sent so far, or immediately if `now`. Then notifies its receiver.
  void end(bool now) {
    {
      const std::scoped_lock lock(mutex_);
      if (is_cut_) return;
      is_over_ = true;
      if (now) messages_.clear();
      is_cut_ = now;
      changed_.notify_all();
    }
    if (now) receiver_->on_closed(unavailable("the wire was cut"));
  }
  void join() {
    end(false);
    if (thread_.joinable()) thread_.join();
  }

 private:
  /// The outlet for a session's replies.
  class End final : public rpc::Outlet {
   public:
    explicit End(std::shared_ptr<Wire> wire) : wire_(std::move(wire)) {}
    void deliver(rpc::Pieces message) override {
      if (const auto wire = wire_.lock(); wire != nullptr && !wire->is_cut()) wire->answer(message.whole());
    }
    void close(const Status& why) override {
      if (const auto wire = wire_.lock(); wire != nullptr && !why.ok()) wire->receiver_->on_closed(why);
    }

   private:
    const std::weak_ptr<Wire> wire_;
  };

  void answer(std::string message) { receiver_->on_message(rpc::Pieces(server_.on_reply(std::move(message)))); }
  bool is_cut() {
    const std::scoped_lock lock(mutex_);
    return is_cut_;
  }
  void carry() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_over_ || !messages_.empty(); });
      if (messages_.empty()) break;
      const auto [lane, message] = std::move(messages_.front());
      messages_.pop_front();
      lock.unlock();
      if (server_.on_request(message)) deliver(lane, message);
    }
    for (size_t i = 0; i < rpc::kLanes; ++i) {
      if (relays_[i] != nullptr) relays_[i]->detach(static_cast<rpc::Lane>(i), ends_[i].get());
    }
  }
  void deliver(rpc::Lane lane, const std::string& message) {
    const auto i = static_cast<size_t>(lane);
    if (relays_[i] == nullptr) {
      const rpc::Request request = *rpc::decode_request(message);
      ends_[i] = std::make_shared<End>(shared_from_this());
      auto relay = server_.sessions_->attach(std::get<rpc::Hello>(request.body), lane, ends_[i]);
      if (!relay.ok())
        return receiver_->on_message(rpc::encode_in_pieces(rpc::Reply{.id = 0, .status = relay.status()}));
      relays_[i] = *relay;
    }
    std::string batch;
    rpc::append_to_batch(batch, message);
    relays_[i]->forward(lane, rpc::Pieces(std::move(batch)), [] {});
  }

  RpcSessions& server_;
  const std::shared_ptr<rpc::Receiver> receiver_;
  std::mutex mutex_;
  std::condition_variable changed_;
  struct Message {
    rpc::Lane lane;
    std::string bytes;
  };
  std::deque<Message> messages_;
  bool is_over_ = false, is_cut_ = false;
  std::array<std::shared_ptr<rpc::Relay>, rpc::kLanes> relays_;
  std::array<std::shared_ptr<End>, rpc::kLanes> ends_;
  std::thread thread_;
};

class RpcSessions::Cable final : public rpc::Connection {
 public:
  explicit Cable(std::shared_ptr<Wire> wire) : wire_(std::move(wire)) {}
  ~Cable() override { wire_->end(false); }
  void send(rpc::Lane lane, const rpc::Message& message) override { wire_->send(lane, message->whole()); }
  void cut() override { wire_->end(true); }

 private:
  const std::shared_ptr<Wire> wire_;
};

RpcSessions::RpcSessions(rpc::WorkerOptions worker, rpc::SessionLimits limits)
    : worker_(std::move(worker)),
      sessions_(std::make_unique<rpc::Sessions>(limits, [this] { return start_worker(); })) {}

RpcSessions::~RpcSessions() {
  std::vector<std::weak_ptr<Wire>> wires;
  {
    const std::scoped_lock lock(mutex_);
    wires = wires_;
  }
  for (const auto& weak : wires) {
    if (const auto wire = weak.lock(); wire != nullptr) wire->join();
  }
  sessions_.reset();
  for (std::thread& thread : threads_) thread.join();
  for (const int file : workers_) ::close(file);
}

StatusOr<rpc::WorkerFiles> RpcSessions::start_worker() {
  HILO_ASSIGN_OR_RETURN(rpc::SocketPair pair, rpc::make_socket_pair());
  HILO_ASSIGN_OR_RETURN(OwnedFile arena, rpc::make_arena());
  rpc::WorkerFiles here{std::move(pair.here), OwnedFile(::dup(arena.get()))};
  const auto there = std::make_shared<rpc::WorkerFiles>(std::move(pair.there), std::move(arena));
  const std::scoped_lock lock(mutex_);
  workers_.push_back(::dup(there->socket.get()));
  threads_.emplace_back([this, there] { rpc::serve_session(std::move(*there), worker_, {}); });
  return here;
}

rpc::Connect RpcSessions::connect() {
  return [this](std::shared_ptr<rpc::Receiver> receiver) -> StatusOr<std::unique_ptr<rpc::Connection>> {
    auto wire = std::make_shared<Wire>(*this, std::move(receiver));
    wire->start();
    const std::scoped_lock lock(mutex_);
    wires_.push_back(wire);
    return std::unique_ptr<rpc::Connection>(std::make_unique<Cable>(std::move(wire)));
  };
}

void RpcSessions::cut() {
  std::vector<std::weak_ptr<Wire>> wires;
  {
    const std::scoped_lock lock(mutex_);
    wires = wires_;
  }
  for (const auto& weak : wires) {
    if (const auto wire = weak.lock(); wire != nullptr) wire->end(true);
  }
}

void RpcSessions::kill_workers() {
  const std::scoped_lock lock(mutex_);
  for (const int file : workers_) ::shutdown(file, SHUT_RDWR);
}

}  // namespace hilo::tests
