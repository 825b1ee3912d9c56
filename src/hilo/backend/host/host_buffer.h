// SPDX-License-Identifier: Apache-2.0
// backend/host/host_buffer.h -- an array in host memory, aligned to kBufferAlignment.
#pragma once

#include "hilo/base/buffer_pool.h"
#include "hilo/device/buffer.h"

namespace hilo {

class HostBuffer final : public Buffer {
 public:
  HostBuffer(const Shape& shape, AlignedBuffer memory, DevicePtr device)
      : Buffer(shape, std::move(device)), memory_(std::move(memory)), data_(memory_.data()) {}
  /// Somebody else's memory, which `keeper` keeps as it is.
  HostBuffer(const Shape& shape, const std::byte* data, std::shared_ptr<const void> keeper, DevicePtr device)
      : Buffer(shape, std::move(device)), data_(const_cast<std::byte*>(data)), keeper_(std::move(keeper)) {}
  /// One whose memory comes before `ready` is finished.
  HostBuffer(const Shape& shape, DevicePtr device, Event ready) : Buffer(shape, std::move(device), std::move(ready)) {}

  /// Only for who holds the buffer, or is alone with it.
  const std::byte* data() const { return data_; }
  /// Only for who fills a buffer that nobody else sees yet.
  std::byte* mutable_data() { return data_; }

  bool owns_memory() const { return keeper_ == nullptr; }
  /// Ends the buffer's life, if it hasn't ended, and hands its memory over. Precondition: the caller holds it alone, or was
  /// handed it; it owns its memory.
  AlignedBuffer take_memory();
  /// Gives memory to one that was made without, and that nobody reads yet.
  void fill(AlignedBuffer memory);
  /// The memory of another, which is gone after it, or the lent memory that it points to.
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

/// The buffer as what it is. Precondition: it is a host device's.
inline HostBuffer& host(const BufferPtr& buffer) { return static_cast<HostBuffer&>(*buffer); }

}  // namespace hilo
