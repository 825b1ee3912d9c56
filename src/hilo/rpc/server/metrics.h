// SPDX-License-Identifier: Apache-2.0
// rpc/server/metrics.h -- the state of a server over plain HTTP on a separate loopback port: /healthz, and /metrics in
// the text format of Prometheus.
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

/// The values of a server's gauges and counters.
struct ServerNumbers {
  Sessions::Counts counts;
  Door::Counts connections;
  std::vector<SessionOverview> sessions = {};  ///< as in `hilo top`
  int64_t zygotes_replaced = 0;
};

/// Returns one line per metric, with type and help.
/// Source    the text format of Prometheus, version 0.0.4
std::string metrics_text(const ServerNumbers& numbers);

struct MetricsLimits {
  int64_t clients = 32;                         ///< maximum number of connections; a new one replaces the oldest
  std::chrono::milliseconds client_time{2000};  ///< timeout from the connection to the end of the answer
};

/// Answers all clients on one thread that doesn't block for any of them. The destructor stops it at once.
class MetricsServer {
 public:
  /// Functions that compute the answers, on the server's thread.
  struct Source {
    std::function<std::string()> metrics;
    /// If it returns an error, /healthz is 503 with the message. Empty means always OK.
    std::function<Status()> health = {};
  };
  /// Starts a server. `address` has the form of ServerOptions::listen and must be a loopback address.
  /// Errors    FAILED_PRECONDITION for another address; those of errno_status
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
    std::string answer = {};  // rest of the answer
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
  /// Continues with a client. Returns false once it has its answer or has disconnected.
  bool advance(Client& client) const;
  std::string answer_to(std::string_view request) const;

  const OwnedFile listening_, stop_;
  const int port_;
  const Source source_;
  const MetricsLimits limits_;
  std::list<Client> clients_;  // oldest first
  Clock::time_point accepts_from_{};
  std::thread thread_;
};

}  // namespace hilo::rpc
