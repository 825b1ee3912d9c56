// SPDX-License-Identifier: Apache-2.0
// backend/buffer.h -- memory that holds one array on a device.
#pragma once

#include <atomic>
#include <memory>

#include "hilo/base/buffer_pool.h"
#include "hilo/types/literal.h"

namespace hilo {

enum class BufferState : uint8_t { kLive, kDonated, kDeleted };

/// One array (no tuple) in device memory, dense in its shape's layout. Immutable while live; execute() with donation
/// takes the memory away. The memory is 64-byte aligned.
///
/// Who reads the memory holds the buffer meanwhile, any number at once; who takes the memory holds it alone. One atomic word
/// says both, so a run that donates and another user of the buffer can't meet: one of them gets an error.
class Buffer {
 public:
  Buffer(const Shape& shape, AlignedBuffer memory, int replica = 0)
      : shape_(shape), memory_(std::move(memory)), replica_(replica) {}

  const Shape& shape() const { return shape_; }
  int replica() const { return replica_; }
  BufferState state() const { return state_of(word_.load(std::memory_order_acquire)); }
  /// Only for who holds the buffer, or is alone with it.
  const void* data() const { return memory_.data(); }
  /// Only for who fills a buffer that nobody else sees yet.
  void* mutable_data() { return memory_.data(); }

  /// Begins a use; false, and no use, if the buffer is held alone or its memory is gone. end_use() ends it.
  bool try_use() const {
    if (word_.fetch_add(1, std::memory_order_acquire) >= 0) return true;
    end_use();
    return false;
  }
  void end_use() const { word_.fetch_sub(1, std::memory_order_release); }

  /// Holds the buffer alone; false if anyone else holds it or its memory is gone. keep() or release() ends the hold.
  bool try_donate() {
    int64_t unused = 0;
    return word_.compare_exchange_strong(unused, kAlone, std::memory_order_acquire);
  }
  /// Ends try_donate()'s hold: the buffer lives on. Nothing if the memory has been released.
  void keep() {
    if (word_.load(std::memory_order_relaxed) >= kAloneFloor) word_.fetch_sub(kAlone, std::memory_order_release);
  }
  /// Ends the buffer's life and hands its memory over; for donation (kDonated) and delete (kDeleted). Precondition:
  /// try_donate() gave the hold.
  AlignedBuffer release(BufferState reason) {
    AlignedBuffer memory = std::move(memory_);
    word_.fetch_add((reason == BufferState::kDonated ? kGone : kDeleted) - kAlone, std::memory_order_release);
    return memory;
  }

 private:
  // The word counts uses from 0 on. Below 0 it is one of these, and uses that are about to be refused count on top of it.
  static constexpr int64_t kAlone = -(int64_t{1} << 40), kGone = 2 * kAlone, kDeleted = 3 * kAlone;
  static constexpr int64_t kAloneFloor = kAlone, kGoneFloor = kGone;
  static BufferState state_of(int64_t word) {
    if (word >= kAloneFloor) return BufferState::kLive;
    return word >= kGoneFloor ? BufferState::kDonated : BufferState::kDeleted;
  }

  Shape shape_;
  AlignedBuffer memory_;
  int replica_;
  mutable std::atomic<int64_t> word_{0};
};
using BufferPtr = std::shared_ptr<Buffer>;

/// Copies a host value to a new buffer; tuples are refused (callers flatten).
/// Errors    RESOURCE_EXHAUSTED
StatusOr<BufferPtr> buffer_from_literal(const Literal& literal, int replica = 0);
/// The same, laid out as `shape` says. Precondition: the shapes are compatible.
StatusOr<BufferPtr> buffer_from_literal(const Literal& literal, const Shape& shape, int replica = 0);
/// Holds `buffer` for a scope, so that nobody takes its memory meanwhile.
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

/// Copies a buffer to a row-major host value.
/// Errors    INVALID_ARGUMENT if it has been deleted or donated, or a run is about to take its memory; RESOURCE_EXHAUSTED
StatusOr<Literal> literal_from_buffer(const Buffer& buffer);
/// The same for who holds the buffer.
StatusOr<Literal> literal_from_held_buffer(const Buffer& buffer);
/// Copies all elements of an array laid out as `shape` says to row-major order, or back.
void copy_to_row_major(const Shape& shape, const std::byte* from, std::byte* to);
void copy_from_row_major(const Shape& shape, const std::byte* from, std::byte* to);
/// Why the buffer could not be held: its memory is gone, or others hold it. `what` names it: "argument 0 'x'".
/// Errors    INVALID_ARGUMENT
Status not_free(const Buffer& buffer, std::string_view what);

}  // namespace hilo
