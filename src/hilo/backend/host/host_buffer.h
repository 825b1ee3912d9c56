// SPDX-License-Identifier: Apache-2.0
// backend/host/host_buffer.h -- an array in host memory, aligned to kBufferAlignment.
#pragma once

#include "hilo/base/buffer_pool.h"
#include "hilo/base/recycled.h"
#include "hilo/device/buffer.h"

namespace hilo {

class HostBuffer final : public Buffer {
 public:
  HostBuffer(const Shape& shape, AlignedBuffer memory, DevicePtr device)
      : Buffer(shape, std::move(device)), memory_(std::move(memory)), data_(memory_.data()) {}
  /// Borrowed memory, which `keeper` keeps alive and unchanged.
  HostBuffer(const Shape& shape, const std::byte* data, std::shared_ptr<const void> keeper, DevicePtr device)
      : Buffer(shape, std::move(device)), data_(const_cast<std::byte*>(data)), keeper_(std::move(keeper)) {}
  /// A buffer without memory, which fill() sets before `ready` is finished.
  HostBuffer(const Shape& shape, DevicePtr device, Event ready) : Buffer(shape, std::move(device), std::move(ready)) {}

  /// Only for callers that hold the buffer or are its only user.
  const std::byte* data() const { return data_; }
  /// Only for the function that fills a buffer before others can see it.
  std::byte* mutable_data() { return data_; }

  bool owns_memory() const { return keeper_ == nullptr; }
  /// Ends the buffer's life, if it hasn't ended, and returns its memory. Precondition: the caller is its only holder or
  /// owns the donation; the buffer owns its memory.
  AlignedBuffer take_memory();
  /// Sets the memory of a buffer that was created without any and has no readers yet.
  void fill(AlignedBuffer memory);
  /// Takes the memory of another buffer, which ends, or the borrowed memory that it points to.
  void fill_from(HostBuffer& other);

  const std::byte* host_view() const override { return shape().has_default_layout() ? data_ : nullptr; }
  Event read(std::byte* row_major) const override;

 private:
  void free_memory() override;
  Event read_now(std::byte* row_major) const;

  AlignedBuffer memory_;
  std::byte* data_ = nullptr;
  std::shared_ptr<const void> keeper_;
};

/// Creates a buffer. Its object, as small arrays' memory, is recycled by the thread that drops it.
template <typename... Args>
std::shared_ptr<HostBuffer> new_host_buffer(Args&&... args) {
  return make_recycled<HostBuffer>(std::forward<Args>(args)...);
}

/// Casts a buffer to its type. Precondition: it belongs to a host device.
inline HostBuffer& host(const BufferPtr& buffer) { return static_cast<HostBuffer&>(*buffer); }

}  // namespace hilo
