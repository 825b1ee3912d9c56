// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/host_memory.h"

#include "hilo/backend/host/host_buffer.h"

namespace hilo::pjrt {

bool is_host_buffer(const Buffer& buffer) { return dynamic_cast<const HostBuffer*>(&buffer) != nullptr; }

const std::byte* host_memory(const Buffer& buffer) {
  const auto* const host = dynamic_cast<const HostBuffer*>(&buffer);
  return host == nullptr ? nullptr : host->data();
}

StatusOr<BufferPtr> shared_on(Device& device, const BufferPtr& from) {
  const std::byte* const data = host_memory(*from);
  if (data == nullptr) return device.copy(from);
  const std::vector<int64_t> strides = strides_of(from->shape());
  return device.from_host({from->shape(), data, strides, HostMemory::kBorrowed, [from] {}});
}

}  // namespace hilo::pjrt
