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
class Buffer {
 public:
  Buffer(const Shape& shape, AlignedBuffer memory, int replica = 0)
      : shape_(shape), memory_(std::move(memory)), replica_(replica) {}

  const Shape& shape() const { return shape_; }
  int replica() const { return replica_; }
  BufferState state() const { return state_.load(std::memory_order_acquire); }
  const void* data() const { return memory_.data(); }
  /// Only for who fills a buffer that nobody else sees yet.
  void* mutable_data() { return memory_.data(); }

  /// Ends the buffer's life and hands its memory over; for donation (kDonated) and delete (kDeleted).
  AlignedBuffer release(BufferState reason) {
    state_.store(reason, std::memory_order_release);
    return std::move(memory_);
  }

 private:
  Shape shape_;
  AlignedBuffer memory_;
  int replica_;
  std::atomic<BufferState> state_{BufferState::kLive};
};
using BufferPtr = std::shared_ptr<Buffer>;

/// Copies a host value to a new buffer; tuples are refused (callers flatten).
/// Errors    RESOURCE_EXHAUSTED
StatusOr<BufferPtr> buffer_from_literal(const Literal& literal, int replica = 0);
/// The same, laid out as `shape` says. Precondition: the shapes are compatible.
StatusOr<BufferPtr> buffer_from_literal(const Literal& literal, const Shape& shape, int replica = 0);
/// Copies a buffer to a row-major host value.
/// Errors    INVALID_ARGUMENT "buffer has been deleted or donated", RESOURCE_EXHAUSTED
StatusOr<Literal> literal_from_buffer(const Buffer& buffer);
/// Copies all elements of an array laid out as `shape` says to row-major order, or back.
void copy_to_row_major(const Shape& shape, const std::byte* from, std::byte* to);
void copy_from_row_major(const Shape& shape, const std::byte* from, std::byte* to);
/// OK if the buffer is live. `what` names it: "argument 0 'x'".
Status check_live(const Buffer& buffer, std::string_view what);

}  // namespace hilo
