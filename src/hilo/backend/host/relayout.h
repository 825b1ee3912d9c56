// SPDX-License-Identifier: Apache-2.0
// backend/host/relayout.h -- copies of arrays in host memory from one layout to another.
#pragma once

#include <span>

#include "hilo/base/buffer_pool.h"
#include "hilo/device/device.h"

namespace hilo {

/// Copies all elements of an array with the layout of `shape` to row-major order.
void copy_to_row_major(const Shape& shape, const std::byte* from, std::byte* to);
/// Copies all elements to an array with the layout of `shape`. `strides` are those of `from`, in elements.
void copy_from_strides(const Shape& shape, const std::byte* from, std::span<const int64_t> strides, std::byte* to);
/// Returns the dense row-major bytes of host data for a device. If the data has another layout, copies it to `copy`.
/// Errors    RESOURCE_EXHAUSTED
StatusOr<const std::byte*> dense_row_major(const HostData& data, AlignedBuffer& copy);

}  // namespace hilo
