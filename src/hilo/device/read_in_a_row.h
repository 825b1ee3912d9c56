// SPDX-License-Identifier: Apache-2.0
// device/read_in_a_row.h -- copies several buffers to consecutive host memory, for example the parts of a sharded
// array.
#pragma once

#include <span>

#include "hilo/device/buffer.h"

namespace hilo {

/// Copies row-major values of buffers to consecutive host memory. Waits for each of them.
/// Errors    those of literal_from_buffer
Status read_in_a_row(std::span<const BufferPtr> buffers, std::byte* to);

}  // namespace hilo
