// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "hilo/backend/pjrt/call.h"
#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/base/text_hash.h"

namespace hilo::plugins {
namespace {

std::atomic<bool> after_fork{false};

/// XLA logs to stderr, unless this is set before it starts.
void set_quiet() { ::setenv("TF_CPP_MIN_LOG_LEVEL", "3", /*overwrite=*/0); }

std::string text_of(const PJRT_NamedValue& value) {
  switch (value.type) {
    case PJRT_NamedValue_kString: return {value.string_value, value.value_size};
    case PJRT_NamedValue_kInt64: return std::to_string(value.int64_value);
    case PJRT_NamedValue_kInt64List:
      return fmt::format("{}", fmt::join(std::span(value.int64_array_value, value.value_size), "."));
    case PJRT_NamedValue_kFloat: return fmt::format("{}", value.float_value);
    case PJRT_NamedValue_kBool: return value.bool_value ? "true" : "false";
  }
  return "?";
}

#define HILO_SLOT(name) std::pair(offsetof(PJRT_Api, PJRT_##name), std::string_view(#name))
/// Functions that every program needs. Other missing functions are rejected when they are called.
constexpr std::array kNeeded = {
    HILO_SLOT(Error_Destroy),
    HILO_SLOT(Error_Message),
    HILO_SLOT(Error_GetCode),
    HILO_SLOT(Plugin_Initialize),
    HILO_SLOT(Event_Destroy),
    HILO_SLOT(Event_IsReady),
    HILO_SLOT(Event_Await),
    HILO_SLOT(Event_OnReady),
    HILO_SLOT(Client_Create),
    HILO_SLOT(Client_Destroy),
    HILO_SLOT(Client_ProcessIndex),
    HILO_SLOT(Client_Devices),
    HILO_SLOT(Client_AddressableDevices),
    HILO_SLOT(Client_Compile),
    HILO_SLOT(Client_BufferFromHostBuffer),
    HILO_SLOT(DeviceDescription_Id),
    HILO_SLOT(DeviceDescription_ProcessIndex),
    HILO_SLOT(DeviceDescription_Kind),
    HILO_SLOT(Device_GetDescription),
    HILO_SLOT(Executable_Destroy),
    HILO_SLOT(Executable_NumOutputs),
    HILO_SLOT(LoadedExecutable_Destroy),
    HILO_SLOT(LoadedExecutable_GetExecutable),
    HILO_SLOT(LoadedExecutable_Execute),
    HILO_SLOT(Buffer_Destroy),
    HILO_SLOT(Buffer_ToHostBuffer),
    HILO_SLOT(Buffer_ReadyEvent),
};
#undef HILO_SLOT

}  // namespace

bool is_after_fork() { return after_fork.load(std::memory_order_relaxed); }

void forget_fork() { after_fork.store(false, std::memory_order_relaxed); }

namespace {

struct Opened {
  std::mutex mutex;
  std::map<std::string, const Plugin*> plugins;
};
Opened& opened() {
  static auto* const instance = new Opened;
  return *instance;
}

}  // namespace

bool Plugin::is_open(const std::string& path) {
  const std::scoped_lock lock(opened().mutex);
  return opened().plugins.contains(path);
}

StatusOr<const Plugin*> Plugin::open(const std::string& path) {
  const std::scoped_lock lock(opened().mutex);
  std::map<std::string, const Plugin*>& known = opened().plugins;
  if (const auto at = known.find(path); at != known.end()) return at->second;
  StatusOr<const Plugin*> plugin = open_new(path);
  if (!plugin.ok()) return plugin.status().with_context(fmt::format("plugin {}", quote(path)));
  static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { after_fork.store(true, std::memory_order_relaxed); });
  if (registered != 0) return errno_status(registered, "pthread_atfork");
  known.emplace(path, *plugin);
  return *plugin;
}

StatusOr<const Plugin*> Plugin::open_new(const std::string& path) {
  if (!file_exists(path)) return not_found("the file doesn't exist");
  set_quiet();
  // dlopen would search for a path without a slash. The plugin's own dependencies stay local.
  const std::string explicit_path = path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = ::dlopen(explicit_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed_precondition(fmt::format("it can't be opened: {}", ::dlerror()));
  const auto get_api = reinterpret_cast<PJRT_GetApi>(::dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) return failed_precondition("it isn't a PJRT plugin: it has no function GetPjrtApi");
  const PJRT_Api* const api = get_api();
  if (api == nullptr) return failed_precondition("it isn't a PJRT plugin: GetPjrtApi returns null");
  if (api->pjrt_api_version.major_version != kPjrtMajorVersion) {
    return failed_precondition(fmt::format("its PJRT is version {}.{}; wanted {}.x",
                                           api->pjrt_api_version.major_version, api->pjrt_api_version.minor_version,
                                           kPjrtMajorVersion));
  }
  std::unique_ptr<Plugin> plugin(new Plugin(path, api));
  HILO_RETURN_IF_ERROR(plugin->check_slots());
  HILO_RETURN_IF_ERROR(plugin->initialize());
  return static_cast<const Plugin*>(plugin.release());
}

bool Plugin::has_slot(size_t offset) const {
  if (offset + sizeof(void*) > api_->struct_size) return false;
  return *reinterpret_cast<void* const*>(reinterpret_cast<const std::byte*>(api_) + offset) != nullptr;
}

Status Plugin::check_slots() const {
  for (const auto& [offset, name] : kNeeded) {
    if (!has_slot(offset))
      return failed_precondition(
          fmt::format("its PJRT {} has no function PJRT_{}, which hilo needs", version_text(), name));
  }
  return ok_status();
}

Status Plugin::initialize() {
  PJRT_Plugin_Initialize_Args args{};
  HILO_RETURN_IF_ERROR(call(*this, &PJRT_Api::PJRT_Plugin_Initialize, args).with_context("Plugin_Initialize"));
  if (!has(*this, &PJRT_Api::PJRT_Plugin_Attributes)) return ok_status();
  PJRT_Plugin_Attributes_Args attributes{};
  HILO_RETURN_IF_ERROR(call(*this, &PJRT_Api::PJRT_Plugin_Attributes, attributes).with_context("Plugin_Attributes"));
  read_attributes(attributes.attributes, attributes.num_attributes);
  return ok_status();
}

void Plugin::read_attributes(const PJRT_NamedValue* values, size_t count) {
  for (const PJRT_NamedValue& value : std::span(values, count)) {
    const std::string name(value.name, value.name_size);
    attributes_.emplace_back(name, text_of(value));
    const bool is_version = value.type == PJRT_NamedValue_kInt64List && value.value_size == Version().size();
    if (name == "stablehlo_current_version" && is_version) {
      stablehlo_version_.emplace();
      std::copy_n(value.int64_array_value, stablehlo_version_->size(), stablehlo_version_->begin());
    }
  }
}

bool Plugin::is_xla() const {
  return std::ranges::any_of(attributes_, [](const auto& attribute) { return attribute.first == "xla_version"; });
}

std::string Plugin::version_text() const {
  return fmt::format("{}.{}", api_->pjrt_api_version.major_version, api_->pjrt_api_version.minor_version);
}

StatusOr<std::string> file_identity(const std::string& path) {
  constexpr std::streamoff kPart = 1 << 20;
  struct stat about = {};
  if (::stat(path.c_str(), &about) != 0) return errno_status(errno, path);
  std::ifstream file(path, std::ios::binary);
  std::string parts(2 * kPart, '\0');
  file.read(parts.data(), kPart);
  file.clear();
  file.seekg(std::max<std::streamoff>(0, about.st_size - kPart));
  file.read(parts.data() + kPart, kPart);
  return fmt::format("{} bytes, {}.{:09}, {:016x}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec,
                     TextHash()(parts));
}

}  // namespace hilo::plugins
