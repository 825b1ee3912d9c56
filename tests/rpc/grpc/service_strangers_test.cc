// SPDX-License-Identifier: Apache-2.0
// Input from clients without a session: hand-written HTTP/2 frames to a loopback server.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

#include "hilo/rpc/server/server.h"

namespace hilo::rpc {
namespace {

std::string frame(uint8_t type, uint8_t flags, uint8_t stream, const std::string& payload) {
  std::string text;
  for (const int shift : {16, 8, 0}) text += static_cast<char>(payload.size() >> shift & 0xff);
  return text + static_cast<char>(type) + static_cast<char>(flags) + std::string(3, '\0') + static_cast<char>(stream) +
         payload;
}
/// A header field without Huffman coding and without an index.
std::string field(const std::string& name, const std::string& value) {
  return std::string(1, '\0') + static_cast<char>(name.size()) + name + static_cast<char>(value.size()) + value;
}

/// The server's output for a message, until it ends the stream or the connection.
std::string answer_to(const OwnedFile& file, int port, const std::string& method, const std::string& encoding,
                      const std::string& message = std::string("\1\0\0\0\4junk", 9)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(::connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  constexpr uint8_t kData = 0, kHeaders = 1, kSettings = 4, kEndStream = 1, kEndHeaders = 4;
  const std::string headers = field(":method", "POST") + field(":scheme", "http") + field(":path", method) +
                              field(":authority", "here") + field("te", "trailers") +
                              field("content-type", "application/grpc") + field("grpc-encoding", encoding);
  const std::string all = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(kSettings, 0, 0, "") +
                          frame(kHeaders, kEndHeaders, 1, headers) + frame(kData, kEndStream, 1, message);
  EXPECT_EQ(::send(file.get(), all.data(), all.size(), MSG_NOSIGNAL), std::ssize(all));
  std::string got;
  char part[4096];
  while (got.find("grpc-status") == std::string::npos) {
    const ssize_t size = ::recv(file.get(), part, sizeof(part), 0);
    if (size <= 0) break;
    got.append(part, static_cast<size_t>(size));
  }
  return got;
}

TEST(Strangers, AMessageThatIsCompressedIsRejectedAndNotInflated) {
  const auto server = start_server({.listen = "127.0.0.1:0"}, [] { return unavailable("no worker"); });
  ASSERT_TRUE(server.ok()) << server.status().to_string();
  for (const char* const method :
       {"/hilo.xrt.v1.Xrt/Calls", "/hilo.xrt.v1.Xrt/Bytes", "/hilo.xrt.v1.Xrt/Watch", "/grpc.health.v1.Health/Check"}) {
    for (const std::string encoding : {"gzip", "deflate"}) {
      const OwnedFile file(::socket(AF_INET, SOCK_STREAM, 0));
      const std::string answer = answer_to(file, (*server)->port(), method, encoding);
      EXPECT_NE(answer.find(encoding + "' is disabled"), std::string::npos)
          << method << " " << encoding << " " << answer;
    }
  }
}

TEST(Strangers, AConnectionWithoutASessionStaysAStrangers) {
  const auto server = start_server({.listen = "127.0.0.1:0", .is_open = true}, [] { return unavailable("no worker"); });
  ASSERT_TRUE(server.ok()) << server.status().to_string();
  const OwnedFile file(::socket(AF_INET, SOCK_STREAM, 0));
  answer_to(file, (*server)->port(), "/hilo.xrt.v1.Xrt/Calls", "identity", std::string(5, '\0'));  // without a Hello
  EXPECT_EQ((*server)->connections().strangers, 1);  // whose limit is 64 KiB
  const OwnedFile watcher(::socket(AF_INET, SOCK_STREAM, 0));
  answer_to(watcher, (*server)->port(), "/hilo.xrt.v1.Xrt/Watch", "identity", std::string(5, '\0'));
  EXPECT_EQ((*server)->connections().connections, 2);
  EXPECT_EQ((*server)->connections().strangers, 1);
}

}  // namespace
}  // namespace hilo::rpc
