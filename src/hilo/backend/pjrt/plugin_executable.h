// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/plugin_executable.h -- a program that a plugin has compiled.
#pragma once

#include "hilo/backend/pjrt/plugin_device.h"
#include "hilo/device/executable.h"

namespace hilo::plugins {

/// A program without collectives is compiled for one device, and each run specifies the device. A program with
/// collectives runs on all of its devices in one call.
class PluginExecutable final : public Executable {
 public:
  /// Creates the executable. Checks that the compiled program has the program's results.
  /// Errors    INTERNAL if not; the plugin's
  static StatusOr<std::unique_ptr<Executable>> make(ProgramSignature signature, std::vector<DevicePtr> devices,
                                                    hlo::Module program, RawExecutable raw,
                                                    double compile_milliseconds);

  ExecutableStatistics statistics() const override { return statistics_; }
  /// Returns the program that the plugin received; the plugin's optimized one isn't available.
  const hlo::Module* optimized_module() const override { return &program_; }
  /// Returns one unit: a plugin doesn't report what it runs.
  std::span<const ExecutionUnit> units() const override { return {&unit_, 1}; }
  StatusOr<std::string> serialize() const override;

 protected:
  StatusOr<Event> start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                        const ExecuteOptions& options, ArgumentHolds& holds) override;

 private:
  struct Started;
  PluginExecutable(ProgramSignature signature, std::vector<DevicePtr> devices, hlo::Module program, RawExecutable raw);
  PluginClient& plugin_client() const { return static_cast<PluginClient&>(client()); }
  /// Calls the plugin for all these runs in one call.
  Status execute_now(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices, std::span<const bool> donated,
                     Started& started);
  Status execute_all(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices, std::span<const bool> donated,
                     Started& started);
  /// Ends donated arguments.
  static void donate(std::span<const DeviceRun> runs, std::span<const bool> donated, ArgumentHolds& holds);
  /// Returns the events of the runs as one.
  Event joined_event(Started& started, std::string_view what);
  void fill_results(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices, const Event& ready,
                    Started& started);
  Status read_statistics();

  const hlo::Module program_;
  const RawExecutable raw_;
  std::vector<int64_t> takeable_;  ///< arguments whose memory a result may use, unless a run keeps them
  ExecutionUnit unit_;
  ExecutableStatistics statistics_;
};

/// Loads the result of serialize() for the client's devices.
/// Errors    those of Client::load
StatusOr<std::unique_ptr<Executable>> load_executable(PluginClient& client, std::string_view bytes);

}  // namespace hilo::plugins
