// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/plugin_device.h -- a device of another vendor's plugin.
#pragma once

#include <atomic>
#include <deque>

#include "hilo/backend/pjrt/plugin_client.h"

namespace hilo::plugins {

/// Destroys a plugin's buffer.
struct DestroyBuffer {
  const Plugin* plugin;
  void operator()(PJRT_Buffer* buffer) const;
};
using RawBuffer = std::unique_ptr<PJRT_Buffer, DestroyBuffer>;

class PluginDevice final : public Device {
 public:
  /// Queries the plugin for the device's properties.
  /// Errors    the plugin's
  static StatusOr<std::unique_ptr<PluginDevice>> make(PluginClient& client, PJRT_Device* device, bool is_local);

  std::string_view kind() const override { return kind_; }
  std::span<const Memory> memories() const override { return memories_; }
  /// Returns the bytes that the plugin reports; without a report, those of live buffers.
  DeviceStatistics statistics() const override;

  StatusOr<BufferPtr> allocate(const Shape& shape) override;
  StatusOr<BufferPtr> from_host(const HostData& data) override;
  StatusOr<BufferPtr> copy(const BufferPtr& from) override;

  PJRT_Device* raw() const { return device_; }
  /// Wraps a buffer of the plugin.
  BufferPtr buffer(const Shape& shape, RawBuffer raw, Event ready);
  /// Counts buffers.
  void add_buffer(int64_t bytes);
  void remove_buffer(int64_t bytes);

 private:
  PluginDevice(PluginClient& client, PJRT_Device* device, int id, int process_index, std::string kind)
      : Device(client, id, process_index), device_(device), kind_(std::move(kind)) {}
  PluginClient& plugin_client() const;
  Status read_memories();
  /// Wraps a buffer that a call of the plugin has just begun to fill.
  StatusOr<BufferPtr> filled(const Shape& shape, RawBuffer raw);

  PJRT_Device* const device_;
  const std::string kind_;
  std::deque<std::string> memory_kinds_;
  std::vector<Memory> memories_;
  std::atomic<int64_t> live_buffers_{0}, live_bytes_{0};
};

}  // namespace hilo::plugins
