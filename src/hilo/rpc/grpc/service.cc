// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/grpc/service.h"

#include <fmt/format.h>
#include <grpc/grpc_security_constants.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <optional>

#include "hilo/rpc/grpc/batches.h"
#include "hilo/rpc/proto/codec.h"
#include "hilo/rpc/server/address.h"

namespace hilo::rpc {
namespace {

constexpr size_t kMaxHeaderBytes = 8 << 10;
constexpr size_t kMaxWaitingBytes = size_t{4} << 20;  // bytes of replies that a client hasn't read

/// Ends a stream.
using EndStream = std::function<void(const Status& why)>;

}  // namespace

/// Streams without a session yet. Thread-safe.
class Lobby {
 public:
  struct Waiting {
    EndStream end;  // null: already ended, and about to leave
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  };
  using Place = std::list<Waiting>::iterator;

  Place enter(EndStream end) {
    EndStream oldest;
    Place place;
    {
      const std::scoped_lock lock(mutex_);
      const size_t count = streams_.size() - left_;
      if (count >= kMaxInLobby || (count >= kMaxStalled && is_first_stalled())) oldest = leave_first();
      place = streams_.insert(streams_.end(), Waiting{std::move(end)});
    }
    if (oldest) oldest(unavailable("the stream's first message did not arrive in time"));
    return place;
  }
  /// Precondition: called once per place.
  void leave(Place place) {
    const std::scoped_lock lock(mutex_);
    if (place->end == nullptr) --left_;
    streams_.erase(place);
  }

 private:
  Place first() {
    return std::ranges::find_if(streams_, [](const Waiting& one) { return one.end != nullptr; });
  }
  bool is_first_stalled() { return std::chrono::steady_clock::now() - first()->since > std::chrono::seconds(1); }
  EndStream leave_first() {
    ++left_;
    return std::exchange(first()->end, nullptr);
  }
  std::mutex mutex_;
  std::list<Waiting> streams_;  // oldest first
  size_t left_ = 0;             // number of streams that are about to leave
};

std::shared_ptr<Lobby> make_lobby() { return std::make_shared<Lobby>(); }

namespace {

/// One stream. It owns itself until gRPC has ended it; its session shares ownership.
class Stream final : public XrtService::Reactor, public Outlet, public std::enable_shared_from_this<Stream> {
 public:
  Stream(Sessions& sessions, Lane lane, std::string connection, Peer peer, std::shared_ptr<Lobby> lobby,
         const XrtService::Hooks& hooks)
      : sessions_(sessions),
        lane_(lane),
        connection_(std::move(connection)),
        peer_(std::move(peer)),
        lobby_(std::move(lobby)),
        hooks_(hooks) {}

  void start() {
    self_ = shared_from_this();
    place_ = lobby_->enter([stream = weak_from_this()](const Status& why) {
      if (const auto self = stream.lock(); self != nullptr) self->end(why);
    });
    StartRead(&incoming_);
  }

  void deliver(Pieces message) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_over_ || waiting_.bytes() < kMaxWaitingBytes; });
    if (is_over_) return;
    waiting_.add(message);
    if (!is_writing_) write_locked();
  }
  void close(const Status& why) override {
    const std::scoped_lock lock(mutex_);
    closing_ = why;
    if (!is_writing_) finish_locked(why);
    changed_.notify_all();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return end(ok_status());
    if (relay_ == nullptr) {
      const Status status = attach(pieces_of(incoming_));
      leave_lobby();
      if (!status.ok()) return refuse(status);
      hooks_.judged(connection_, true);
    }
    relay_->forward(lane_, pieces_of(incoming_), [self = shared_from_this()] { self->read_next(); });
  }
  void OnWriteDone(bool ok) override {
    const std::scoped_lock lock(mutex_);
    is_writing_ = false;
    outgoing_.Clear();  // releases bytes that may belong to a caller
    if (!ok) finish_locked(cancelled("the client is gone"));
    else if (!waiting_.empty() && !is_over_) write_locked();
    else if (closing_) finish_locked(*closing_);
    changed_.notify_all();
  }
  void OnCancel() override { end(cancelled("the client is gone")); }
  void OnDone() override {
    leave_lobby();
    if (relay_ != nullptr) relay_->detach(lane_, this);
    hooks_.ended(connection_);
    self_.reset();
  }

 private:
  /// Handles the first message, which names the session.
  Status attach(Pieces batch) {
    if (batch.empty()) return invalid_argument("the first message of a stream must be Hello");
    HILO_ASSIGN_OR_RETURN(const Pieces message, take_from_batch(batch));
    HILO_ASSIGN_OR_RETURN(const Request request, decode_request(message));
    const auto* const hello = std::get_if<Hello>(&request.body);
    if (hello == nullptr || request.id != 0) return invalid_argument("the first message of a stream must be Hello");
    HILO_ASSIGN_OR_RETURN(relay_, sessions_.attach(*hello, lane_, shared_from_this(), peer_));
    return ok_status();
  }
  /// Ends the stream with an error, in the format of a worker's reply.
  void refuse(const Status& why) {
    hooks_.refused(peer_, why.to_string());
    Reply reply;
    reply.status = why;
    deliver(encode_in_pieces(reply));
    close(ok_status());
  }
  void leave_lobby() {
    if (place_) lobby_->leave(*std::exchange(place_, std::nullopt));
  }
  void read_next() {
    const std::scoped_lock lock(mutex_);
    if (!is_over_) StartRead(&incoming_);
  }
  void end(const Status& why) {
    const std::scoped_lock lock(mutex_);
    finish_locked(why);
    changed_.notify_all();
  }
  void write_locked() {
    is_writing_ = true;
    outgoing_ = waiting_.take();
    StartWrite(&outgoing_);
  }
  void finish_locked(const Status& why) {
    if (is_over_) return;
    is_over_ = true;
    Finish(to_grpc(why));
  }

  Sessions& sessions_;
  const Lane lane_;
  const std::string connection_;  // in gRPC's notation
  const Peer peer_;
  const std::shared_ptr<Lobby> lobby_;
  const XrtService::Hooks& hooks_;  // belongs to the service, which lives longer
  std::optional<Lobby::Place> place_;
  std::shared_ptr<Stream> self_;
  std::shared_ptr<Relay> relay_;
  grpc::ByteBuffer incoming_, outgoing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Batches waiting_;
  std::optional<Status> closing_;
  bool is_writing_ = false, is_over_ = false;
};

/// Returns "certificate NAME" for a client with a certificate.
std::string certificate_of(const grpc::CallbackServerContext& context) {
  const auto names = context.auth_context()->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
  return names.empty() ? "" : fmt::format("certificate {}", std::string(names[0].data(), names[0].size()));
}

/// Returns whether the headers exceed the limit. gRPC enforces its own limit only for clients that acknowledge it.
bool has_long_headers(const grpc::CallbackServerContext& context) {
  size_t bytes = 0;
  for (const auto& [name, value] : context.client_metadata()) bytes += name.size() + value.size();
  return bytes > kMaxHeaderBytes;
}

grpc::Status refusal() { return {grpc::StatusCode::UNAUTHENTICATED, "the token is missing or wrong"}; }

/// A stream of a client without access.
class Refusal final : public XrtService::Reactor {
 public:
  Refusal() { Finish(refusal()); }
  void OnDone() override { delete this; }
};

}  // namespace

std::optional<Peer> XrtService::known_peer(const grpc::CallbackServerContext& context) const {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find("authorization");
  const std::string_view got =
      found == metadata.end() ? std::string_view() : std::string_view(found->second.data(), found->second.size());
  const NamedToken* const token = token_named(tokens_, got);
  std::string_view refused;
  if (!tokens_.empty() && token == nullptr)
    refused = found == metadata.end() ? "the token is missing" : "the token is wrong";
  else if (has_long_headers(context)) refused = "the headers are too long";
  const std::string connection = context.peer();
  Peer peer{.token = token == nullptr ? certificate_of(context) : token->name, .name = hooks_.name_of(connection)};
  peer.host = peer_host(peer.name);
  if (refused.empty()) {
    hooks_.began(connection);  // these two calls may cut the connection
    return peer;
  }
  hooks_.refused(peer, refused);
  hooks_.judged(connection, false);
  return std::nullopt;
}

XrtService::Reactor* XrtService::open(const grpc::CallbackServerContext& context, Lane lane) {
  std::optional<Peer> peer = known_peer(context);
  if (!peer) return new Refusal;
  const auto stream = std::make_shared<Stream>(sessions_, lane, context.peer(), *std::move(peer), lobby_, hooks_);
  stream->start();
  return stream.get();
}

grpc::ServerUnaryReactor* XrtService::Watch(grpc::CallbackServerContext* context, const grpc::ByteBuffer*,
                                            grpc::ByteBuffer* answer) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  if (known_peer(*context)) {
    hooks_.judged(context->peer(), true);
    const grpc::Slice bytes(encode(hooks_.overview()));
    *answer = grpc::ByteBuffer(&bytes, 1);
    reactor->Finish(grpc::Status::OK);
    hooks_.ended(context->peer());
  } else {
    reactor->Finish(refusal());
  }
  return reactor;
}

}  // namespace hilo::rpc
