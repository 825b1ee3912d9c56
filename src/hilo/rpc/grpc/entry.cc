// SPDX-License-Identifier: Apache-2.0
// The table of libhilo_grpc.so for libhilo_rpc.so.
#include <grpc/support/log.h>

#include "hilo/base/log.h"
#include "hilo/rpc/grpc/channel.h"
#include "hilo/rpc/grpc/grpc_server.h"
#include "hilo/version.h"

namespace hilo::rpc {
namespace {

/// Silences gRPC's log, unless the user requests it. Calls report errors by their status.
void keep_quiet() {
  static const bool once = [] {
    ::gpr_set_log_function([](gpr_log_func_args* line) { log_debug("gRPC: {}", line->message); });
    return true;
  }();
  static_cast<void>(once);
}

StatusOr<std::unique_ptr<Connection>> connect(const ChannelOptions& options, std::shared_ptr<Receiver> receiver) {
  keep_quiet();
  return connect_grpc(options, std::move(receiver));
}

StatusOr<std::unique_ptr<Server>> serve(const ServerOptions& options, StartWorker start_worker) {
  keep_quiet();
  return serve_grpc(options, std::move(start_worker));
}

StatusOr<AskOverview> watch(const ChannelOptions& options) {
  keep_quiet();
  return watch_grpc(options);
}

}  // namespace
}  // namespace hilo::rpc

/// The version of the headers that this library was built with.
extern "C" __attribute__((visibility("default")))
const hilo::rpc::GrpcTable hilo_grpc = {{HILO_VERSION_STRING}, hilo::rpc::connect, hilo::rpc::serve, hilo::rpc::watch};
