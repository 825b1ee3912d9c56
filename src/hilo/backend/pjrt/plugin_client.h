// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/plugin_client.h -- a client whose devices are those of another vendor's plugin.
#pragma once

#include <compare>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "hilo/backend/pjrt/events.h"
#include "hilo/backend/pjrt/plugin.h"
#include "hilo/device/client.h"

namespace hilo::plugins {

/// A creation option of a plugin's client; the plugin defines the names.
using OptionValue = std::variant<bool, int64_t, float, std::string, std::vector<int64_t>>;
/// Prints an option: "true", "8", "0.5", "bfc", "[0, 1]".
std::string option_text(const OptionValue& value);
using CreateOptions = std::vector<std::pair<std::string, OptionValue>>;

/// The format in which programs are passed to a plugin.
enum class ProgramFormat : uint8_t { kHlo, kStablehlo };

/// A platform of a plugin.
struct PluginPlatform {
  std::string name;  ///< its name in flags: "CUDA"
  std::string path;
  CreateOptions options = {};
  std::optional<ProgramFormat> format = {};  ///< nullopt: HLO for XLA's plugins, StableHLO for others

  friend auto operator<=>(const PluginPlatform&, const PluginPlatform&) = default;
};

/// Checks that a client can be created, by creating one. The next make_plugin_client() of the platform returns it.
/// Errors    those of make_plugin_client
Status check_plugin_client(const PluginPlatform& platform);

/// Opens the plugin, if it isn't open, and creates a client.
/// Errors    those of Plugin::open and of the plugin; NOT_FOUND if it has no device here; INVALID_ARGUMENT if it has
/// fewer
///           devices than ClientOptions::replica_count
StatusOr<ClientPtr> make_plugin_client(const PluginPlatform& platform, ClientOptions options);

/// A program as bytes, and the plugin's name of their format.
struct OutgoingProgram {
  std::string_view format;
  std::string code;
};

/// Destroys a plugin's executable.
struct DestroyExecutable {
  const Plugin* plugin;
  void operator()(PJRT_LoadedExecutable* executable) const;
};
using RawExecutable = std::unique_ptr<PJRT_LoadedExecutable, DestroyExecutable>;

class PluginClient final : public Client {
 public:
  /// Use make_plugin_client().
  PluginClient(const Plugin& plugin, PluginPlatform platform, PJRT_Client* client, ClientOptions options);
  ~PluginClient() override;

  std::string_view platform_name() const override { return platform_.name; }
  int process_index() const override { return process_index_; }
  StatusOr<std::unique_ptr<Executable>> compile(const hlo::Module& module, const CompileOptions& options,
                                                hlo::PassObserver* observer) override;
  StatusOr<std::unique_ptr<Executable>> load(std::string_view bytes) override;

  const Plugin& plugin() const { return plugin_; }
  PJRT_Client* raw() const { return client_; }
  /// Returns the format in which the program is passed, unless flags set it.
  ProgramFormat format_of(const hlo::Module& program) const;
  /// Returns the callbacks that the plugin has yet to run.
  Pending& pending() { return *pending_; }
  /// Locked while a program on several devices starts, so that two programs reach all devices in the same order.
  std::mutex& launch_mutex() { return launch_mutex_; }
  /// Returns an identification of the plugin and devices that a compiled program is for.
  StatusOr<std::string> identity() const;

  /// As Client::devices_for.
  StatusOr<std::vector<DevicePtr>> devices_of(const std::string& name, int64_t replica_count) const {
    return devices_for(name, {}, replica_count);
  }
  /// Called once, by make_plugin_client().
  Status add_devices();

 private:
  void destroy_elsewhere();
  /// Errors    the plugin's, unchanged
  StatusOr<RawExecutable> compile_outgoing(const OutgoingProgram& outgoing, const std::string& options) const;
  StatusOr<std::unique_ptr<Executable>> compile_within(const hlo::Module& module, const CompileOptions& options,
                                                       hlo::PassObserver* observer);

  const Plugin& plugin_;
  const PluginPlatform platform_;
  PJRT_Client* const client_;
  int process_index_ = 0;
  std::unique_ptr<Pending> pending_ = std::make_unique<Pending>();
  std::mutex launch_mutex_;
};

}  // namespace hilo::plugins
