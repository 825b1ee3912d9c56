// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/host/host_buffer.h"

#include <utility>

#include "hilo/backend/host/host_device.h"
#include "hilo/backend/host/relayout.h"

namespace hilo {
AlignedBuffer HostBuffer::take_memory() {
  if (state() == BufferState::kLive) end_life(BufferState::kDonated);
  data_ = nullptr;
  return std::move(memory_);
}

void HostBuffer::fill(AlignedBuffer memory) {
  memory_ = std::move(memory);
  data_ = memory_.data();
}

void HostBuffer::fill_from(HostBuffer& other) {
  memory_ = std::move(other.memory_);
  keeper_ = std::move(other.keeper_);
  data_ = std::exchange(other.data_, nullptr);
}

Event HostBuffer::read(std::byte* row_major) const {
  if (ready().is_ready()) return read_now(row_major);
  auto done = std::make_shared<EventSource>();
  ready().on_ready([this, row_major, done](const Status&) { done->finish(read_now(row_major).await()); });
  return done->event();
}

/// Precondition: the buffer is ready.
Event HostBuffer::read_now(std::byte* row_major) const {
  const Status producer = ready().await();
  if (producer.ok()) copy_to_row_major(shape(), data_, row_major);
  return Event::finished(producer);
}

void HostBuffer::free_memory() {
  // Runs in the device's queue may still read the memory: it is freed after them.
  static_cast<HostDevice&>(*device()).queue().run_or_enqueue(
      [memory = std::make_shared<AlignedBuffer>(std::move(memory_)), keeper = std::move(keeper_)]() mutable {
        memory.reset();
        keeper.reset();
      });
}

}  // namespace hilo
