// SPDX-License-Identifier: Apache-2.0
// rpc/grpc/service.h -- the service hilo.xrt.v1.Xrt, over gRPC: streams of batches, in which nothing is looked at but who
// sent them.
#pragma once

#include <functional>
#include <string>

#include "hilo/rpc/overview.h"
#include "hilo/rpc/server/sessions.h"
#include "hilo/xrt/v1/xrt.grpc.pb.h"

namespace hilo::rpc {

class XrtService final
    : public xrt::v1::Xrt::WithRawCallbackMethod_Calls<
          xrt::v1::Xrt::WithRawCallbackMethod_Bytes<xrt::v1::Xrt::WithRawCallbackMethod_Watch<xrt::v1::Xrt::Service>>> {
 public:
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

  /// `token`: what clients name; "": nothing. `judged` is told the connection of each call, by its peer, and whether the call
  /// may go on. `overview` says how the server is.
  XrtService(Sessions& sessions, std::string token, std::function<void(const std::string& peer, bool is_known)> judged,
             std::function<Overview()> overview)
      : sessions_(sessions), token_(std::move(token)), judged_(std::move(judged)), overview_(std::move(overview)) {}

  Reactor* Calls(grpc::CallbackServerContext* context) override { return open(*context, Lane::kCalls); }
  Reactor* Bytes(grpc::CallbackServerContext* context) override { return open(*context, Lane::kBytes); }
  grpc::ServerUnaryReactor* Watch(grpc::CallbackServerContext* context, const grpc::ByteBuffer* asked,
                                  grpc::ByteBuffer* answer) override;

 private:
  Reactor* open(const grpc::CallbackServerContext& context, Lane lane);
  /// Whether this call may go on, which the door is told.
  bool lets_in(const grpc::CallbackServerContext& context) const;

  Sessions& sessions_;
  const std::string token_;
  const std::function<void(const std::string& peer, bool is_known)> judged_;
  const std::function<Overview()> overview_;
};

}  // namespace hilo::rpc
