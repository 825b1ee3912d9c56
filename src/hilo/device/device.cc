// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/device.h"

#include <fmt/format.h>

#include "hilo/device/buffer.h"
#include "hilo/device/client.h"
#include "hilo/device/read_in_a_row.h"

namespace hilo {

std::string_view Device::platform_name() const { return client_.platform_name(); }

std::string Device::to_string() const { return fmt::format("{}:{}", platform_name(), id_); }

// Default implementations of copy, slice and stack by way of the host. Devices with a faster path override them.

StatusOr<BufferPtr> Device::copy(const BufferPtr& from) {
  HILO_ASSIGN_OR_RETURN(const Literal value, literal_from_buffer(*from));
  return buffer_from_literal(*this, value, from->shape());
}

StatusOr<BufferPtr> Device::slice(const BufferPtr& from, int64_t index) {
  HILO_ASSIGN_OR_RETURN(const Literal value, literal_from_buffer(*from));
  const Shape part = slice_shape(from->shape());
  return from_host({part, value.bytes().data() + index * part.byte_size()});
}

StatusOr<BufferPtr> Device::stack(std::span<const BufferPtr> parts) {
  HILO_ASSIGN_OR_RETURN(const Shape whole, stack_shape(parts[0]->shape(), parts.size()));
  HILO_ASSIGN_OR_RETURN(Literal value, Literal::make(whole));
  HILO_RETURN_IF_ERROR(read_in_a_row(parts, value.mutable_bytes().data()));
  return from_host({whole, value.bytes().data()});
}

Shape slice_shape(const Shape& whole) { return Shape::array(whole.element_type(), whole.dimensions().subspan(1)); }

StatusOr<Shape> stack_shape(const Shape& part, int64_t count) {
  std::vector<int64_t> dimensions(part.dimensions().begin(), part.dimensions().end());
  dimensions.insert(dimensions.begin(), count);
  return Shape::make_array(part.element_type(), dimensions);
}

}  // namespace hilo
