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

  /// `token`: what clients name; "": nothing. `judged` is told the connection of each call, by its peer, and whether the call
  /// may go on.
  XrtService(Sessions& sessions, std::string token, std::function<void(const std::string& peer, bool is_known)> judged)
      : sessions_(sessions), token_(std::move(token)), judged_(std::move(judged)) {}

  Reactor* Calls(grpc::CallbackServerContext* context) override { return open(*context, Lane::kCalls); }
  Reactor* Bytes(grpc::CallbackServerContext* context) override { return open(*context, Lane::kBytes); }

 private:
  Reactor* open(const grpc::CallbackServerContext& context, Lane lane);
  bool is_known(const grpc::CallbackServerContext& context) const;

  Sessions& sessions_;
  const std::string token_;
  const std::function<void(const std::string& peer, bool is_known)> judged_;
};

}  // namespace hilo::rpc
