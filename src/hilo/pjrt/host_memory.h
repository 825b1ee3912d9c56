// SPDX-License-Identifier: Apache-2.0
// pjrt/host_memory.h -- accesses the bytes of buffers in host memory.
#pragma once

#include "hilo/device/buffer.h"

namespace hilo::pjrt {

/// Returns whether the buffer is in memory of this process.
bool is_host_buffer(const Buffer& buffer);

/// Returns the memory in the shape's layout; null on other devices. Precondition: the buffer is ready and held.
const std::byte* host_memory(const Buffer& buffer);

/// Returns a buffer on `device` with the value of `from`, which is ready. If both are in host memory, they share it.
/// `from` then stays alive and can't be donated.
/// Errors    those of Device::from_host
StatusOr<BufferPtr> shared_on(Device& device, const BufferPtr& from);

}  // namespace hilo::pjrt
