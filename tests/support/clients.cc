// SPDX-License-Identifier: Apache-2.0
#include "tests/support/clients.h"

#include <cstdlib>

#include "hilo/client/platforms.h"
#include "hilo/client/xla_bridge.h"

namespace hilo::tests {
namespace {

/// Tests compile their programs, so they must not read a disk cache of an earlier run.
const int kNoDiskCache = ::setenv("HILO_CACHE", "off", 0);

ClientPtr* make_client(std::string_view platform) {
  return new ClientPtr(*make_platform_client(platform, {.replica_count = kDevices}));
}

}  // namespace

const ClientPtr& cpu_client() {
  static const ClientPtr* const client = make_client("Host");
  return *client;
}

const ClientPtr& reference_client() {
  static const ClientPtr* const client = make_client("Reference");
  return *client;
}

std::vector<ClientPtr> engine_clients() { return {reference_client(), cpu_client()}; }

BufferPtr buffer_on(const Client& client, const Literal& literal, int64_t device) {
  return *buffer_from_literal(**client.local_device(device), literal);
}

BufferPtr default_buffer(const Literal& literal, const Shape& shape, int64_t device) {
  return *buffer_from_literal(**(*get_xla_client())->local_device(device), literal, shape);
}

}  // namespace hilo::tests
