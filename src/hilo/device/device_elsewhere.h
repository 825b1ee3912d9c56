// SPDX-License-Identifier: Apache-2.0
// device/device_elsewhere.h -- the proxy of a device that belongs to another process. Programs over several processes
// refer to it.
#pragma once

#include <string>

#include "hilo/device/device.h"

namespace hilo {

/// A device that only its own process can use.
/// Errors    of all operations on arrays: INVALID_ARGUMENT "Host:3 is a device of process 1 ..."
class DeviceElsewhere final : public Device {
 public:
  DeviceElsewhere(Client& client, int id, int process_index, std::string kind)
      : Device(client, id, process_index), kind_(std::move(kind)) {}

  std::string_view kind() const override { return kind_; }
  std::span<const Memory> memories() const override { return {}; }
  DeviceStatistics statistics() const override { return {}; }
  StatusOr<BufferPtr> allocate(const Shape& shape) override;
  StatusOr<BufferPtr> from_host(const HostData& data) override;
  StatusOr<BufferPtr> copy(const BufferPtr& from) override;

 private:
  Status refusal() const;

  const std::string kind_;
};

}  // namespace hilo
