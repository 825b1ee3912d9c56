// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/metrics.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace hilo::rpc {
namespace {

/// Connects to the port, sends `request` and returns the answer. "" sends nothing and closes the connection.
std::string ask(int port, const std::string& request) {
  const OwnedFile file(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(::connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  if (request.empty()) return "";
  ::send(file.get(), request.data(), request.size(), MSG_NOSIGNAL);
  std::string reply;
  char part[512];
  for (ssize_t got = 0; (got = ::recv(file.get(), part, sizeof(part), 0)) > 0;)
    reply.append(part, static_cast<size_t>(got));
  return reply;
}

TEST(Metrics, AreLinesThatPrometheusReads) {
  const std::string text = metrics_text({.counts = {.live = 2, .begun = 5, .workers_lost = 1, .messages = 7},
                                         .connections = {.listeners = 9},
                                         .sessions = {{.report = {.live_bytes = 30}}, {.report = {.live_bytes = 12}}}});
  EXPECT_NE(text.find("\nhilo_live_bytes 42\n"), std::string::npos);
  EXPECT_TRUE(
      text.starts_with("# HELP hilo_sessions Number of sessions.\n# TYPE hilo_sessions gauge\nhilo_sessions 2\n# HELP"))
      << text;
  EXPECT_NE(text.find("\nhilo_messages_total 7\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\nhilo_listeners_total 9\n"));
}

TEST(Metrics, AreServedToThisMachineAlone) {
  const auto made = MetricsServer::start(
      "127.0.0.1:0", {.metrics = [] { return metrics_text({.counts = {.live = 3}, .connections = {}}); }});
  ASSERT_TRUE(made.ok()) << made.status().to_string();
  const int port = (*made)->port();
  EXPECT_EQ(ask(port, ""), "");
  EXPECT_TRUE(ask(port, "GET /healthz HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(ask(port, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").find("\nhilo_sessions 3\n"), std::string::npos);
  EXPECT_TRUE(ask(port, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(ask(port, "\r\n\r\n").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(ask(port, std::string(4096, 'x')).starts_with("HTTP/1.1 404"));  // the rest is not read
  EXPECT_EQ(MetricsServer::start("0.0.0.0:0", {}).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(MetricsServer::start("127.0.0.1:x", {}).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(MetricsServer::start("127.0.0.1:" + std::to_string(port), {}).ok());
}

/// A client that sends a part of a request and stays connected.
OwnedFile slow_client(int port) {
  OwnedFile file(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(::connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::send(file.get(), "GET /hea", 8, MSG_NOSIGNAL), 8);
  return file;
}

TEST(Metrics, ASlowClientKeepsNobodyWaitingAndDoesNotStopTheEnd) {
  constexpr std::chrono::hours kForever{10};
  auto made = MetricsServer::start("127.0.0.1:0", {.metrics = [] { return std::string("m"); }},
                                   {.clients = 4, .client_time = kForever});
  ASSERT_TRUE(made.ok());
  const int port = (*made)->port();
  std::vector<OwnedFile> slow;
  for (int i = 0; i < 4; ++i) slow.push_back(slow_client(port));
  EXPECT_TRUE(ask(port, "GET /healthz HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
  char byte = 0;
  EXPECT_LE(::recv(slow[0].get(), &byte, 1, 0), 0);  // the oldest connection was closed for a new one
  made->reset();                                     // returns immediately, with three slow clients left
  EXPECT_LE(::recv(slow[3].get(), &byte, 1, 0), 0);
}

TEST(Metrics, AClientHasItsTimeInAllAndNotForEachByte) {
  const auto made = MetricsServer::start("127.0.0.1:0", {.metrics = [] { return std::string("m"); }},
                                         {.client_time = std::chrono::milliseconds(20)});
  ASSERT_TRUE(made.ok());
  const OwnedFile slow = slow_client((*made)->port());
  while (::send(slow.get(), "x", 1, MSG_NOSIGNAL) == 1) std::this_thread::yield();  // it sends byte after byte
}

TEST(Metrics, HealthIsWhatItsSourceSays) {
  const auto made =
      MetricsServer::start("127.0.0.1:0", {.metrics = {}, .health = [] { return unavailable("no zygote"); }});
  ASSERT_TRUE(made.ok());
  const std::string answer = ask((*made)->port(), "GET /healthz HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nno zygote\n")) << answer;
}

}  // namespace
}  // namespace hilo::rpc
