// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/host_memory.h"

#include "hilo/array/array_impl.h"

namespace hilo::host_memory_detail {

Array array_of(ElementType type, const std::byte* data, std::span<const int64_t> sizes) {
  return array_from_buffer(or_throw(default_device()->from_host({or_throw(Shape::make_array(type, sizes)), data})));
}

}  // namespace hilo::host_memory_detail
