// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/buffer.h"

#include <cstring>

namespace hilo {
namespace {

/// Copies elements laid out as `shape` says to row-major order.
void copy_to_row_major(const Shape& shape, const std::byte* from, std::byte* to) {
  const std::vector<int64_t> strides = strides_of(shape);
  const int64_t width = element_size_bytes(shape.element_type());
  std::vector<int64_t> index(strides.size());
  for (int64_t linear = 0; linear < shape.element_count(); ++linear) {
    int64_t physical = 0;
    for (size_t d = 0; d < index.size(); ++d) physical += index[d] * strides[d];
    std::memcpy(to + linear * width, from + physical * width, static_cast<size_t>(width));
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape.dimension(static_cast<int64_t>(d))) break;
      index[d] = 0;
    }
  }
}

}  // namespace

StatusOr<BufferPtr> buffer_from_literal(const Literal& literal, int replica) {
  if (!literal.shape().is_array()) {
    return invalid_argument("buffer: only arrays go to a device; got " + literal.shape().to_string());
  }
  HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(static_cast<size_t>(literal.shape().byte_size())));
  if (!literal.bytes().empty()) std::memcpy(memory.data(), literal.bytes().data(), literal.bytes().size());
  return std::make_shared<Buffer>(literal.shape().with_default_layout(), std::move(memory), replica);
}

StatusOr<Literal> literal_from_buffer(const Buffer& buffer) {
  HILO_RETURN_IF_ERROR(check_live(buffer, "read"));
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
}

Status check_live(const Buffer& buffer, std::string_view what) {
  if (buffer.state() == BufferState::kLive) return ok_status();
  return invalid_argument(std::string(what) + ": buffer " + buffer.shape().to_string() + " has been " +
                          (buffer.state() == BufferState::kDonated ? "donated" : "deleted") +
                          ". Hint: copy it first, or don't donate it");
}

}  // namespace hilo
