// SPDX-License-Identifier: Apache-2.0
// rpc/handle.h -- names of a session's objects: 128 random bits. Clients create them, so that they need not wait for
// the server.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace hilo::rpc {

/// The unguessable name of a buffer, an executable or a session.
struct Handle {
  uint64_t high = 0;
  uint64_t low = 0;
  auto operator<=>(const Handle&) const = default;
  /// Returns the sixteen bytes that messages contain.
  std::string bytes() const;
  bool is_zero() const { return high == 0 && low == 0; }
};

/// Returns a new handle from the system's random numbers. Thread-safe.
/// Cost      a system call
Handle random_handle();

}  // namespace hilo::rpc

template <>
struct std::hash<hilo::rpc::Handle> {
  size_t operator()(const hilo::rpc::Handle& handle) const noexcept {
    return static_cast<size_t>(handle.high ^ handle.low);  // the bits are already random
  }
};
