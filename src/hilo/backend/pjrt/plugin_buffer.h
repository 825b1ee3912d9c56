// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/plugin_buffer.h -- an array in the memory of a plugin's device. The plugin chooses the layout in memory.
// Data is passed in row-major order; the layout of the shape is only used to check programs.
#pragma once

#include "hilo/backend/pjrt/plugin_device.h"
#include "hilo/device/buffer.h"

namespace hilo::plugins {

class PluginBuffer final : public Buffer {
 public:
  PluginBuffer(const Shape& shape, DevicePtr device, RawBuffer raw, Event ready);
  ~PluginBuffer() override;

  /// Only for callers that hold the buffer.
  PJRT_Buffer* raw() const { return raw_.get(); }
  /// Releases a donated buffer: a run owns the memory, and the plugin keeps it until that has ended.
  void forget() { free_memory(); }

  Event read(std::byte* row_major) const override;

 private:
  void free_memory() override;
  PluginDevice& plugin_device() const { return static_cast<PluginDevice&>(*device()); }

  RawBuffer raw_;
};

/// Casts a buffer to its type. Precondition: it belongs to a plugin's device.
inline PluginBuffer& plugin_buffer(const BufferPtr& buffer) { return static_cast<PluginBuffer&>(*buffer); }

}  // namespace hilo::plugins
