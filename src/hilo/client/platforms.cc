// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/platforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "hilo/backend/cpu/cpu_engine.h"
#include "hilo/backend/cuda/driver.h"
#include "hilo/backend/host/host_client.h"
#include "hilo/backend/pjrt/discovery.h"
#include "hilo/backend/pjrt/probe.h"
#include "hilo/backend/reference/reference_engine.h"
#include "hilo/base/text.h"
#include "hilo/client/disk_cache.h"
#include "hilo/client/server_table.h"
#include "hilo/replica/thread_communicator.h"

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
  std::vector<Platform> all = {
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

/// Creates the entry of a plugin's platform. The plugin is tested in another process before this process opens it.
Platform of_plugin(const plugins::PluginPlatform& platform) {
  return {platform.name,
          [platform]() -> Status {
            HILO_ASSIGN_OR_RETURN(const DiskCache* const disk, disk_cache());
            if (!plugins::Plugin::is_open(platform.path))
              HILO_RETURN_IF_ERROR(plugins::probe_once(platform, disk == nullptr ? "" : disk->folder()));
            return plugins::check_plugin_client(platform);
          },
          [platform](ClientOptions options) { return plugins::make_plugin_client(platform, std::move(options)); }};
}

/// Finds a platform by name: first hilo's own and registered platforms, then plugins. The built-in entry "CUDA" comes
/// last, because it only reports that no plugin for CUDA is available.
StatusOr<Platform> find_platform(std::string_view name) {
  HILO_ASSIGN_OR_RETURN(std::vector<plugins::PluginPlatform> listed, plugins::platforms_of_flags());
  Platforms& known = platforms();
  const std::scoped_lock lock(known.mutex);
  std::vector<std::string_view> names;
  const Platform* own = nullptr;
  for (const Platform& platform : known.all) {
    if (platform.name == name) own = &platform;
    names.push_back(platform.name);
  }
  const auto is_named = [&](const plugins::PluginPlatform& plugin) {
    return ascii_lower(plugin.name) == ascii_lower(name);
  };
  const auto plugin = std::ranges::find_if(listed, is_named);
  if (plugin != listed.end() && own != nullptr && own->name != "CUDA")
    return already_exists(fmt::format("hilo_pjrt_plugins: platform {} already exists", quote(own->name)));
  if (plugin != listed.end()) {
    if (own != nullptr) plugin->name = own->name;  // "CUDA", regardless of the plugin's spelling
    return of_plugin(*plugin);
  }
  if (own != nullptr) return *own;
  if (name == "cpu") return known.all.front();  // JAX's name of the platform
  for (const plugins::PluginPlatform& other : listed) names.push_back(other.name);
  return not_found(
      fmt::format("platform {} is unknown; known: {}.{}", quote(name), join(names, ", "), did_you_mean(name, names)));
}

}  // namespace

StatusOr<std::string> check_platform(std::string_view name) {
  HILO_ASSIGN_OR_RETURN(Platform platform, find_platform(name));
  HILO_RETURN_IF_ERROR(platform.available());
  return std::move(platform.name);
}

StatusOr<ClientPtr> make_platform_client(std::string_view name, ClientOptions options) {
  HILO_ASSIGN_OR_RETURN(const Platform platform, find_platform(name));
  HILO_RETURN_IF_ERROR(platform.available());
  return platform.make(std::move(options));
}

StatusOr<ClientPtr> make_server_client(ClientOptions options) {
  HILO_ASSIGN_OR_RETURN(const ServerTable* const servers, open_companion<ServerTable>());
  return servers->make_client(std::move(options));
}

Status register_platform(Platform platform) {
  Platforms& known = platforms();
  const std::scoped_lock lock(known.mutex);
  for (const Platform& other : known.all) {
    if (other.name == platform.name)
      return Status(StatusCode::kAlreadyExists, fmt::format("platform {} already exists", quote(platform.name)));
  }
  known.all.push_back(std::move(platform));
  return ok_status();
}

}  // namespace hilo
