// SPDX-License-Identifier: Apache-2.0
// rpc/grpc/service.h -- the service hilo.xrt.v1.Xrt, over gRPC: streams of batches, in which nothing is looked at but
// who sent them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hilo/rpc/overview.h"
#include "hilo/rpc/server/sessions.h"
#include "hilo/rpc/server/tokens.h"
#include "hilo/xrt/v1/xrt.grpc.pb.h"

namespace hilo::rpc {

/// Streams whose first message hasn't come. gRPC holds up to a message of each, so there are few: where there are
/// kMostInLobby, or kMostStalled of which the oldest is stalled, it is ended for the next.
class Lobby;
std::shared_ptr<Lobby> make_lobby();
inline constexpr size_t kMostInLobby = 64, kMostStalled = 16;  // stalled: for more than a second

class XrtService final
    : public xrt::v1::Xrt::WithRawCallbackMethod_Calls<
          xrt::v1::Xrt::WithRawCallbackMethod_Bytes<xrt::v1::Xrt::WithRawCallbackMethod_Watch<xrt::v1::Xrt::Service>>> {
 public:
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

  /// What a service needs from its server.
  struct Hooks {
    /// Told of calls that don't go on, and of connections that get a session.
    std::function<void(const std::string& peer, bool is_known)> judged;
    /// Told of each call that goes on, and of its end.
    std::function<void(const std::string& peer)> began, ended;
    std::function<Overview()> overview;  ///< how the server is
    /// A peer's name for an operator.
    std::function<std::string(const std::string& peer)> name_of;
    /// Told of calls that don't go on, and why.
    std::function<void(const Peer& peer, std::string_view cause)> refused;
  };

  /// `tokens`: what clients name; none: nothing.
  XrtService(Sessions& sessions, std::vector<NamedToken> tokens, Hooks hooks)
      : sessions_(sessions), tokens_(std::move(tokens)), hooks_(std::move(hooks)) {}

  Reactor* Calls(grpc::CallbackServerContext* context) override { return open(*context, Lane::kCalls); }
  Reactor* Bytes(grpc::CallbackServerContext* context) override { return open(*context, Lane::kBytes); }
  grpc::ServerUnaryReactor* Watch(grpc::CallbackServerContext* context, const grpc::ByteBuffer* asked,
                                  grpc::ByteBuffer* answer) override;

 private:
  Reactor* open(const grpc::CallbackServerContext& context, Lane lane);
  /// Whose this call is; none if it may not go on, which the door is told. A stream's connection stays a stranger's
  /// until it has a session: it sends no more than a Hello. A call that goes on ends with hooks_.ended.
  std::optional<Peer> known_peer(const grpc::CallbackServerContext& context) const;

  Sessions& sessions_;
  const std::vector<NamedToken> tokens_;
  const Hooks hooks_;
  const std::shared_ptr<Lobby> lobby_ = make_lobby();
};

}  // namespace hilo::rpc
