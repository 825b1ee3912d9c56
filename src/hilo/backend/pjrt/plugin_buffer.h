// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/plugin_buffer.h -- an array in the memory of a plugin's device. How it lies there is the plugin's business: what
// goes in and out is row-major, and the layout of its shape is a word that programs are checked by.
#pragma once

#include "hilo/backend/pjrt/plugin_device.h"
#include "hilo/device/buffer.h"

namespace hilo::plugins {

class PluginBuffer final : public Buffer {
 public:
  PluginBuffer(const Shape& shape, DevicePtr device, RawBuffer raw, Event ready);
  ~PluginBuffer() override;

  /// Only for who holds the buffer.
  PJRT_Buffer* raw() const { return raw_.get(); }
  /// It was donated: a run has the memory, and the plugin keeps it until that has ended.
  void forget() { free_memory(); }

  Event read(std::byte* row_major) const override;

 private:
  void free_memory() override;
  PluginDevice& plugin_device() const { return static_cast<PluginDevice&>(*device()); }

  RawBuffer raw_;
};

/// The buffer as what it is. Precondition: it is a plugin device's.
inline PluginBuffer& plugin_buffer(const BufferPtr& buffer) { return static_cast<PluginBuffer&>(*buffer); }

}  // namespace hilo::plugins
