// SPDX-License-Identifier: Apache-2.0
// rpc/server/metrics.h -- how a server is, over plain HTTP on a port of its own that only this machine reaches: /healthz, and
// /metrics in the text format of Prometheus.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "hilo/rpc/server/door.h"
#include "hilo/rpc/server/sessions.h"

namespace hilo::rpc {

/// One line a metric, with its type and help.
/// Source     the text format of Prometheus, version 0.0.4
std::string metrics_text(const Sessions::Counts& counts, const Door::Counts& connections);

/// Answers one client after the other; a slow one is left after a second. Dropping it ends it.
class MetricsServer {
 public:
  /// `address`: as ServerOptions::listen, of this machine alone.
  /// Errors    FAILED_PRECONDITION for another address; as errno_status
  static StatusOr<std::unique_ptr<MetricsServer>> start(const std::string& address,
                                                        std::function<std::string()> metrics);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  int port() const { return port_; }

 private:
  MetricsServer(OwnedFile listening, int port, std::function<std::string()> metrics)
      : listening_(std::move(listening)), port_(port), metrics_(std::move(metrics)) {}
  void serve();
  void answer(int client) const;

  const OwnedFile listening_;
  const int port_;
  const std::function<std::string()> metrics_;
  std::thread thread_;
};

}  // namespace hilo::rpc
