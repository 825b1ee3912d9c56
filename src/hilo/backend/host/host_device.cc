// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/host/host_device.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "hilo/backend/host/host_buffer.h"
#include "hilo/backend/host/relayout.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/device/client.h"
#include "hilo/device/read_in_a_row.h"

namespace hilo {
namespace {

constexpr std::array kMemories = {Memory{0, "device"}};

/// Calls a function when its last copy is destroyed.
std::shared_ptr<const void> keeper_of(const std::function<void()>& release) {
  const auto nothing = [] {};
  return {static_cast<const void*>(""), [release = release ? release : nothing](const void*) { release(); }};
}

bool is_aligned(const std::byte* data) { return reinterpret_cast<uintptr_t>(data) % kBufferAlignment == 0; }

}  // namespace

DevicePtr HostDevice::shared() { return {client().shared_from_this(), this}; }

std::span<const Memory> HostDevice::memories() const { return kMemories; }

DeviceStatistics HostDevice::statistics() const {
  const BufferStatistics all = buffer_statistics();
  return {.live_buffers = all.live_buffers, .live_bytes = all.live_bytes};
}

StatusOr<BufferPtr> HostDevice::allocate(const Shape& shape) try {
  HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(shape.byte_size()));
  return BufferPtr(new_host_buffer(shape, std::move(memory), shared()));
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<BufferPtr> HostDevice::from_host(const HostData& data) try {
  const bool is_plain = data.strides.empty() && data.shape.has_default_layout() && !data.release;
  if (!is_plain) return from_any_host(data);
  HILO_ASSIGN_OR_RETURN(BufferPtr buffer, allocate(data.shape));
  if (data.shape.byte_size() != 0) std::memcpy(host(buffer).mutable_data(), data.data, data.shape.byte_size());
  return buffer;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

/// Accepts any strides, layout and ownership.
StatusOr<BufferPtr> HostDevice::from_any_host(const HostData& data) {
  const std::shared_ptr<const void> keeper = keeper_of(data.release);
  const std::vector<int64_t> row_major = row_major_strides(data.shape.dimensions());
  const std::span<const int64_t> strides = data.strides.empty() ? std::span<const int64_t>(row_major) : data.strides;
  if (data.semantics == HostMemory::kBorrowed && is_aligned(data.data) &&
      std::ranges::equal(strides, strides_of(data.shape))) {
    return BufferPtr(new_host_buffer(data.shape, data.data, keeper, shared()));
  }
  HILO_ASSIGN_OR_RETURN(const BufferPtr buffer, allocate(data.shape));
  copy_from_strides(data.shape, data.data, strides, host(buffer).mutable_data());
  return buffer;
}

StatusOr<BufferPtr> HostDevice::slice(const BufferPtr& from, int64_t index) {
  HILO_ASSIGN_OR_RETURN(const BufferUse use, BufferUse::of(from, "slice"));
  HILO_RETURN_IF_ERROR(from->ready().await());
  if (from->host_view() == nullptr) return Device::slice(from, index);
  const Shape part = slice_shape(from->shape());
  return from_host({part, from->host_view() + index * part.byte_size()});
}

StatusOr<BufferPtr> HostDevice::stack(std::span<const BufferPtr> parts) {
  HILO_ASSIGN_OR_RETURN(const Shape whole, stack_shape(parts[0]->shape(), parts.size()));
  HILO_ASSIGN_OR_RETURN(BufferPtr buffer, allocate(whole));
  HILO_RETURN_IF_ERROR(read_in_a_row(parts, host(buffer).mutable_data()));
  return buffer;
}

}  // namespace hilo
