// SPDX-License-Identifier: Apache-2.0
// tests/rpc/rpc_sessions.h -- a server without gRPC: sessions whose workers are threads of the test, and connections to
// it that the test can cut.
#pragma once

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "hilo/rpc/client/connection.h"
#include "hilo/rpc/server/sessions.h"
#include "hilo/rpc/worker/worker.h"

namespace hilo::tests {

class RpcSessions {
 public:
  explicit RpcSessions(rpc::WorkerOptions worker = {}, rpc::SessionLimits limits = {});
  ~RpcSessions();

  /// For rpc::make_rpc_client.
  rpc::Connect connect();
  /// Breaks all connections like a network failure: sent messages may have arrived or not.
  void cut();
  /// Ends all workers, as a crash does.
  void kill_workers();
  rpc::Sessions& sessions() { return *sessions_; }
  /// Called for each message from a client before it is forwarded; false: it is lost. Set before there is a connection.
  std::function<bool(std::string_view)> on_request = [](std::string_view) { return true; };
  /// Transforms each message to a client. Set before there is a connection.
  std::function<std::string(std::string)> on_reply = [](std::string message) { return message; };

 private:
  class Wire;
  class Cable;
  StatusOr<rpc::WorkerFiles> start_worker();

  const rpc::WorkerOptions worker_;
  std::unique_ptr<rpc::Sessions> sessions_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Wire>> wires_;
  std::vector<int> workers_;  // second descriptors of their sockets
  std::vector<std::thread> threads_;
};

}  // namespace hilo::tests
