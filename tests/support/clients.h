// SPDX-License-Identifier: Apache-2.0
// tests/support/clients.h -- clients of hilo's own engines, and buffers on their devices.
#pragma once

#include "hilo/device/client.h"

namespace hilo::tests {

/// The client of an engine, shared by all tests of a program. It has kDevices devices; collectives between them use
/// threads.
inline constexpr int64_t kDevices = 16;
const ClientPtr& cpu_client();
const ClientPtr& reference_client();

/// Options for tests of kernels, loops and library functions: small programs are compiled as large ones.
inline CompileOptions without_straight_lines() {
  CompileOptions options;
  options.straight_lines = false;
  return options;
}

/// Both clients, the reference first.
std::vector<ClientPtr> engine_clients();

/// The value on a device of a client.
BufferPtr buffer_on(const Client& client, const Literal& literal, int64_t device = 0);
/// The same for an argument of run `run` of a program.
inline BufferPtr argument_of(const Executable& executable, const Literal& literal, size_t run = 0) {
  return *buffer_from_literal(*executable.devices()[run], literal);
}
/// The same of the CPU engine's client.
inline BufferPtr cpu_buffer(const Literal& literal, int64_t device = 0) {
  return buffer_on(*cpu_client(), literal, device);
}
/// The same on the default client, with the layout of `shape`.
BufferPtr default_buffer(const Literal& literal, const Shape& shape, int64_t device = 0);
inline BufferPtr default_buffer(const Literal& literal, int64_t device = 0) {
  return default_buffer(literal, literal.shape().with_default_layout(), device);
}

}  // namespace hilo::tests
