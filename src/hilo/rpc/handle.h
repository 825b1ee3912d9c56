// SPDX-License-Identifier: Apache-2.0
// rpc/handle.h -- names of a session's things: 128 random bits, made by the client, so that nothing waits to be named.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace hilo::rpc {

/// Names a buffer, an executable or a session. Nobody can guess one.
struct Handle {
  uint64_t high = 0;
  uint64_t low = 0;
  auto operator<=>(const Handle&) const = default;
  /// Sixteen bytes, as messages have it.
  std::string bytes() const;
  bool is_zero() const { return high == 0 && low == 0; }
};

/// A new one, from the system's random numbers. Safe to use from several threads at once.
/// Cost    a system call
Handle random_handle();

}  // namespace hilo::rpc

template <>
struct std::hash<hilo::rpc::Handle> {
  size_t operator()(const hilo::rpc::Handle& handle) const noexcept {
    return static_cast<size_t>(handle.high ^ handle.low);  // random bits already
  }
};
