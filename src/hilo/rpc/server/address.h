// SPDX-License-Identifier: Apache-2.0
// rpc/server/address.h -- socket addresses in the formats of the system and of gRPC.
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
  /// Returns the path of a Unix socket, or the system's name for one without a path; "" for other addresses.
  std::string_view unix_name() const;
  /// Returns the port in network byte order. Precondition: an IPv4 or IPv6 address.
  in_port_t& port() {
    return storage.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(storage).sin6_port
                                         : reinterpret_cast<sockaddr_in&>(storage).sin_port;
  }
};

/// Returns the path of "unix:/run/hilo.sock"; "" for other addresses.
std::string_view unix_path(std::string_view address);

/// Returns "127.0.0.1:1234" or "[::1]:1234". Precondition: that of port().
std::string host_and_port(Address& address);

/// Returns "ipv4:127.0.0.1:1234", "ipv6:[::1]:1234" or "unix:".
std::string peer_text(Address& address);

/// Replaces gRPC's escapes of brackets: "ipv6:%5B::1%5D:1234".
std::string unescaped(std::string_view peer);

/// Returns the host of a peer: "10.0.0.7" for "ipv4:10.0.0.7:1234". For IPv6 it is the network of 64 bits, because one
/// client has all its addresses. Other text is cut at its last colon.
std::string peer_host(std::string_view peer);

/// Resolves a listening address "host:port", "[host]:port" or "unix:/path".
/// Errors    UNAVAILABLE for an unknown host; INVALID_ARGUMENT for a path that is too long
StatusOr<Address> resolve(const std::string& listen);

}  // namespace hilo::rpc
