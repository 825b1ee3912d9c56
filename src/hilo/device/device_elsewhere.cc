// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/device_elsewhere.h"

#include <fmt/format.h>

#include "hilo/device/buffer.h"
#include "hilo/device/client.h"

namespace hilo {

Status DeviceElsewhere::refusal() const {
  return invalid_argument(fmt::format("{} is a device of process {}, and this is process {}. Hint: local_devices()",
                                      to_string(), process_index(), client().process_index()));
}

StatusOr<BufferPtr> DeviceElsewhere::allocate(const Shape&) { return refusal(); }

StatusOr<BufferPtr> DeviceElsewhere::from_host(const HostData& data) {
  if (data.release) data.release();
  return refusal();
}

StatusOr<BufferPtr> DeviceElsewhere::copy(const BufferPtr&) { return refusal(); }

}  // namespace hilo
