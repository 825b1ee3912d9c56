// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace hilo::rpc {

std::string_view Address::unix_name() const {
  constexpr size_t kHead = offsetof(sockaddr_un, sun_path);
  if (!is_unix() || size <= kHead) return "";
  return {reinterpret_cast<const sockaddr_un&>(storage).sun_path, size - kHead};
}

std::string_view unix_path(std::string_view address) {
  constexpr std::string_view kScheme = "unix:";
  return address.starts_with(kScheme) ? address.substr(kScheme.size()) : "";
}

std::string host_and_port(Address& address) {
  const std::string text = peer_text(address);
  return text.substr(text.find(':') + 1);
}

std::string peer_text(Address& address) {
  if (address.is_unix()) return "unix:";  // connecting clients have no name
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int port = ntohs(address.port());
  if (address.storage.ss_family == AF_INET6) {
    const in6_addr& host = reinterpret_cast<sockaddr_in6&>(address.storage).sin6_addr;
    if (!IN6_IS_ADDR_V4MAPPED(&host)) {
      ::inet_ntop(AF_INET6, &host, text.data(), text.size());
      return fmt::format("ipv6:[{}]:{}", text.data(), port);
    }
    ::inet_ntop(AF_INET, host.s6_addr + 12, text.data(), text.size());
  } else {
    ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in&>(address.storage).sin_addr, text.data(), text.size());
  }
  return fmt::format("ipv4:{}:{}", text.data(), port);
}

std::string unescaped(std::string_view peer) {
  std::string text(peer);
  for (const auto& [escaped, plain] : {std::pair("%5B", '['), std::pair("%5D", ']')}) {
    if (const size_t at = text.find(escaped); at != std::string::npos) text.replace(at, 3, 1, plain);
  }
  return text;
}

std::string peer_host(std::string_view peer) {
  const std::string text = unescaped(peer);
  const size_t begin = std::min(text.find(':'), text.size() - (text.empty() ? 0 : 1)) + 1;
  const size_t end = text.rfind(':');
  if (text.empty() || end == std::string::npos || end < begin) return text;
  std::string host = text.substr(begin, end - begin);
  if (host.size() < 2 || host.front() != '[' || host.back() != ']') return host;
  host = host.substr(1, host.size() - 2);
  in6_addr address{};
  std::array<char, INET6_ADDRSTRLEN> network{};
  if (::inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &address) != 1) return host;
  std::fill(address.s6_addr + 8, address.s6_addr + 16, uint8_t{0});
  ::inet_ntop(AF_INET6, &address, network.data(), network.size());
  return fmt::format("{}/64", network.data());
}

namespace {

StatusOr<Address> unix_address(std::string_view path) {
  Address address;
  auto& local = reinterpret_cast<sockaddr_un&>(address.storage);
  if (path.size() >= sizeof(local.sun_path)) {
    return invalid_argument(fmt::format("listen: the path of a Unix socket has {} bytes; wanted at most {}",
                                        path.size(), sizeof(local.sun_path) - 1));
  }
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, path.data(), path.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return address;
}

}  // namespace

StatusOr<Address> resolve(const std::string& listen) {
  if (const std::string_view path = unix_path(listen); !path.empty()) return unix_address(path);
  const size_t colon = listen.rfind(':');
  std::string host = listen.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE;
  const int error = ::getaddrinfo(host.c_str(), listen.substr(colon + 1).c_str(), &wanted, &found);
  if (error != 0) return unavailable(fmt::format("{}: {}", listen, ::gai_strerror(error)));
  Address address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  ::freeaddrinfo(found);
  return address;
}

}  // namespace hilo::rpc
