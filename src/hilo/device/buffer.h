// SPDX-License-Identifier: Apache-2.0
// device/buffer.h -- an array on a device.
#pragma once

#include <atomic>

#include "hilo/device/device.h"
#include "hilo/device/event.h"
#include "hilo/types/literal.h"

namespace hilo {

enum class BufferState : uint8_t { kLive, kDonated, kDeleted };

/// An array (not a tuple) in a device's memory, dense in its shape's layout. A live buffer is immutable; a run that
/// donates it takes over its memory. The contents are valid once ready() is finished.
///
/// Any number of readers can hold a buffer at once; an operation that takes the memory holds it exclusively. One atomic
/// word stores both states, so if a donation conflicts with another use, one of the two gets an error.
class Buffer {
 public:
  Buffer(const Shape& shape, DevicePtr device, Event ready = {})
      : shape_(shape), device_(std::move(device)), ready_(std::move(ready)) {}
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const Shape& shape() const { return shape_; }
  const DevicePtr& device() const { return device_; }
  /// Returns the event that finishes when the contents are valid. It fails with the error of the run or copy that
  /// computes them.
  const Event& ready() const { return ready_; }
  BufferState state() const { return state_of(word_.load(std::memory_order_acquire)); }

  /// Begins a shared use, which end_use() ends. Returns false, without a use, if the buffer is held exclusively or its
  /// memory was released.
  bool try_use() const {
    if (word_.fetch_add(1, std::memory_order_acquire) >= 0) return true;
    end_use();
    return false;
  }
  void end_use() const { word_.fetch_sub(1, std::memory_order_release); }

  /// Takes an exclusive hold, which keep() or end_life() ends. Returns false if there is another holder or the memory
  /// was released.
  bool try_donate() {
    int64_t unused = 0;
    return word_.compare_exchange_strong(unused, kAlone, std::memory_order_acquire);
  }
  /// Ends the hold of try_donate(); the buffer stays alive. No effect if it has been donated or deleted.
  void keep() {
    if (word_.load(std::memory_order_relaxed) >= kAloneFloor) word_.fetch_sub(kAlone, std::memory_order_release);
  }
  /// Marks the buffer as donated (kDonated) or deleted (kDeleted). The memory then belongs to the caller or to the
  /// buffer that reuses it.
  /// Precondition: the caller holds it by try_donate().
  void end_life(BufferState reason) {
    word_.fetch_add((reason == BufferState::kDonated ? kGone : kDeleted) - kAlone, std::memory_order_release);
  }

  /// Returns the row-major value in host memory without a copy, or null if the device's memory or layout doesn't allow
  /// that.
  /// Precondition: the caller holds the buffer, and it is ready.
  virtual const std::byte* host_view() const { return nullptr; }
  /// Copies the row-major value to shape().byte_size() bytes of host memory once the buffer is ready.
  /// Precondition: the caller holds the buffer until the returned event is finished.
  virtual Event read(std::byte* row_major) const = 0;
  /// Frees the memory immediately, even if other pointers to the buffer exist.
  /// Errors    INVALID_ARGUMENT if the buffer is in use, deleted or donated
  Status remove();

 protected:
  /// Frees the memory at the end of the buffer's life. Nothing accesses it afterwards.
  virtual void free_memory() = 0;

 private:
  // Values >= 0 of the word are the number of uses. Negative values are these states, plus the uses that are about to
  // be rejected.
  static constexpr int64_t kAlone = -(int64_t{1} << 40), kGone = 2 * kAlone, kDeleted = 3 * kAlone;
  static constexpr int64_t kAloneFloor = kAlone, kGoneFloor = kGone;
  static BufferState state_of(int64_t word) {
    if (word >= kAloneFloor) return BufferState::kLive;
    return word >= kGoneFloor ? BufferState::kDonated : BufferState::kDeleted;
  }

  const Shape shape_;
  const DevicePtr device_;
  const Event ready_;
  mutable std::atomic<int64_t> word_{0};
};

/// Holds a buffer for the duration of a scope, so that its memory stays valid.
class BufferUse {
 public:
  /// Begins a use of the buffer.
  /// Errors    those of not_free
  static StatusOr<BufferUse> of(BufferPtr buffer, std::string_view what);
  BufferUse(BufferUse&&) noexcept = default;
  BufferUse& operator=(BufferUse&&) = delete;
  ~BufferUse() {
    if (buffer_ != nullptr) buffer_->end_use();
  }

 private:
  explicit BufferUse(BufferPtr buffer) : buffer_(std::move(buffer)) {}
  BufferPtr buffer_;
};

/// Copies a host value to a device in the layout of `shape`. Precondition: the shapes are compatible.
/// Errors    INVALID_ARGUMENT for a tuple (callers flatten it); RESOURCE_EXHAUSTED
StatusOr<BufferPtr> buffer_from_literal(Device& device, const Literal& literal, const Shape& shape);
/// Copies a host value to a device in row-major layout.
inline StatusOr<BufferPtr> buffer_from_literal(Device& device, const Literal& literal) {
  return buffer_from_literal(device, literal, literal.shape().with_default_layout());
}

/// Copies a buffer to a row-major host value. Waits until the buffer is ready.
/// Errors    INVALID_ARGUMENT if it has been deleted or donated, or a run is about to consume it; RESOURCE_EXHAUSTED;
///           the error of the computation of its contents
StatusOr<Literal> literal_from_buffer(const Buffer& buffer);
/// Like literal_from_buffer, for a caller that holds the buffer.
StatusOr<Literal> literal_from_held_buffer(const Buffer& buffer);

/// Returns the error that explains why the buffer could not be held: its memory was released, or other holders
/// exist. `what` names the buffer in the message: "argument 0 'x'".
/// Errors    INVALID_ARGUMENT, always
Status not_free(const Buffer& buffer, std::string_view what);

}  // namespace hilo
