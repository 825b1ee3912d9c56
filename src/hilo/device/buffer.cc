// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/buffer.h"

#include <cstring>

#include "hilo/base/out_of_memory.h"

namespace hilo {

Status Buffer::remove() {
  if (!try_donate()) return not_free(*this, "delete");
  end_life(BufferState::kDeleted);
  free_memory();
  return ok_status();
}

StatusOr<BufferUse> BufferUse::of(BufferPtr buffer, std::string_view what) {
  if (!buffer->try_use()) return not_free(*buffer, what);
  return BufferUse(std::move(buffer));
}

StatusOr<BufferPtr> buffer_from_literal(Device& device, const Literal& literal, const Shape& shape) try {
  if (!shape.is_array()) {
    return invalid_argument("buffer: only arrays can be copied to a device; got " + shape.to_string());
  }
  return device.from_host({shape, literal.bytes().data()});
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<Literal> literal_from_buffer(const Buffer& buffer) {
  if (!buffer.try_use()) return or_out_of_memory([&] { return not_free(buffer, "read"); });
  StatusOr<Literal> literal = literal_from_held_buffer(buffer);
  buffer.end_use();
  return literal;
}

StatusOr<Literal> literal_from_held_buffer(const Buffer& buffer) try {
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(buffer.shape().with_default_layout()));
  HILO_RETURN_IF_ERROR(buffer.read(literal.mutable_bytes().data()).await());
  return literal;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

Status not_free(const Buffer& buffer, std::string_view what) {
  const std::string named = std::string(what) + ": buffer " + buffer.shape().to_string();
  if (buffer.state() == BufferState::kLive)
    return invalid_argument(
        named + " is in use by a run on another thread, and one of the two runs donates it. Hint: copy it " +
        "first, or don't donate it");
  return invalid_argument(named + " has been " + (buffer.state() == BufferState::kDonated ? "donated" : "deleted") +
                          ". Hint: copy it first, or don't donate it");
}

}  // namespace hilo
