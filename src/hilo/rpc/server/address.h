// SPDX-License-Identifier: Apache-2.0
// rpc/server/address.h -- addresses of sockets, as the system has them and as gRPC writes them.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::rpc {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  /// In the order of bytes of the network. Precondition: it is one of IPv4 or IPv6.
  in_port_t& port() {
    return storage.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(storage).sin6_port
                                         : reinterpret_cast<sockaddr_in&>(storage).sin_port;
  }
};

/// "ipv4:127.0.0.1:1234", "ipv6:[::1]:1234".
std::string peer_text(Address& address);

/// gRPC escapes brackets: "ipv6:%5B::1%5D:1234".
std::string unescaped(std::string_view peer);

/// Whose a peer is: "10.0.0.7" of "ipv4:10.0.0.7:1234"; of IPv6 the network of 64 bits, of which one client has all addresses. Other
/// text up to its last colon.
std::string peer_host(std::string_view peer);

/// Where "host:port" or "[host]:port" is to be listened at.
/// Errors    UNAVAILABLE for what the system doesn't know
StatusOr<Address> resolve(const std::string& listen);

}  // namespace hilo::rpc
