// SPDX-License-Identifier: Apache-2.0
// rpc/server/metrics.h -- how a server is, over plain HTTP on a port of its own that only this machine reaches:
// /healthz, and /metrics in the text format of Prometheus.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hilo/rpc/server/door.h"
#include "hilo/rpc/server/sessions.h"

namespace hilo::rpc {

/// What a server's gauges and counters are read from.
struct ServerNumbers {
  Sessions::Counts counts;
  Door::Counts connections;
  std::vector<SessionOverview> sessions = {};  ///< as `hilo top` shows them
  int64_t zygotes_replaced = 0;
};

/// One line a metric, with its type and help.
/// Source     the text format of Prometheus, version 0.0.4
std::string metrics_text(const ServerNumbers& numbers);

struct MetricsLimits {
  int64_t clients = 32;                         ///< at once; the oldest is cut for the next
  std::chrono::milliseconds client_time{2000};  ///< from the connection to the end of the answer
};

/// Answers all clients on one thread, which waits for none of them. Dropping it ends it at once.
class MetricsServer {
 public:
  /// What the answers are computed from, on the server's thread.
  struct Source {
    std::function<std::string()> metrics;
    std::function<Status()> health = {};  ///< /healthz is 503 with its message unless it is OK; empty: always OK
  };
  /// `address`: as ServerOptions::listen, of this machine alone.
  /// Errors    FAILED_PRECONDITION for another address; as errno_status
  static StatusOr<std::unique_ptr<MetricsServer>> start(const std::string& address, Source source,
                                                        const MetricsLimits& limits = {});
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  int port() const { return port_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    OwnedFile file;
    Clock::time_point ends;
    std::string request = {};
    std::string answer = {};  // what is left to send
    bool is_answered = false;
  };
  MetricsServer(OwnedFile listening, OwnedFile stop, int port, Source source, const MetricsLimits& limits)
      : listening_(std::move(listening)),
        stop_(std::move(stop)),
        port_(port),
        source_(std::move(source)),
        limits_(limits) {}
  void serve();
  void accept_clients();
  /// False once the client has its answer or is gone.
  bool advance(Client& client) const;
  std::string answer_to(std::string_view request) const;

  const OwnedFile listening_, stop_;
  const int port_;
  const Source source_;
  const MetricsLimits limits_;
  std::list<Client> clients_;  // the oldest first
  Clock::time_point accepts_from_{};
  std::thread thread_;
};

}  // namespace hilo::rpc
