// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/buffer.h"

#include <cstring>

#include "hilo/base/out_of_memory.h"
#include "hilo/base/stop.h"

namespace hilo {
namespace {

constexpr int64_t kPollInterval = 1 << 20;  // elements between looks at the stop word

/// Calls `copy(physical, linear)` for every element: its places in the shape's layout and in row-major order.
template <typename Copy>
void for_each_place(const Shape& shape, Copy&& copy) {
  const std::vector<int64_t> strides = strides_of(shape);
  std::vector<int64_t> index(strides.size());
  int64_t physical = 0;
  const StopFlag stop;
  for (int64_t linear = 0; linear < shape.element_count(); ++linear) {
    if (linear % kPollInterval == 0 && stop.raised()) return;
    copy(static_cast<size_t>(physical), static_cast<size_t>(linear));
    for (size_t d = index.size(); d-- > 0;) {
      physical += strides[d];
      if (++index[d] < shape.dimension(static_cast<int64_t>(d))) break;
      physical -= strides[d] * index[d];
      index[d] = 0;
    }
  }
}

}  // namespace

void copy_to_row_major(const Shape& shape, const std::byte* from, std::byte* to) {
  const size_t width = static_cast<size_t>(element_size_bytes(shape.element_type()));
  for_each_place(
      shape, [=](size_t physical, size_t linear) { std::memcpy(to + linear * width, from + physical * width, width); });
}

void copy_from_row_major(const Shape& shape, const std::byte* from, std::byte* to) {
  const size_t width = static_cast<size_t>(element_size_bytes(shape.element_type()));
  for_each_place(
      shape, [=](size_t physical, size_t linear) { std::memcpy(to + physical * width, from + linear * width, width); });
}

StatusOr<BufferPtr> buffer_from_literal(const Literal& literal, int replica) {
  return buffer_from_literal(literal, literal.shape().with_default_layout(), replica);
}

StatusOr<BufferPtr> buffer_from_literal(const Literal& literal, const Shape& shape, int replica) try {
  if (!shape.is_array()) {
    return invalid_argument("buffer: only arrays go to a device; got " + shape.to_string());
  }
  HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(static_cast<size_t>(shape.byte_size())));
  const std::span<const std::byte> bytes = literal.bytes();
  if (!shape.has_default_layout()) copy_from_row_major(shape, bytes.data(), memory.data());
  else if (!bytes.empty()) std::memcpy(memory.data(), bytes.data(), bytes.size());
  return std::make_shared<Buffer>(shape, std::move(memory), replica);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<BufferUse> BufferUse::of(BufferPtr buffer, std::string_view what) {
  if (!buffer->try_use()) return not_free(*buffer, what);
  return BufferUse(std::move(buffer));
}

StatusOr<Literal> literal_from_buffer(const Buffer& buffer) {
  if (!buffer.try_use()) return or_out_of_memory([&] { return not_free(buffer, "read"); });
  StatusOr<Literal> literal = literal_from_held_buffer(buffer);
  buffer.end_use();
  return literal;
}

StatusOr<Literal> literal_from_held_buffer(const Buffer& buffer) try {
  const Shape& shape = buffer.shape();
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(shape.with_default_layout()));
  if (shape.byte_size() == 0) return literal;
  const auto* bytes = static_cast<const std::byte*>(buffer.data());
  if (shape.has_default_layout()) {
    std::memcpy(literal.mutable_bytes().data(), bytes, literal.bytes().size());
  } else {
    copy_to_row_major(shape, bytes, literal.mutable_bytes().data());
  }
  return literal;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

Status not_free(const Buffer& buffer, std::string_view what) {
  const std::string named = std::string(what) + ": buffer " + buffer.shape().to_string();
  if (buffer.state() == BufferState::kLive)
    return invalid_argument(named +
                            " is in use by a run on another thread, and one of both donates it. Hint: copy it " +
                            "first, or don't donate it");
  return invalid_argument(named + " has been " + (buffer.state() == BufferState::kDonated ? "donated" : "deleted") +
                          ". Hint: copy it first, or don't donate it");
}

}  // namespace hilo
