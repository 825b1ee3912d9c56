// SPDX-License-Identifier: Apache-2.0
// rpc/server/address.h -- addresses of sockets, as the system has them and as gRPC writes them.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::rpc {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  bool is_unix() const { return storage.ss_family == AF_UNIX; }
  /// The path of a Unix socket, or what the system calls one without; "" for other addresses.
  std::string_view unix_name() const;
  /// In the order of bytes of the network. Precondition: it is one of IPv4 or IPv6.
  in_port_t& port() {
    return storage.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(storage).sin6_port
                                         : reinterpret_cast<sockaddr_in&>(storage).sin_port;
  }
};

/// The path of "unix:/run/hilo.sock"; "" for other addresses.
std::string_view unix_path(std::string_view address);

/// "127.0.0.1:1234", "[::1]:1234". Precondition: as of port()
std::string host_and_port(Address& address);

/// "ipv4:127.0.0.1:1234", "ipv6:[::1]:1234", "unix:".
std::string peer_text(Address& address);

/// gRPC escapes brackets: "ipv6:%5B::1%5D:1234".
std::string unescaped(std::string_view peer);

/// Whose a peer is: "10.0.0.7" of "ipv4:10.0.0.7:1234"; of IPv6 the network of 64 bits, of which one client has all
/// addresses. Other text up to its last colon.
std::string peer_host(std::string_view peer);

/// Where "host:port", "[host]:port" or "unix:/path" is to be listened at.
/// Errors    UNAVAILABLE for what the system doesn't know; INVALID_ARGUMENT for a path that is too long
StatusOr<Address> resolve(const std::string& listen);

}  // namespace hilo::rpc
