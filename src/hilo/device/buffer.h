// SPDX-License-Identifier: Apache-2.0
// device/buffer.h -- an array on a device.
#pragma once

#include <atomic>

#include "hilo/device/device.h"
#include "hilo/device/event.h"
#include "hilo/types/literal.h"

namespace hilo {

enum class BufferState : uint8_t { kLive, kDonated, kDeleted };

/// One array (no tuple) in a device's memory, dense in its shape's layout. Immutable while live; a run that donates it takes
/// the memory away. Its contents are there when ready() is finished.
///
/// Who reads the memory holds the buffer meanwhile, any number at once; who takes the memory holds it alone. One atomic word
/// says both, so a run that donates and another user of the buffer can't meet: one of them gets an error.
class Buffer {
 public:
  Buffer(const Shape& shape, DevicePtr device, Event ready = {})
      : shape_(shape), device_(std::move(device)), ready_(std::move(ready)) {}
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const Shape& shape() const { return shape_; }
  const DevicePtr& device() const { return device_; }
  /// Finished when the contents are there; fails with the error of the run or copy that was to make them.
  const Event& ready() const { return ready_; }
  BufferState state() const { return state_of(word_.load(std::memory_order_acquire)); }

  /// Begins a use; false, and no use, if the buffer is held alone or its memory is gone. end_use() ends it.
  bool try_use() const {
    if (word_.fetch_add(1, std::memory_order_acquire) >= 0) return true;
    end_use();
    return false;
  }
  void end_use() const { word_.fetch_sub(1, std::memory_order_release); }

  /// Holds the buffer alone; false if anyone else holds it or its memory is gone. keep() or end_life() ends the hold.
  bool try_donate() {
    int64_t unused = 0;
    return word_.compare_exchange_strong(unused, kAlone, std::memory_order_acquire);
  }
  /// Ends try_donate()'s hold: the buffer lives on. Nothing if its life has ended.
  void keep() {
    if (word_.load(std::memory_order_relaxed) >= kAloneFloor) word_.fetch_sub(kAlone, std::memory_order_release);
  }
  /// Ends the buffer's life: by donation (kDonated), or kDeleted. Its memory is the caller's, or whose who gets it next.
  /// Precondition: try_donate() gave the hold.
  void end_life(BufferState reason) {
    word_.fetch_add((reason == BufferState::kDonated ? kGone : kDeleted) - kAlone, std::memory_order_release);
  }

  /// The row-major value in host memory, without a copy: null if the device's memory isn't that, or lies otherwise.
  /// Precondition: the caller holds the buffer, and it is ready.
  virtual const std::byte* host_view() const { return nullptr; }
  /// Copies the value, row-major, to host memory of shape().byte_size() bytes once it is ready. Precondition: the caller
  /// holds the buffer until the event is finished.
  virtual Event read(std::byte* row_major) const = 0;
  /// Frees the memory now, although others may still point to the buffer.
  /// Errors    INVALID_ARGUMENT if it is in use, or gone already
  Status remove();

 protected:
  /// The buffer's life has ended: nobody will ask for its memory again.
  virtual void free_memory() = 0;

 private:
  // The word counts uses from 0 on. Below 0 it is one of these, and uses that are about to be refused count on top of it.
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

/// Holds a buffer for a scope, so that nobody takes its memory meanwhile.
class BufferUse {
 public:
  /// Errors    as not_free
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

/// Copies a host value to a device, laid out as `shape` says. Precondition: the shapes are compatible.
/// Errors    INVALID_ARGUMENT for a tuple (callers flatten); RESOURCE_EXHAUSTED
StatusOr<BufferPtr> buffer_from_literal(Device& device, const Literal& literal, const Shape& shape);
/// The same, row-major.
inline StatusOr<BufferPtr> buffer_from_literal(Device& device, const Literal& literal) {
  return buffer_from_literal(device, literal, literal.shape().with_default_layout());
}

/// Copies a buffer to a row-major host value, waiting for it if need be.
/// Errors    INVALID_ARGUMENT if it has been deleted or donated, or a run is about to take its memory; RESOURCE_EXHAUSTED;
///           the error of what was to make the value
StatusOr<Literal> literal_from_buffer(const Buffer& buffer);
/// The same for who holds the buffer.
StatusOr<Literal> literal_from_held_buffer(const Buffer& buffer);

/// Why the buffer could not be held: its memory is gone, or others hold it. `what` names it: "argument 0 'x'".
/// Errors    INVALID_ARGUMENT
Status not_free(const Buffer& buffer, std::string_view what);

}  // namespace hilo
