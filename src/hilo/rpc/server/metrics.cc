// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/metrics.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <system_error>

#include "hilo/base/files.h"
#include "hilo/base/signals_blocked.h"
#include "hilo/base/text.h"
#include "hilo/rpc/server/server_options.h"

namespace hilo::rpc {
namespace {

constexpr size_t kMostRequestBytes = 4096;
constexpr std::chrono::milliseconds kPause{50};  // while the system has no file descriptors
constexpr int kWaiting = 8;                      // connections that the system keeps meanwhile

/// "127.0.0.1:80" as the system has it.
StatusOr<sockaddr_in> socket_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  const std::optional<int64_t> port = colon == std::string::npos ? std::nullopt : parse_int64(text.substr(colon + 1));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  const bool fits = port && *port >= 0 && *port <= 65535 &&
                    ::inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr) == 1;
  if (!fits) return invalid_argument(fmt::format("metrics: got {}; wanted 127.0.0.1:port", quote(text)));
  address.sin_port = htons(static_cast<uint16_t>(*port));
  return address;
}

std::string reply_text(std::string_view status, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      status, body.size(), body);
}

}  // namespace

std::string metrics_text(const Sessions::Counts& counts, const Door::Counts& connections) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help, int64_t value) {
    text += fmt::format("# HELP hilo_{0} {1}\n# TYPE hilo_{0} {2}\nhilo_{0} {3}\n", name, help, type, value);
  };
  add("sessions", "gauge", "Sessions that there are.", counts.live);
  add("sessions_total", "counter", "Sessions that have begun.", counts.begun);
  add("workers_lost_total", "counter", "Sessions whose worker ended before their client.", counts.workers_lost);
  add("messages_total", "counter", "Replies of workers.", counts.messages);
  add("connections", "gauge", "Connections that there are.", connections.connections);
  add("connections_total", "counter", "Connections that were taken.", connections.taken);
  add("connections_cut_total", "counter", "Connections that were cut before a call was let in.", connections.cut);
  add("listeners_total", "counter", "How often the server began to listen.", connections.listeners);
  return text;
}

StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::start(const std::string& address,
                                                              std::function<std::string()> metrics) {
  if (!is_loopback(address))
    return failed_precondition(fmt::format("metrics: others reach {}. Hint: 127.0.0.1:port", quote(address)));
  HILO_ASSIGN_OR_RETURN(sockaddr_in where, socket_address(address));
  OwnedFile listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  socklen_t size = sizeof(where);
  auto* const any = reinterpret_cast<sockaddr*>(&where);
  const bool listens = listening.get() >= 0 && ::bind(listening.get(), any, size) == 0 &&
                       ::listen(listening.get(), kWaiting) == 0 && ::getsockname(listening.get(), any, &size) == 0;
  if (!listens) return errno_status(errno, "metrics at " + address);
  std::unique_ptr<MetricsServer> server(
      new MetricsServer(std::move(listening), ntohs(where.sin_port), std::move(metrics)));
  const SignalsBlocked blocked;
  try {
    server->thread_ = std::thread([all = server.get()] { all->serve(); });
  } catch (const std::system_error&) {
    return resource_exhausted("no thread can be had for metrics");
  }
  return server;
}

MetricsServer::~MetricsServer() {
  ::shutdown(listening_.get(), SHUT_RDWR);  // wakes accept()
  if (thread_.joinable()) thread_.join();
}

void MetricsServer::serve() {
  for (;;) {
    const OwnedFile client(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client.get() >= 0) answer(client.get());
    else if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(kPause);
    else if (errno != EINTR && errno != ECONNABORTED) return;
  }
}

void MetricsServer::answer(int client) const {
  const timeval second{.tv_sec = 1, .tv_usec = 0};
  ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
  ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second));
  std::string request(kMostRequestBytes, '\0');
  size_t size = 0;
  while (request.find("\r\n\r\n") == std::string::npos && size < request.size()) {
    const ssize_t got = ::recv(client, request.data() + size, request.size() - size, 0);
    if (got <= 0) return;
    size += static_cast<size_t>(got);
  }
  const std::string_view line = std::string_view(request).substr(0, request.find("\r\n"));
  std::string reply = reply_text("404 Not Found", "There are /healthz and /metrics.\n");
  if (line.starts_with("GET /healthz ")) reply = reply_text("200 OK", "ok\n");
  if (line.starts_with("GET /metrics ")) reply = reply_text("200 OK", metrics_());
  static_cast<void>(::send(client, reply.data(), reply.size(), MSG_NOSIGNAL));
}

}  // namespace hilo::rpc
