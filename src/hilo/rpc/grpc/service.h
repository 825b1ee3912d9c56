// SPDX-License-Identifier: Apache-2.0
// rpc/grpc/service.h -- the service hilo.xrt.v1.Xrt over gRPC: streams of batches. It checks the sender but not the
// contents.
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

/// Streams whose first message hasn't arrived. gRPC buffers up to one message of each, so their number is limited. A
/// new stream replaces the oldest one if there are kMaxInLobby streams, or kMaxStalled of which the oldest is
/// stalled.
class Lobby;
std::shared_ptr<Lobby> make_lobby();
inline constexpr size_t kMaxInLobby = 64, kMaxStalled = 16;  // stalled means more than a second old

class XrtService final
    : public xrt::v1::Xrt::WithRawCallbackMethod_Calls<
          xrt::v1::Xrt::WithRawCallbackMethod_Bytes<xrt::v1::Xrt::WithRawCallbackMethod_Watch<xrt::v1::Xrt::Service>>> {
 public:
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

  /// Callbacks of a service to its server.
  struct Hooks {
    /// Called for rejected calls, and for connections that get a session.
    std::function<void(const std::string& peer, bool is_known)> judged;
    /// Called for each accepted call, and at its end.
    std::function<void(const std::string& peer)> began, ended;
    std::function<Overview()> overview;  ///< returns the server's overview
    /// Returns the name of a peer for the operator.
    std::function<std::string(const std::string& peer)> name_of;
    /// Called for rejected calls, with the cause.
    std::function<void(const Peer& peer, std::string_view cause)> refused;
  };

  /// `tokens` are the valid tokens; if empty, clients need none.
  XrtService(Sessions& sessions, std::vector<NamedToken> tokens, Hooks hooks)
      : sessions_(sessions), tokens_(std::move(tokens)), hooks_(std::move(hooks)) {}

  Reactor* Calls(grpc::CallbackServerContext* context) override { return open(*context, Lane::kCalls); }
  Reactor* Bytes(grpc::CallbackServerContext* context) override { return open(*context, Lane::kBytes); }
  grpc::ServerUnaryReactor* Watch(grpc::CallbackServerContext* context, const grpc::ByteBuffer* asked,
                                  grpc::ByteBuffer* answer) override;

 private:
  Reactor* open(const grpc::CallbackServerContext& context, Lane lane);
  /// Returns the peer of a call, or nothing if the call is rejected, which is reported to the door. A stream's
  /// connection counts as a stranger's until it has a session. An accepted call ends with hooks_.ended.
  std::optional<Peer> known_peer(const grpc::CallbackServerContext& context) const;

  Sessions& sessions_;
  const std::vector<NamedToken> tokens_;
  const Hooks hooks_;
  const std::shared_ptr<Lobby> lobby_ = make_lobby();
};

}  // namespace hilo::rpc
