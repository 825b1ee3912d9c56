// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/metrics.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "hilo/base/files.h"
#include "hilo/base/start_thread.h"
#include "hilo/base/text.h"
#include "hilo/rpc/server/server_options.h"

namespace hilo::rpc {
namespace {

constexpr size_t kMaxRequestBytes = 4096;
constexpr std::chrono::milliseconds kMetricsPause{50};  // delay while there are no file descriptors
constexpr int kMetricsWaiting = 8;                      // backlog of the listener

/// Parses "127.0.0.1:80".
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

std::string metrics_text(const ServerNumbers& numbers) {
  const Sessions::Counts& counts = numbers.counts;
  const Door::Counts& connections = numbers.connections;
  SessionReport sums;
  int64_t message_bytes = 0;
  for (const SessionOverview& session : numbers.sessions) {
    sums.calls += session.report.calls;
    sums.buffers += session.report.buffers;
    sums.live_bytes += session.report.live_bytes;
    sums.executables += session.report.executables;
    sums.memory_bytes += session.report.memory_bytes;
    message_bytes += session.message_bytes;
  }
  std::string text;
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help, int64_t value) {
    text += fmt::format("# HELP hilo_{0} {1}\n# TYPE hilo_{0} {2}\nhilo_{0} {3}\n", name, help, type, value);
  };
  add("sessions", "gauge", "Number of sessions.", counts.live);
  add("sessions_queued", "gauge", "Clients that wait for a session.", counts.queued);
  add("sessions_total", "counter", "Sessions that have begun.", counts.begun);
  add("workers_lost_total", "counter", "Sessions whose worker ended before their client did.", counts.workers_lost);
  add("messages_total", "counter", "Replies of workers.", counts.messages);
  add("calls", "gauge", "Calls in progress, by the last reports of sessions.", sums.calls);
  add("arrays", "gauge", "Arrays of sessions.", sums.buffers);
  add("live_bytes", "gauge", "Bytes that sessions hold: arrays, programs, runs, replies.", sums.live_bytes);
  add("programs", "gauge", "Compiled programs of sessions.", sums.executables);
  add("worker_memory_bytes", "gauge", "Resident memory of the workers in bytes.", sums.memory_bytes);
  add("message_bytes", "gauge", "Bytes of messages that the server queues for workers.", message_bytes);
  add("connections", "gauge", "Number of connections.", connections.connections);
  add("connections_total", "counter", "Connections that were accepted.", connections.taken);
  add("connections_cut_total", "counter", "Connections that were cut without an accepted call.", connections.cut);
  add("zygotes_replaced_total", "counter", "Replacements of the process that starts workers.",
      numbers.zygotes_replaced);
  add("listeners_total", "counter", "Number of times that the server began to listen.", connections.listeners);
  return text;
}

StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::start(const std::string& address, Source source,
                                                              const MetricsLimits& limits) {
  if (!is_loopback(address))
    return failed_precondition(
        fmt::format("metrics: other machines can reach {}. Hint: 127.0.0.1:port", quote(address)));
  HILO_ASSIGN_OR_RETURN(sockaddr_in where, socket_address(address));
  OwnedFile listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  socklen_t size = sizeof(where);
  auto* const any = reinterpret_cast<sockaddr*>(&where);
  const bool listens = listening.get() >= 0 && ::bind(listening.get(), any, size) == 0 &&
                       ::listen(listening.get(), kMetricsWaiting) == 0 &&
                       ::getsockname(listening.get(), any, &size) == 0;
  if (!listens) return errno_status(errno, "metrics at " + address);
  OwnedFile stop(::eventfd(0, EFD_CLOEXEC));
  if (stop.get() < 0) return errno_status(errno, "eventfd");
  std::unique_ptr<MetricsServer> server(
      new MetricsServer(std::move(listening), std::move(stop), ntohs(where.sin_port), std::move(source), limits));
  HILO_ASSIGN_OR_RETURN(server->thread_, start_thread("for metrics", [all = server.get()] { all->serve(); }));
  return server;
}

MetricsServer::~MetricsServer() {
  const uint64_t one = 1;
  static_cast<void>(::write(stop_.get(), &one, sizeof(one)) < 0);
  if (thread_.joinable()) thread_.join();
}

void MetricsServer::serve() {
  for (;;) {
    const Clock::time_point now = Clock::now();
    const bool accepts = now >= accepts_from_;
    Clock::time_point next = accepts ? Clock::time_point::max() : accepts_from_;
    std::vector<pollfd> files = {{.fd = stop_.get(), .events = POLLIN, .revents = 0},
                                 {.fd = accepts ? listening_.get() : -1, .events = POLLIN, .revents = 0}};
    for (const Client& client : clients_) {
      next = std::min(next, client.ends);
      const short wanted = client.is_answered ? POLLOUT : POLLIN;
      files.push_back({.fd = client.file.get(), .events = wanted, .revents = 0});
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
    const int wait = next == Clock::time_point::max() ? -1 : static_cast<int>(std::max<int64_t>(left, 0));
    if (::poll(files.data(), files.size(), wait) < 0 && errno != EINTR) return;
    if (files[0].revents != 0) return;
    size_t i = 2;
    const Clock::time_point then = Clock::now();
    std::erase_if(clients_, [&](Client& client) {
      const bool is_ready = files[i++].revents != 0;
      return then >= client.ends || (is_ready && !advance(client));
    });
    if (files[1].revents != 0) accept_clients();
  }
}

void MetricsServer::accept_clients() {
  for (;;) {
    OwnedFile file(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (file.get() < 0) {
      if (errno == EMFILE || errno == ENFILE) accepts_from_ = Clock::now() + kMetricsPause;
      return;
    }
    if (std::ssize(clients_) >= limits_.clients) clients_.pop_front();
    clients_.push_back({.file = std::move(file), .ends = Clock::now() + limits_.client_time});
  }
}

bool MetricsServer::advance(Client& client) const {
  while (!client.is_answered) {
    char part[kMaxRequestBytes];
    const ssize_t got = ::recv(client.file.get(), part, kMaxRequestBytes - client.request.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 && errno == EAGAIN;
    client.request.append(part, got);
    if (client.request.find("\r\n\r\n") == std::string::npos && client.request.size() < kMaxRequestBytes) continue;
    client.answer = answer_to(client.request);
    client.is_answered = true;
  }
  while (!client.answer.empty()) {
    const ssize_t sent = ::send(client.file.get(), client.answer.data(), client.answer.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN;
    client.answer.erase(0, sent);
  }
  return false;
}

std::string MetricsServer::answer_to(std::string_view request) const {
  const std::string_view line = request.substr(0, request.find("\r\n"));
  if (line.starts_with("GET /metrics ")) return reply_text("200 OK", source_.metrics());
  if (!line.starts_with("GET /healthz "))
    return reply_text("404 Not Found", "Available paths: /healthz and /metrics.\n");
  const Status health = source_.health ? source_.health() : ok_status();
  if (health.ok()) return reply_text("200 OK", "ok\n");
  return reply_text("503 Service Unavailable", fmt::format("{}\n", health.message()));
}

}  // namespace hilo::rpc
