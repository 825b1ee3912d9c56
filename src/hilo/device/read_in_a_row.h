// SPDX-License-Identifier: Apache-2.0
// device/read_in_a_row.h -- several buffers to host memory, one after the other: how parts become one array.
#pragma once

#include <span>

#include "hilo/device/buffer.h"

namespace hilo {

/// Copies buffers row-major to host memory, each behind the one before, waiting for each.
/// Errors    as literal_from_buffer
Status read_in_a_row(std::span<const BufferPtr> buffers, std::byte* to);

}  // namespace hilo
