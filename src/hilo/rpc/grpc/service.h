// SPDX-License-Identifier: Apache-2.0
// rpc/grpc/service.h -- the service hilo.xrt.v1.Xrt, over gRPC: streams of batches, in which nothing is looked at but who
// sent them.
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

/// Streams whose first message hasn't come. gRPC holds up to a message of each, so there are few: where there are kMostInLobby, or
/// kMostStalled of which the oldest is stalled, it is ended for the next.
class Lobby;
std::shared_ptr<Lobby> make_lobby();
inline constexpr size_t kMostInLobby = 64, kMostStalled = 16;  // stalled: for more than a second

class XrtService final
    : public xrt::v1::Xrt::WithRawCallbackMethod_Calls<
          xrt::v1::Xrt::WithRawCallbackMethod_Bytes<xrt::v1::Xrt::WithRawCallbackMethod_Watch<xrt::v1::Xrt::Service>>> {
 public:
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

  /// `tokens`: what clients name; none: nothing. `judged` is told the connection of each call, by its peer, and whether the call
  /// may go on. `overview` says how the server is.
  XrtService(Sessions& sessions, std::vector<NamedToken> tokens,
             std::function<void(const std::string& peer, bool is_known)> judged, std::function<Overview()> overview)
      : sessions_(sessions), tokens_(std::move(tokens)), judged_(std::move(judged)), overview_(std::move(overview)) {}

  Reactor* Calls(grpc::CallbackServerContext* context) override { return open(*context, Lane::kCalls); }
  Reactor* Bytes(grpc::CallbackServerContext* context) override { return open(*context, Lane::kBytes); }
  grpc::ServerUnaryReactor* Watch(grpc::CallbackServerContext* context, const grpc::ByteBuffer* asked,
                                  grpc::ByteBuffer* answer) override;

 private:
  Reactor* open(const grpc::CallbackServerContext& context, Lane lane);
  /// Whose this call is; none if it may not go on, which the door is told. A stream's connection stays a stranger's until it has a
  /// session: it sends no more than a Hello.
  std::optional<Peer> known_peer(const grpc::CallbackServerContext& context) const;

  Sessions& sessions_;
  const std::vector<NamedToken> tokens_;
  const std::function<void(const std::string& peer, bool is_known)> judged_;
  const std::function<Overview()> overview_;
  const std::shared_ptr<Lobby> lobby_ = make_lobby();
};

}  // namespace hilo::rpc
