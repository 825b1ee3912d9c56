// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/platforms.h"

#include <fmt/format.h>

#include <deque>
#include <mutex>

#include "hilo/backend/cpu/cpu_engine.h"
#include "hilo/backend/cuda/driver.h"
#include "hilo/backend/host/host_client.h"
#include "hilo/backend/reference/reference_engine.h"
#include "hilo/base/text.h"
#include "hilo/replica/thread_communicator.h"
#include "hilo/rpc/client/remote_client.h"

namespace hilo {
namespace {

StatusOr<ClientPtr> make_on_host(HostEngine& engine, ClientOptions options) {
  if (options.communicators == nullptr) options.communicators = thread_communicators;
  return make_host_client(engine, std::move(options));
}

Status check_cuda() {
  const StatusOr<int> devices = cuda::count_devices();
  if (!devices.ok()) return devices.status().with_context("platform 'CUDA' has no devices");
  return unimplemented(
      fmt::format("platform 'CUDA': the driver reports {} device{}, but this build of hilo has no CUDA", *devices,
                  *devices == 1 ? "" : "s"));
}

struct Platforms {
  std::mutex mutex;
  std::deque<Platform> all = {
      // a registered one stays where it is
      {"Host", ok_status, [](ClientOptions options) { return make_on_host(cpu_engine(), std::move(options)); }},
      {"CUDA", check_cuda, [](ClientOptions) -> StatusOr<ClientPtr> { return check_cuda(); }},
      {"Reference", ok_status,
       [](ClientOptions options) { return make_on_host(reference_engine(), std::move(options)); }},
  };
};
Platforms& platforms() {
  static auto* const instance = new Platforms;
  return *instance;
}

StatusOr<const Platform*> find_platform(std::string_view name) {
  Platforms& known = platforms();
  const std::scoped_lock lock(known.mutex);
  std::vector<std::string_view> names;
  for (const Platform& platform : known.all) {
    if (platform.name == name) return &platform;
    names.push_back(platform.name);
  }
  return not_found(
      fmt::format("platform {} is unknown; known: {}.{}", quote(name), join(names, ", "), did_you_mean(name, names)));
}

}  // namespace

Status check_platform(std::string_view name) {
  HILO_ASSIGN_OR_RETURN(const Platform* const platform, find_platform(name));
  return platform->available();
}

StatusOr<ClientPtr> make_platform_client(std::string_view name, ClientOptions options) {
  HILO_ASSIGN_OR_RETURN(const Platform* const platform, find_platform(name));
  HILO_RETURN_IF_ERROR(platform->available());
  return platform->make(std::move(options));
}

StatusOr<ClientPtr> make_server_client(ClientOptions options) { return rpc::make_remote_client(std::move(options)); }

Status register_platform(Platform platform) {
  Platforms& known = platforms();
  const std::scoped_lock lock(known.mutex);
  for (const Platform& other : known.all) {
    if (other.name == platform.name)
      return Status(StatusCode::kAlreadyExists, fmt::format("platform {} is there already", quote(platform.name)));
  }
  known.all.push_back(std::move(platform));
  return ok_status();
}

}  // namespace hilo
