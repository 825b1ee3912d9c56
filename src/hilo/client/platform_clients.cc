// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/platform_clients.h"

#include <map>
#include <mutex>
#include <string>

#include "hilo/base/flags.h"
#include "hilo/base/text.h"
#include "hilo/client/platforms.h"
#include "hilo/client/xla_bridge.h"

namespace hilo {
namespace {

/// Clients other than the default one, by platform name in lower case.
struct Others {
  std::mutex mutex;
  std::map<std::string, ClientPtr> clients;
};
Others& others() {
  static auto* const instance = new Others;
  return *instance;
}

}  // namespace

StatusOr<ClientPtr> get_platform_client(std::string_view platform) {
  HILO_ASSIGN_OR_RETURN(ClientPtr first, get_xla_client());
  const std::string name = ascii_lower(platform);
  if (ascii_lower(first->platform_name()) == name) return first;
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const FlagValues> values, flags());
  Others& known = others();
  const std::scoped_lock lock(known.mutex);
  ClientPtr& client = known.clients[name];
  if (client == nullptr) {
    HILO_ASSIGN_OR_RETURN(client, make_platform_client(platform, {.asynchronous = values->hilo_async_dispatch}));
  }
  return client;
}

void forget_platform_clients() {
  // destroyed outside the lock, because the destruction of a client may take long
  std::map<std::string, ClientPtr> forgotten;
  {
    const std::scoped_lock lock(others().mutex);
    forgotten.swap(others().clients);
  }
}

}  // namespace hilo
