// SPDX-License-Identifier: Apache-2.0
// rpc/grpc/service.h -- the service hilo.xrt.v1.Xrt, over gRPC: streams of batches, in which nothing is looked at but who
// sent them.
#pragma once

#include <functional>
#include <string>

#include "hilo/rpc/server/sessions.h"
#include "hilo/xrt/v1/xrt.grpc.pb.h"

namespace hilo::rpc {

class XrtService final : public xrt::v1::Xrt::WithRawCallbackMethod_Calls<
                             xrt::v1::Xrt::WithRawCallbackMethod_Bytes<xrt::v1::Xrt::Service>> {
 public:
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

  /// `token`: what clients name; "": nothing. `let_in` is told the connection of each call that may go on, by its peer.
  XrtService(Sessions& sessions, std::string token, std::function<void(const std::string& peer)> let_in)
      : sessions_(sessions), token_(std::move(token)), let_in_(std::move(let_in)) {}

  Reactor* Calls(grpc::CallbackServerContext* context) override { return open(*context, Lane::kCalls); }
  Reactor* Bytes(grpc::CallbackServerContext* context) override { return open(*context, Lane::kBytes); }

 private:
  Reactor* open(const grpc::CallbackServerContext& context, Lane lane);
  bool is_known(const grpc::CallbackServerContext& context) const;

  Sessions& sessions_;
  const std::string token_;
  const std::function<void(const std::string& peer)> let_in_;
};

}  // namespace hilo::rpc
