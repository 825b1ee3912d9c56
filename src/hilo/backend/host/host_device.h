// SPDX-License-Identifier: Apache-2.0
// backend/host/host_device.h -- a device that is this machine's processor. Several devices share the machine.
#pragma once

#include <string>

#include "hilo/backend/host/device_queue.h"
#include "hilo/device/buffer.h"

namespace hilo {

class HostDevice final : public Device {
 public:
  HostDevice(Client& client, int id, int process_index, std::string kind)
      : Device(client, id, process_index), kind_(std::move(kind)) {}

  std::string_view kind() const override { return kind_; }
  std::span<const Memory> memories() const override;
  /// Returns those of the process: its devices share one pool of memory.
  DeviceStatistics statistics() const override;

  StatusOr<BufferPtr> allocate(const Shape& shape) override;
  /// Cost    none for borrowed memory that is aligned to kBufferAlignment and dense in the shape's layout
  StatusOr<BufferPtr> from_host(const HostData& data) override;
  StatusOr<BufferPtr> slice(const BufferPtr& from, int64_t index) override;
  StatusOr<BufferPtr> stack(std::span<const BufferPtr> parts) override;

  /// Returns the queue of work after calls that have returned.
  DeviceQueue& queue() { return queue_; }

 private:
  DevicePtr shared();
  StatusOr<BufferPtr> from_any_host(const HostData& data);

  const std::string kind_;
  DeviceQueue queue_;
};

}  // namespace hilo
