// SPDX-License-Identifier: Apache-2.0
// pjrt/host_memory.h -- the bytes behind buffers of this machine's devices.
#pragma once

#include "hilo/device/buffer.h"

namespace hilo::pjrt {

/// Whether the buffer's memory is this process's.
bool is_host_buffer(const Buffer& buffer);

/// The memory, laid out as the shape says; null on other devices. Precondition: it is ready, and held.
const std::byte* host_memory(const Buffer& buffer);

/// Another buffer on `device` with the value of `from`, which is ready: the same memory, where both are the host's.
/// `from` is kept till then, and nobody may take its memory.
/// Errors    as Device::from_host
StatusOr<BufferPtr> shared_on(Device& device, const BufferPtr& from);

}  // namespace hilo::pjrt
